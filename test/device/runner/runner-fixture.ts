/** The fixture for tests of a real runner: a folder, a source, an RTMP server, and the runner itself. All of it is gone after the test. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { RunEvent, RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { isAlive, killExact, type ProcessId } from '../../../device/process.ts';
import { runFiles, type RunFiles, type RunnerState } from '../../../device/run-dir.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { madeOnce } from '../../helpers/made-once.ts';
import { freePort } from '../../helpers/ports.ts';
import { programArguments } from '../../helpers/program.ts';
import { until } from '../../helpers/until.ts';
import { giveKnownFfmpeg } from '../../helpers/known-ffmpeg.ts';
import { testFolder } from '../../helpers/test-folder.ts';

export const RUNNER_ENTRY = programArguments(new URL('fixtures/runner-entry.ts', import.meta.url));

/** A folder that is gone after the test. */
export function folder(t: TestScope): string {
  return testFolder(t, 'runner');
}

/** Ten seconds of moving picture and a tone. */
export function clip(dir: string, options: { audio?: boolean; video?: boolean; seconds?: number } = {}): string {
  const { audio = true, video = true, seconds = 10 } = options;
  const path = join(dir, `clip-${audio ? 'a' : ''}${video ? 'v' : ''}-${seconds}.mp4`);
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30'];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  const inputs = [...(video ? picture : []), ...(audio ? sound : [])];
  const args = ['-v', 'error', '-y', ...inputs, '-t', String(seconds), ...codecs];
  return madeOnce(path, args, (target) => execFileSync('ffmpeg', [...args, target]));
}

export function ffprobe(path: string, ...args: string[]): string {
  return execFileSync('ffprobe', ['-v', 'error', ...args, '-of', 'compact=p=0', path], {
    encoding: 'utf8',
    timeout: 60_000,
  });
}

export interface TestRunner {
  files: RunFiles;
  pid: number;
  startedAt: number;
  report(): Promise<RunReport>;
  stop(): Promise<void>;
  /** Resolves with the exit code, or undefined after a signal. */
  exited: Promise<number | undefined>;
  hasExited(): boolean;
  events(): RunEvent[];
  children(): ProcessId[];
  childNamed(part: string): number;
  /** Every process that was ever recorded and still lives. */
  left(): ProcessId[];
}

export function call(socketPath: string, method: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, timeout: 60_000, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve(body));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered within a minute`)));
    sent.end();
  });
}

function state(files: RunFiles): RunnerState | undefined {
  try {
    return JSON.parse(readFileSync(files.state, 'utf8')) as RunnerState;
  } catch {
    return undefined;
  }
}

/** Starts the runner as the agent does: detached, its output in a file. It and its children are gone after the test. */
export function startRunner(t: TestScope, deviceDir: string, spec: RunSpec, env = process.env): TestRunner {
  const files = runFiles(deviceDir, spec.runId);
  mkdirSync(files.dir, { recursive: true, mode: 0o700 });
  giveKnownFfmpeg(deviceDir);
  writeFileSync(files.spec, JSON.stringify(spec), { mode: 0o600 });
  const log = openSync(files.log, 'a');
  const seen = new Map<number, ProcessId>();
  const startedAt = performance.now();
  const child: ChildProcess = spawn(process.execPath, [...RUNNER_ENTRY, deviceDir, spec.runId], {
    detached: true,
    stdio: ['ignore', log, log],
    env,
  });
  const children = (): ProcessId[] => {
    const known = state(files)?.children ?? [];
    for (const one of known) seen.set(one.pid, one);
    return known;
  };
  const watch = setInterval(children, 50);
  const exited = new Promise<number | undefined>((resolve) => child.once('exit', (code) => resolve(code ?? undefined)));
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const left = (): ProcessId[] => [...seen.values()].filter(({ pid, startTicks }) => isAlive(pid, startTicks));
  cleanUp(t, async () => {
    clearInterval(watch);
    if (!hasExited()) child.kill('SIGKILL');
    await exited;
    children();
    for (const { pid, startTicks } of left()) killExact(pid, startTicks, 'SIGKILL');
  });
  return {
    files,
    pid: child.pid!,
    startedAt,
    exited,
    hasExited,
    children,
    left,
    report: async () => JSON.parse(await call(files.socket, 'GET', '/report')) as RunReport,
    async stop() {
      await call(files.socket, 'POST', '/stop');
    },
    events() {
      const text = readFileSync(files.events, 'utf8');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as RunEvent);
    },
    childNamed(part) {
      const found = children().find(({ pid }) => commandLine(pid).includes(part));
      if (found === undefined) throw new Error(`No child with ${part} in its arguments`);
      return found.pid;
    },
  };
}

export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Arguments of every process on the machine, as `ps` would show them. */
export function everyCommandLine(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => commandLine(Number(pid)))
    .join('\n');
}

export async function running(runner: TestRunner): Promise<RunReport> {
  return until('phase running', async () => {
    const report = await runner.report().catch(() => undefined);
    if (report?.phase === 'failed') throw new Error(`The run has failed: ${report.error}`);
    if (runner.hasExited()) throw new Error(`The runner is gone: ${readFileSync(runner.files.log, 'utf8')}`);
    return report?.phase === 'running' && report;
  });
}

export interface RtmpServer {
  port: number;
  /** Publishers by stream name, with the id that the server gave the connection. */
  publishers(): Promise<{ name: string; client: string; bytesIn: number }[]>;
  stop(): Promise<void>;
}

/** nginx with its RTMP module, application `live`. */
export async function startRtmpServer(t: TestScope, dir: string, port: number): Promise<RtmpServer> {
  const http = await freePort();
  const config = join(dir, 'nginx.conf');
  writeFileSync(
    config,
    `load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
daemon off; master_process off; pid ${dir}/nginx.pid; error_log ${dir}/nginx.log;
events { worker_connections 64; }
rtmp { server { listen 127.0.0.1:${port}; chunk_size 4096; application live { live on; record off; } } }
http { access_log off; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
  server { listen 127.0.0.1:${http}; location /stat { rtmp_stat all; } } }`,
  );
  const server = spawn('nginx', ['-c', config, '-p', dir], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await ended;
  };
  cleanUp(t, stop);
  const stat = async (): Promise<string> => (await fetch(`http://127.0.0.1:${http}/stat`)).text();
  await until('nginx answers', () =>
    stat()
      .then(() => true)
      .catch(() => false),
  );
  return {
    port,
    stop,
    async publishers() {
      const streams = [...(await stat()).matchAll(/<stream>.*?<\/stream>/gsu)].map(([text]) => text);
      return streams
        .filter((text) => text.includes('<publishing/>'))
        .map((text) => ({
          name: /<name>(.*?)<\/name>/u.exec(text)?.[1] ?? '',
          client: [...text.matchAll(/<client>.*?<\/client>/gsu)]
            .map(([client]) => client)
            .filter((client) => client.includes('<publishing/>'))
            .map((client) => /<id>(\d+)<\/id>/u.exec(client)?.[1] ?? '')
            .join(),
          bytesIn: Number(/<bytes_in>(\d+)<\/bytes_in>/u.exec(text)?.[1] ?? 0),
        }));
    },
  };
}
