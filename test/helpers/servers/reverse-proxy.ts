/** nginx before the product, which it has below a path of its own and reaches at the root. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lacking, removeFolder, scratchFolder, startProgram, type Running } from './program.ts';

export const proxyMissing = lacking({ 'nginx-light': 'nginx' });

interface Proxied {
  port: number;
  /** `/station/`: it is taken off before a request goes on. */
  path: string;
  target: string;
}

export async function startReverseProxy({ port, path, target }: Proxied): Promise<Running> {
  const dir = scratchFolder('proxy');
  mkdirSync(join(dir, 'temporary'));
  chmodSync(dir, 0o755);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(dir, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/error.log;
events {}
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${dir}/temporary/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location ${path} {
      proxy_pass ${target}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Connection '';
      proxy_read_timeout 1h;
    }
  }
}
`,
  );
  const running = await startProgram('nginx', ['-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')], port);
  return { ...running, stop: () => running.stop().then(() => removeFolder(dir)) };
}
