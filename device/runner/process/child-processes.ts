/** Starts every child of the runner and keeps state.json, by which another process can find them. */
import { rmSync } from 'node:fs';
import type { Reach } from '../../../domain/network/networks.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { launch, launchOther, type FileAccess, type Sandbox, type Work } from '../../ffmpeg/launch.ts';
import { bootId, identify, isAlive, killExact, type ProcessId } from '../../process.ts';
import type { RunFiles, RunnerState } from '../../run-dir.ts';
import type { Redact } from '../../media/ffmpeg-output/redact.ts';
import { readJson, writeAtomic } from '../../atomic-file.ts';
import type { InputFeeder } from '../../media/arguments/input-feed.ts';
import { Child } from './child.ts';
import { openPipe, type PipeEnds } from '../../../linux/pipe.ts';
import { PacedPipe } from './paced-pipe.ts';
import type { RunLog } from './run-log.ts';

function withoutAddresses(text: string): string {
  return text.replace(/(https?:\/\/[^\s/'"<>]+)[^\s'"<>]*/giu, '$1/****');
}

export interface SpawnOptions {
  /** fd 0 is a pipe. */
  feed?: boolean;
  /** Number of descriptors, all of them pipes but fd 0. */
  fds?: number;
  /** A program other than ffmpeg. */
  program?: string;
  /** Its fd 1 may be read some times a second (Child.read). */
  isPaced?: boolean;
  /** Only the hosts are kept of web addresses in its stderr. */
  hideAddresses?: boolean;
  /** It reads its input to the end when this process is killed, because what it has not written yet is worth more than a quick end. */
  drains?: boolean;
  /** It reads media of strangers when this is left out. */
  work?: Work;
  access?: FileAccess | undefined;
  usesDrivers?: boolean | undefined;
  /** Open descriptors that the child gets as they are, by the number that they have there. */
  handed?: ReadonlyMap<number, number> | undefined;
  /** It has the descriptor that becomes its stdin. */
  stdin?: InputFeeder | undefined;
  /** It takes in a source, which may lead it anywhere in the web, so it connects by the proxy. */
  asksWeb?: boolean;
}

/** The rules of where requests of the run may go, and the proxy and the relay that apply them to an ffmpeg. */
export interface RunNetwork {
  reach: Reach;
  proxyUrl: string;
  /** Answers the relay's address for an RTSP source; each is good for one connection. */
  rtspAddress(source: string, transport: SourceSpec['settings']['transport']): string;
}

export interface ChildProcessesOptions {
  files: Pick<RunFiles, 'state'> & Partial<RunFiles>;
  run: { runId: string; livestreamId: number };
  sandbox: Sandbox;
  network: RunNetwork;
  redact: Redact;
  log: RunLog;
}

export class ChildProcesses {
  private readonly files: ChildProcessesOptions['files'];
  private readonly livestreamId: number;
  private readonly runId: string;
  private readonly redact: Redact;
  private readonly log: RunLog;
  private readonly children = new Map<Child, ProcessId>();
  private readonly sandbox: Sandbox;
  private readonly self = identify(process.pid)!;
  private closed = false;
  readonly network: RunNetwork;

  constructor({ files, run, sandbox, network, redact, log }: ChildProcessesOptions) {
    this.network = network;
    this.files = files;
    this.runId = run.runId;
    this.livestreamId = run.livestreamId;
    this.redact = redact;
    this.log = log;
    this.sandbox = sandbox;
    this.writeState();
  }

  /** A failed spawn does not throw: it ends the child. */
  spawn(name: string, args: readonly string[], options: SpawnOptions = {}): Child {
    if (this.closed) throw new Error('The runner is ending; it starts no more processes.');
    const { stdin, ...others } = options;
    if (stdin !== undefined)
      return stdin.handOver((fd) => this.spawn(name, args, { ...others, handed: new Map([[0, fd]]) }));
    const { feed = false, fds = 3, program, hideAddresses = false, drains = false, work = 'read' } = options;
    const { access, usesDrivers, asksWeb = false, isPaced = false, handed } = options;
    const paced = isPaced ? this.pacedPipe() : undefined;
    const stdio = Array.from({ length: Math.max(fds, ...[...(handed?.keys() ?? [])].map((fd) => fd + 1)) }, (_, fd) => {
      const given = handed?.get(fd);
      if (given !== undefined) return given;
      if (fd === 1 && paced !== undefined) return paced.writeEnd;
      return fd === 0 && !feed ? ('ignore' as const) : ('pipe' as const);
    });
    const proxy = asksWeb ? this.network.proxyUrl : undefined;
    const start = (): ReturnType<typeof launch> =>
      program === undefined
        ? launch('ffmpeg', args, { stdio, work, access, usesDrivers, outlives: drains, sandbox: this.sandbox, proxy })
        : launchOther(program, args, stdio);
    const process = paced?.handOver(start) ?? start();
    const redact: Redact = hideAddresses ? (text) => withoutAddresses(this.redact(text)) : this.redact;
    const child = new Child(name, process, redact, this.log, paced);
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity !== undefined) {
      this.children.set(child, identity);
      this.writeState();
    }
    void child.ended.then((end) => {
      this.log.info(`${name} ended`, { pid: child.pid, ...end });
      this.children.delete(child);
      if (!this.closed) this.writeState();
    });
    return child;
  }

  /** A pipe between two children. Throws the errors of the filesystem. */
  openPipe(): PipeEnds {
    return openPipe(`${this.files.state}.feed`, true);
  }

  /** Without one, as on a full disk, the child gets a pipe as any other. */
  private pacedPipe(): PacedPipe | undefined {
    try {
      return new PacedPipe(`${this.files.state}.pipe`);
    } catch (error) {
      this.log.warn(`The source is read packet by packet: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** The ids of the children that live. */
  get pids(): number[] {
    return [...this.children.values()].map(({ pid }) => pid);
  }

  /** Kills all children that are left. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.children.keys()].map((child) => child.end(0)));
    this.writeState();
  }

  /** Says that this process is no longer the run's, though it lives. It is called after `close`, when all else of the run is written. */
  leave(): void {
    if (this.writeState({ left: true })) return;
    // A full disk still lets files be removed.
    for (const path of [this.files.state, this.files.spawned]) if (path !== undefined) rmSync(path, { force: true });
  }

  /** Tells whether the disk has taken it. */
  private writeState(more: Pick<RunnerState, 'left'> = {}): boolean {
    const state: RunnerState = {
      runId: this.runId,
      livestreamId: this.livestreamId,
      ...this.self,
      bootId: bootId(),
      children: [...this.children.values()],
      ...more,
    };
    try {
      writeAtomic(this.files.state, JSON.stringify(state));
      return true;
    } catch (error) {
      // On a full disk pdeathsig and broken pipes still end the children with us.
      this.log.warn(`state.json was not written: ${(error as Error).message}`);
      return false;
    }
  }
}

/** The runner process that state.json names, if it lives and is not this one. */
export function livingPredecessor(files: RunFiles): ProcessId | undefined {
  const state = readState(files);
  if (state === undefined || state.bootId !== bootId() || state.pid === process.pid) return undefined;
  return isAlive(state.pid, state.startTicks) ? state : undefined;
}

/** Children that have outlived a killed predecessor would write to the same places as ours. */
export function killOrphans(files: RunFiles): void {
  const state = readState(files);
  if (state === undefined || state.bootId !== bootId()) return;
  for (const { pid, startTicks } of state.children) killExact(pid, startTicks, 'SIGKILL');
}

function readState(files: RunFiles): RunnerState | undefined {
  return readJson(files.state) as RunnerState | undefined;
}
