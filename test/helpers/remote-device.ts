/** `onair device --listen` as on another machine: its own folder, its own ports, nothing in common with the server but the network. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveKnownFfmpeg } from './known-ffmpeg.ts';
import { freePort } from './ports.ts';
import { endAll, PROGRAM } from './service.ts';
import { until } from './until.ts';

export interface RemoteDevice {
  readonly dir: string;
  /** host:port, the same after a restart. */
  readonly address: string;
  pid: number;
  /** The credentials that the last start, or an unpairing since, has shown; undefined without any. */
  credentials(): { register_username: string; register_password: string } | undefined;
  output(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  /** `onair device unpair` on that machine: its output. */
  unpair(): string;
  dispose(): Promise<void>;
}

/** With `ingestHost` encoders reach it there. */
export async function startRemoteDevice(ingestHost?: string): Promise<RemoteDevice> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-remote-'));
  const env: NodeJS.ProcessEnv = { ...process.env, ONAIR_DATA: dir, XDG_CONFIG_HOME: dir };
  delete env['NODE_OPTIONS'];
  if (ingestHost !== undefined) env['ONAIR_INGEST_HOST'] = ingestHost;
  giveKnownFfmpeg(join(dir, 'device'));
  let child: ChildProcess;
  const address = `127.0.0.1:${await freePort()}`;
  let own = '';
  let all = '';

  async function launch(): Promise<number> {
    own = '';
    const words = [PROGRAM, 'device', '--listen', address, '--media-port', '0'];
    child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (chunk: Buffer) => {
      own += chunk.toString();
      all += chunk.toString();
    });
    await until('the remote agent', () => {
      if (child.exitCode !== null) throw new Error(`The agent ended:\n${own}`);
      return own.includes('The Device agent is ready');
    });
    return child.pid ?? 0;
  }

  let pid = await launch();
  return {
    dir,
    get pid() {
      return pid;
    },
    address,
    credentials() {
      const [, register_username, register_password] =
        /register_username (\S+)\n\s+register_password (\S+)\n(?![\s\S]*register_username)/u.exec(own) ?? [];
      return register_username === undefined || register_password === undefined
        ? undefined
        : { register_username, register_password };
    },
    output: () => all,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
    async restart() {
      pid = await launch();
    },
    unpair: () => execFileSync(process.execPath, [PROGRAM, 'device', 'unpair'], { env, encoding: 'utf8' }),
    async dispose() {
      endAll(dir);
    },
  };
}
