/**
 * The run directory is the boundary between agent and runner: it contains what must survive either of them. Each run has one,
 * `<device>/runs/<runId>/`, mode 0700. The agent writes `spec.json`, `order.json` and `spawned.json`; the runner everything else.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface RunFiles {
  dir: string;
  /** RunSpec, mode 0600: it holds stream keys. */
  spec: string;
  /** `{ "on": boolean }`: the agent's order for the run, which survives the agent. */
  order: string;
  /** RunnerState of the living runner, replaced atomically. */
  state: string;
  /** SpawnedRunner: the runner that the agent has started or asked last. */
  spawned: string;
  /** RunEvent, one JSON a line, appended by the runner alone; `seq` goes on after a restart of the runner. */
  events: string;
  /** The last RunReport (phase stopped or failed), written before the runner ends of its own will. */
  final: string;
  /** Output of the runner process itself. */
  log: string;
  /** The runner serves HTTP on this unix socket. */
  socket: string;
}

export interface RunnerState {
  runId: string;
  livestreamId: number;
  pid: number;
  /** Field 22 of /proc/<pid>/stat, which tells the process from a later one with the same pid. */
  startTicks: number;
  /** Content of /proc/sys/kernel/random/boot_id at the start. */
  bootId: string;
  /** The children's process ids, so that a killed runner leaves none behind. */
  children: { pid: number; startTicks: number }[];
  /** The run is over, and its runner goes on with the other runs that it carries out. */
  left?: true;
}

/**
 * The runner writes its own state about half a second after its start; an agent that dies in between would leave a runner that its
 * successor does not know, and the successor would start a second one.
 */
export interface SpawnedRunner extends Pick<RunnerState, 'pid' | 'startTicks' | 'bootId'> {
  /** It takes no other run. */
  isAlone?: true;
}

export function runFiles(deviceDir: string, runId: string): RunFiles {
  const dir = join(deviceDir, 'runs', runId);
  return {
    dir,
    spec: join(dir, 'spec.json'),
    order: join(dir, 'order.json'),
    state: join(dir, 'state.json'),
    spawned: join(dir, 'spawned.json'),
    events: join(dir, 'events.jsonl'),
    final: join(dir, 'final.json'),
    log: join(dir, 'runner.log'),
    socket: socketPath(join(dir, 'runner.sock')),
  };
}

/** The folder that is delivered over HTTP; it has a folder for each Live stream. */
export function liveRoot(deviceDir: string): string {
  return join(deviceDir, 'live');
}

/** The folder of a Destination that the Device serves: its playlist and segments. */
export function liveDir(deviceDir: string, livestreamId: number, publishingId: number): string {
  return join(liveRoot(deviceDir), String(livestreamId), String(publishingId));
}

/** The folder of all Recordings; it has a folder for each Live stream. */
export function recordingsRoot(deviceDir: string): string {
  return join(deviceDir, 'recordings');
}

/** The folder of a Live stream's Recordings. */
export function recordingsDir(deviceDir: string, livestreamId: number): string {
  return join(recordingsRoot(deviceDir), String(livestreamId));
}

/**
 * A unix socket's path may have 108 bytes (sun_path, unix(7)); a longer one moves to a private folder under the system's temporary folder.
 * Throws when that folder is not this user's alone, since anybody may create it first.
 */
export function socketPath(path: string): string {
  if (Buffer.byteLength(path) <= 100) return path;
  const { uid } = userInfo();
  const dir = join(tmpdir(), `onair-${uid}`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stats = lstatSync(dir);
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o077) !== 0) {
    throw new Error(
      `${dir} is not a directory that only this user can open; sockets in it would not be safe. Remove it, or choose a Device directory with a shorter path.`,
    );
  }
  return join(dir, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.sock`);
}
