/** The real program as a user runs it: `onair serve` on a scratch data folder, and everything it started ended again. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { giveKnownFfmpeg } from './known-ffmpeg.ts';
import { madeOnce } from './made-once.ts';
import { freePort } from './ports.ts';

export const PROGRAM = fileURLToPath(new URL('../../bin/onair.js', import.meta.url));
export const TOKEN = 'canary_admin_token_0123456789abcdef';

export interface Service {
  readonly scratch: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  url: string;
  pid: number;
  /** stderr of every start so far. */
  output(): string;
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestReply>;
  /** The created resource's id; throws with the problem when refused. */
  create(path: string, body: unknown): Promise<number>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Left out: the same program. */
  restart(program?: string): Promise<void>;
  /** Ends the service and all of its Device, then removes the scratch folder. Never throws. */
  dispose(): Promise<void>;
}

export interface RestReply {
  status: number;
  headers: Headers;
  body: any;
}

/** `before` is what happens in its scratch folder, under its settings, before it starts. `program` is bin/onair.js of a version. */
export async function startService(
  extra: NodeJS.ProcessEnv = {},
  before: (env: NodeJS.ProcessEnv) => Promise<unknown> = () => Promise.resolve(),
  program = PROGRAM,
): Promise<Service> {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-test-'));
  const dataDir = join(scratch, 'data');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ONAIR_DATA: dataDir,
    // The one after it is its Device's. Later starts have the same, so that callers and playlists stay valid.
    ONAIR_PORT: String(await freePort()),
    XDG_CONFIG_HOME: join(scratch, 'config'),
    ONAIR_BOOTSTRAP_TOKEN: TOKEN,
    // Other tests run beside this one.
    ONAIR_OTHER_LOAD: 'ignore',
    ...extra,
  };
  if (extra['NODE_OPTIONS'] === undefined) delete env['NODE_OPTIONS'];
  // Node reads these certificates at each start of a process, which takes as long as the rest of it.
  if (extra['NODE_EXTRA_CA_CERTS'] === undefined) delete env['NODE_EXTRA_CA_CERTS'];
  let child: ChildProcess;
  let output = '';
  // A test that is broken off, or hangs until the runner ends it, comes to no dispose.
  const leave = (): void => endAll(scratch);
  process.once('exit', leave);
  if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit(143));

  async function launch(): Promise<{ url: string; pid: number }> {
    let own = '';
    child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const started = child;
    return new Promise((resolve, reject) => {
      const bound = setTimeout(() => reject(new Error(`not ready after 60 s:\n${own}`)), 60_000);
      started.stderr?.on('data', (chunk: Buffer) => {
        own += chunk.toString();
        output += chunk.toString();
        const url = /^onair: ready (\S+)$/mu.exec(own)?.[1];
        if (url === undefined || started.pid === undefined) return;
        clearTimeout(bound);
        resolve({ url, pid: started.pid });
      });
      started.once('exit', (code) => {
        clearTimeout(bound);
        reject(new Error(`ended with ${code}:\n${own}`));
      });
    });
  }

  const rest: Service['rest'] = async (method, path, body, headers = {}) => {
    // A test that made a clip stood still meanwhile: it first hears that the server has closed a connection which nobody used.
    await turn();
    const response = await fetch(`${service.url}/svcapiv2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json().catch(() => undefined) };
  };

  const service: Service = {
    scratch,
    dataDir,
    env,
    ...(await before(env)
      .then(() => giveKnownFfmpeg(join(dataDir, 'device')))
      .then(launch)
      .catch((error: unknown) => {
        leave();
        throw error;
      })),
    output: () => output,
    rest,
    async create(path, body) {
      const reply = await rest('POST', path, body);
      if (reply.status !== 201) throw new Error(`POST ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body.data.id as number;
    },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
    async restart(next = program) {
      await service.kill('SIGTERM');
      program = next;
      Object.assign(service, await launch());
    },
    async dispose() {
      await service.kill('SIGTERM').catch(() => undefined);
      // Its Device is ended by its folder: `onair device stop` is half a second of a core, and has a test of its own.
      leave();
      process.off('exit', leave);
    },
  };
  return service;
}

/** Ends whatever names the folder, as with the power of its machine. */
export function killAll(scratch: string): void {
  // Again, for what was being started meanwhile.
  for (let round = 0; round < 5; round += 1) {
    for (const { pid } of processesOf(scratch)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in between.
      }
    }
  }
}

/** Ends whatever names the folder, and removes it. */
export function endAll(scratch: string): void {
  killAll(scratch);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

export interface ProcessLine {
  pid: number;
  command: string;
}

/**
 * Processes that name the scratch folder in their command line or environment, and all that descend from them: ours, whoever started
 * them. A child whose parent was killed is no descendant any more: remember its pid before the kill.
 */
export function processesOf(scratch: string): ProcessLine[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const isZombie = command === '';
        return isZombie
          ? []
          : [{ pid: Number(name), command, parent, own: `${command} ${environment}`.includes(scratch) }];
      } catch {
        // The process ended while we looked.
        return [];
      }
    });
  const ours = new Set(all.filter(({ own }) => own).map(({ pid }) => pid));
  for (let before = -1; before !== ours.size;) {
    before = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid }) => ours.has(pid)).map(({ pid, command }) => ({ pid, command }));
}

/** Those of them whose command is like this. */
export function pidsOf(scratch: string, pattern: RegExp): number[] {
  return processesOf(scratch)
    .filter(({ command }) => pattern.test(command))
    .map(({ pid }) => pid);
}

/** The agent of the service's own Device. */
export function agentPid({ dataDir }: Service): number {
  return (JSON.parse(readFileSync(join(dataDir, 'device', 'agent.json'), 'utf8')) as { pid: number }).pid;
}

const TEST_PATTERN = { picture: 'testsrc2=', sound: 'sine=frequency=440:beep_factor=4:' };
/** A black picture that stands still, without a sound. */
export const BLANK = { picture: 'color=black:', sound: 'anullsrc=channel_layout=stereo:' };

/** A short clip with picture and sound. */
export function makeClip(path: string, seconds = 8, size = '320x180', of = TEST_PATTERN): string {
  const picture = ['-f', 'lavfi', '-i', `${of.picture}size=${size}:rate=30:duration=${seconds}`];
  const sound = ['-f', 'lavfi', '-i', `${of.sound}sample_rate=48000:duration=${seconds}`];
  const coding = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '60',
    '-c:a',
    'aac',
    '-shortest',
  ];
  const args = ['-nostdin', '-v', 'error', '-y', ...picture, ...sound, ...coding];
  return madeOnce(path, args, (target) => execFileSync('ffmpeg', [...args, target]));
}
