/**
 * The run directory is the boundary between agent and runner: what must survive either of them is here. One directory a run,
 * `<device>/runs/<runId>/`, mode 0700. The agent writes `spec.json` and `order.json`; the runner writes everything else.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface RunFiles {
  dir: string;
  /** RunSpec, mode 0600: it holds stream keys. */
  spec: string;
  /** `{ "on": boolean }`: what the agent wants of the run; survives the agent. */
  order: string;
  /** RunnerState of the living runner, replaced atomically. */
  state: string;
  /** RunEvent, one JSON a line, appended by the runner alone; `seq` goes on after a restart of the runner. */
  events: string;
  /** Last RunReport (phase stopped or failed), written before the runner ends of its own will. */
  final: string;
  /** Output of the runner process itself. */
  log: string;
  /** HTTP over this unix socket is the runner's door. */
  socket: string;
}

export interface RunnerState {
  runId: string;
  livestreamId: number;
  pid: number;
  /** Field 22 of /proc/<pid>/stat: tells the process from a later one with the same pid. */
  startTicks: number;
  /** /proc/sys/kernel/random/boot_id at start. */
  bootId: string;
  /** Process ids of the children, so that a killed runner leaves none behind. */
  children: { pid: number; startTicks: number }[];
}

export function runFiles(deviceDir: string, runId: string): RunFiles {
  const dir = join(deviceDir, 'runs', runId);
  return {
    dir,
    spec: join(dir, 'spec.json'),
    order: join(dir, 'order.json'),
    state: join(dir, 'state.json'),
    events: join(dir, 'events.jsonl'),
    final: join(dir, 'final.json'),
    log: join(dir, 'runner.log'),
    socket: socketPath(join(dir, 'runner.sock')),
  };
}

/** What is delivered over HTTP, a folder a Live stream. */
export function liveRoot(deviceDir: string): string {
  return join(deviceDir, 'live');
}

/** Where a Destination that the Device serves keeps its playlist and segments. */
export function liveDir(deviceDir: string, livestreamId: number, publishingId: number): string {
  return join(liveRoot(deviceDir), String(livestreamId), String(publishingId));
}

/** Where Recordings of a Live stream are written. */
export function recordingsDir(deviceDir: string, livestreamId: number): string {
  return join(deviceDir, 'recordings', String(livestreamId));
}

/**
 * sun_path of a unix socket holds 108 bytes (unix(7)); a longer path moves to a private folder under the system's temporary one.
 * Throws when that folder is not this user's alone: there, anybody may make it first.
 */
export function socketPath(wanted: string): string {
  if (Buffer.byteLength(wanted) <= 100) return wanted;
  const { uid } = userInfo();
  const dir = join(tmpdir(), `onair-${uid}`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const found = lstatSync(dir);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${dir} is not a directory that only this user can open; sockets in it would not be safe. Remove it, or choose a Device directory with a shorter path.`,
    );
  }
  return join(dir, `${createHash('sha256').update(wanted).digest('hex').slice(0, 32)}.sock`);
}
