/** nginx with its RTMP module, as a platform takes broadcasts: application `live`, and `keyed`, which asks for each key. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../ports.ts';
import { accepts, removeFolder, scratchFolder } from './program.ts';

export interface RtmpServer {
  port: number;
  readonly pid: number;
  /** rtmp://…/live; a stream key follows. */
  readonly url: string;
  readonly keyedUrl: string;
  /** Keys that `keyed` takes; any other is answered with 403. */
  keys: Set<string>;
  /** Names of the streams that are published now. */
  publishing(): Promise<string[]>;
  /** How many have published under this key of `keyed` at one moment, at most; one that came while another was there counts, too. */
  mostAtOnce(key: string): number;
  signal(signal: NodeJS.Signals): void;
  /** Gone at once, as in a crash; `start` brings it back on the same port. */
  crash(): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
}

export async function startRtmp(): Promise<RtmpServer> {
  const dir = scratchFolder('rtmp');
  const [port, http] = [await freePort(), await freePort()];
  const keys = new Set<string>();
  const publishers = new Publishers();
  const gate = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const sent = new URLSearchParams(body);
      const key = sent.get('name') ?? '';
      if (keys.has(key)) publishers.note(key, sent.get('clientid') ?? '', sent.get('call') === 'publish');
      response.writeHead(keys.has(key) ? 200 : 403).end();
    });
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const config = join(dir, 'nginx.conf');
  const asks = `http://127.0.0.1:${(gate.address() as AddressInfo).port}/`;
  writeFileSync(config, configuration(dir, port, http, asks));
  let child: ChildProcess;

  const crash = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const start = async (): Promise<void> => {
    child = spawn('nginx', ['-c', config, '-p', dir], {
      stdio: 'ignore',
      env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    });
    for (let tries = 0; !(await accepts(port)); tries += 1) {
      if (child.exitCode !== null || tries > 500) throw new Error(`nginx does not listen on port ${port}.`);
      await wait(20);
    }
  };
  await start();
  return {
    port,
    keys,
    crash,
    start,
    url: `rtmp://127.0.0.1:${port}/live`,
    keyedUrl: `rtmp://127.0.0.1:${port}/keyed`,
    get pid() {
      return child.pid ?? 0;
    },
    async publishing() {
      const text = await (await fetch(`http://127.0.0.1:${http}/stat`)).text();
      const streams = [...text.matchAll(/<stream>.*?<\/stream>/gsu)].map(([stream]) => stream);
      return streams
        .filter((stream) => stream.includes('<publishing/>'))
        .map((stream) => /<name>(.*?)<\/name>/u.exec(stream)?.[1] ?? '');
    },
    mostAtOnce: (key) => publishers.most.get(key) ?? 0,
    signal: (signal) => void child.kill(signal),
    async dispose() {
      await crash();
      gate.close();
      removeFolder(dir);
    },
  };
}

/** Who publishes under each key, as the server says it. */
class Publishers {
  readonly most = new Map<string, number>();
  private readonly present = new Map<string, Set<string>>();

  note(key: string, client: string, isThere: boolean): void {
    const clients = this.present.get(key) ?? new Set();
    this.present.set(key, clients);
    clients[isThere ? 'add' : 'delete'](client);
    this.most.set(key, Math.max(this.most.get(key) ?? 0, clients.size));
  }
}

function configuration(dir: string, port: number, http: number, asks: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  return `load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
daemon off; master_process off; pid ${dir}/nginx.pid; error_log ${dir}/nginx.log;
events { worker_connections 64; }
rtmp { server { listen 127.0.0.1:${port}; chunk_size 4096;
  application live { live on; record off; }
  application keyed { live on; record off; on_publish ${asks}; on_publish_done ${asks}; } } }
http { access_log off; ${temporary.join(' ')}
  server { listen 127.0.0.1:${http}; location /stat { rtmp_stat all; } } }`;
}
