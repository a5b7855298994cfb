/** nginx with its RTMP module, as a peer: it relays what is published, and cuts it into HLS. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/helpers/ports.ts';
import { accepts } from '../../test/helpers/servers/program.ts';
import { until } from '../../test/helpers/until.ts';

const MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so';
const ENVIRONMENT = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };

export interface Nginx {
  port: number;
  /** The folder of the playlists, of each stream by its key. */
  lists: string;
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

/** `relayTo` is the port of a server that gets every stream as it is. Without it they become HLS with segments of `seconds`. */
export async function startNginx(dir: string, purpose: { relayTo: number } | { seconds: number }): Promise<Nginx> {
  const [port, lists] = [await freePort(), join(dir, 'lists')];
  mkdirSync(lists, { recursive: true });
  const work =
    'relayTo' in purpose
      ? `push rtmp://127.0.0.1:${purpose.relayTo}/live;`
      : `hls on; hls_path ${lists}; hls_fragment ${purpose.seconds}s; hls_playlist_length ${6 * purpose.seconds}s;`;
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
    lists,
    pids: () => [pid, ...children()],
    worker: () => children()[0]!,
    async end() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
