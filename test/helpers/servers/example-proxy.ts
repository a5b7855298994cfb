/** nginx and Caddy before the product with the example files of docs/proxy/: only names, ports and paths of certificates are replaced. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../ports.ts';
import { lacking, removeFolder, scratchFolder, startProgram, type Running } from './program.ts';

const EXAMPLES = fileURLToPath(new URL('../../../docs/proxy/', import.meta.url));
export const PROXIES = ['nginx', 'Caddy'] as const;
export type ProxyKind = (typeof PROXIES)[number];
export const proxiesMissing = lacking({ 'nginx-light': 'nginx', caddy: 'caddy' });

export interface ExampleProxy extends Running {
  /** https, at the name localhost. */
  url: string;
  httpPort: number;
}

interface ProxyParts {
  port: number;
  /** That of the product. */
  target: number;
  certificate: string;
  key: string;
}

/** Throws Error where the example has not what is to be replaced. */
function replaced(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`The example has no ${JSON.stringify(from)}.`);
    return before.replaceAll(from, to);
  }, text);
}

export async function startExampleProxy(kind: ProxyKind, parts: ProxyParts): Promise<ExampleProxy> {
  const dir = scratchFolder('proxy');
  const httpPort = await freePort();
  const running = await (kind === 'nginx' ? startNginx : startCaddy)(dir, httpPort, parts);
  const stop = (): Promise<void> => running.stop().then(() => removeFolder(dir));
  return { ...running, url: `https://localhost:${parts.port}`, httpPort, stop };
}

function startNginx(dir: string, httpPort: number, { port, target, certificate, key }: ProxyParts): Promise<Running> {
  const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ family }) => family === 'IPv6'));
  const example = readFileSync(join(EXAMPLES, 'nginx.conf'), 'utf8');
  const own = replaced(hasIpv6 ? example : example.replace(/^ *listen \[::\].*\n/gmu, ''), [
    ['listen 80;', `listen ${httpPort};`],
    ['listen 443 ', `listen ${port} `],
    ...(hasIpv6
      ? ([
          ['[::]:80;', `[::]:${httpPort};`],
          ['[::]:443 ', `[::]:${port} `],
        ] as const)
      : []),
    ['127.0.0.1:8090', `127.0.0.1:${target}`],
    ['/etc/letsencrypt/live/studio.example.com/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/studio.example.com/privkey.pem', key],
    ['https://$host$request_uri', `https://$host:${port}$request_uri`],
    ['server_name studio.example.com', 'server_name localhost'],
  ]);
  const site = join(dir, 'onair.conf');
  writeFileSync(site, own);
  mkdirSync(join(dir, 'temporary'));
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  // Debian's own file around it, in short.
  const around = `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/error.log; worker_processes 1;
events {}
http {
  access_log off;
  ${kinds.map((each) => `${each}_temp_path ${dir}/temporary/${each};`).join(' ')}
  include ${site};
}
`;
  writeFileSync(join(dir, 'nginx.conf'), around);
  return startProgram('nginx', ['-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')], port);
}

async function startCaddy(
  dir: string,
  httpPort: number,
  { port, target, certificate, key }: ProxyParts,
): Promise<Running> {
  const file = join(dir, 'Caddyfile');
  writeFileSync(
    file,
    replaced(readFileSync(join(EXAMPLES, 'Caddyfile'), 'utf8'), [
      ['admin localhost:2019', `admin localhost:${await freePort()}`],
      ['http_port 80\n', `http_port ${httpPort}\n`],
      ['https_port 443\n', `https_port ${port}\n`],
      ['reverse_proxy 127.0.0.1:8090', `reverse_proxy 127.0.0.1:${target}`],
      ['/etc/caddy/tls/cert.pem', certificate],
      ['/etc/caddy/tls/key.pem', key],
      ['\nstudio.example.com {', '\nlocalhost {'],
    ]),
  );
  // It keeps what it has been told below these folders.
  const places = [`XDG_DATA_HOME=${dir}/data`, `XDG_CONFIG_HOME=${dir}/config`, `HOME=${dir}`];
  const words = ['-u', 'NODE_OPTIONS', ...places, 'caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  return startProgram('env', words, port);
}
