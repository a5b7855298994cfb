/** Origins of the tests: nginx with DAV, and one that can be slow, refuse, redirect, and keeps a log of what came in which order. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../helpers/until.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';

const DAV = '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so';

export interface DavOrigin {
  port: number;
  pid: number;
  /** The folder that is served. */
  files: string;
  kill(): void;
  start(): Promise<void>;
}

/** Folders must be made by MKCOL; `/live` asks for the user and password of the test. */
export async function davOrigin(t: TestScope, dir: string, user: string, password: string): Promise<DavOrigin> {
  const port = await freePort();
  const files = join(dir, 'origin');
  mkdirSync(join(dir, 'tmp'), { recursive: true });
  mkdirSync(files, { recursive: true });
  writeFileSync(join(dir, 'users'), `${user}:{PLAIN}${password}\n`);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = join(dir, 'dav.conf');
  writeFileSync(
    config,
    `load_module ${DAV};
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; master_process off; pid ${dir}/dav.pid; error_log ${dir}/dav.log;
events {}
http {
  access_log off; client_max_body_size 64m;
  types { application/vnd.apple.mpegurl m3u8; application/dash+xml mpd; video/mp2t ts; video/mp4 mp4 m4s; }
  ${kinds.map((kind) => `${kind}_temp_path ${dir}/tmp/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${port}; root ${files};
    dav_methods PUT DELETE MKCOL; create_full_put_path off;
    location / { limit_except GET { auth_basic x; auth_basic_user_file ${dir}/users; } }
  }
}
`,
  );
  let child: ChildProcess = spawn('true');
  const kill = (): void => void child.kill('SIGKILL');
  cleanUp(t, kill);
  const origin: DavOrigin = {
    port,
    files,
    kill,
    get pid() {
      return child.pid!;
    },
    async start() {
      child = spawn('nginx', ['-c', config, '-p', dir], { stdio: 'ignore' });
      await until('nginx answers', () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      );
    },
  };
  await origin.start();
  return origin;
}

export interface LoggingOrigin {
  port: number;
  /** `METHOD path` of each request that was answered well, in order. */
  log: string[];
  files: Map<string, Buffer>;
  headers: Record<string, string | string[] | undefined>[];
  connections: number;
  /** The treatment of requests from now on. */
  behave(how: Behaviour): void;
}

export interface Behaviour {
  delayMs?: number;
  status?: number;
  location?: string;
}

export async function loggingOrigin(t: TestScope, tls?: { key: string; cert: string }): Promise<LoggingOrigin> {
  let how: Behaviour = {};
  const files = new Map<string, Buffer>();
  const log: string[] = [];
  const headers: LoggingOrigin['headers'] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    await delay(how.delayMs ?? 0);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = new URL(request.url!, 'http://x').pathname;
    const found = isRead ? files.get(path) : undefined;
    const status = how.status ?? (isRead ? (found === undefined ? 404 : 200) : 201);
    headers.push(request.headers);
    if (status < 300) {
      log.push(`${request.method} ${path}`);
      if (request.method === 'PUT') files.set(path, Buffer.concat(parts));
      if (request.method === 'DELETE') files.delete(path);
    }
    const to = how.location === undefined ? {} : { Location: how.location };
    response.writeHead(status, { 'access-control-allow-origin': '*', ...to }).end(found);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response).catch(() => response.destroy());
  const server = tls === undefined ? createServer(onRequest) : createSecure(tls, onRequest);
  const origin = { port: 0, log, files, headers, connections: 0, behave: (next: Behaviour) => void (how = next) };
  server.on('connection', () => (origin.connections += 1));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  origin.port = (server.address() as AddressInfo).port;
  return origin;
}
