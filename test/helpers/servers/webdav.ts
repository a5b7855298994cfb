/** nginx with its dav and dav-ext modules: `/rw`, `/ro` (reads only) and `/full` (no storage left), for one user. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { selfSigned } from './certificate.ts';
import { lacking, removeFolder, scratchFolder, startProgram, type Running } from './program.ts';

const DAV_EXT = '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so';
export const webdavMissing = lacking({
  'nginx-light': 'nginx',
  'libnginx-mod-http-dav-ext': DAV_EXT,
  openssl: 'openssl',
});

export interface WebdavServer extends Running {
  /** Port of the same server over TLS, with a certificate that nobody trusts. */
  tlsPort: number;
  certificate: string;
  /** Folder on disk behind /rw. */
  files: string;
}

export async function startWebdav(user: string, password: string, wanted?: number): Promise<WebdavServer> {
  const dir = scratchFolder('webdav');
  const [port, tlsPort] = [wanted ?? (await freePort()), await freePort()];
  const { key, certificate } = selfSigned(dir);
  const files = join(dir, 'files', 'rw');
  for (const folder of ['rw', 'ro', 'full']) mkdirSync(join(dir, 'files', folder), { recursive: true });
  mkdirSync(join(dir, 'temporary'));
  chmodSync(dir, 0o755);
  writeFileSync(join(dir, 'users'), `${user}:{PLAIN}${password}\n`);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(dir, 'nginx.conf'),
    `load_module ${DAV_EXT};
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/error.log;
events {}
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${dir}/temporary/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${certificate}; ssl_certificate_key ${key};
    root ${dir}/files;
    auth_basic files; auth_basic_user_file ${dir}/users;
    dav_methods PUT DELETE MOVE; dav_ext_methods PROPFIND;
    client_max_body_size 0;
    location /ro { limit_except GET PROPFIND { deny all; } }
    location /full { if ($request_method = PUT) { return 507; } }
  }
}
`,
  );
  const running = await startProgram('nginx', ['-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')], port);
  return { ...running, tlsPort, certificate, files, stop: () => running.stop().then(() => removeFolder(dir)) };
}
