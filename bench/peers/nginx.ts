/** nginx with its RTMP module, as a peer. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/helpers/ports.ts';
import { accepts } from '../../test/helpers/servers/program.ts';
import { until } from '../../test/helpers/until.ts';

const MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so';
const ENVIRONMENT = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };

export interface NginxWork {
  /** Left out: any that is free. */
  port?: number | undefined;
  /** Its directives for each stream that is published. */
  work: string;
}

export interface Nginx {
  port: number;
  /** Those of the master and of its worker, which carries the streams. */
  pids(): number[];
  worker(): number;
  end(): Promise<void>;
}

/** Undefined where it is not installed. */
export function nginxVersion(): string | undefined {
  if (!existsSync(MODULE)) return undefined;
  const { stderr } = spawnSync('nginx', ['-v'], { env: ENVIRONMENT, encoding: 'utf8' });
  return /nginx\/([\d.]+)/u.exec(stderr)?.[1];
}

export async function startNginx(dir: string, { port: wanted, work }: NginxWork): Promise<Nginx> {
  const port = wanted ?? (await freePort());
  const file = join(dir, 'nginx.conf');
  writeFileSync(
    file,
    `load_module ${MODULE};
daemon off; user root; worker_processes 1; pid ${dir}/nginx.pid; error_log ${dir}/nginx.log;
events { worker_connections 512; }
rtmp { server { listen 127.0.0.1:${port}; chunk_size 4096; application live { live on; ${work} } } }`,
  );
  const child = spawn('nginx', ['-c', file, '-p', dir], { stdio: 'ignore', env: ENVIRONMENT });
  await until('nginx', () => accepts(port));
  const pid = child.pid!;
  const children = (): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return {
    port,
    pids: () => [pid, ...children()],
    worker: () => children()[0]!,
    async end() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
