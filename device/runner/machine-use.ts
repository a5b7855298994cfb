/** Measures every two seconds what a run takes of its machine, and keeps the disk from running full. */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { diskSpaceOf, type DiskSpace } from '../../linux/disk-space.ts';
import { MachineLoadMeter, type MachineLoad } from '../../linux/machine-load.ts';
import { liveRoot, recordingsRoot } from '../run-dir.ts';
import { CpuMeter } from './cpu-meter.ts';
import { DiskGuard, type DiskUser } from './disk-guard.ts';
import type { ChildProcesses } from './process/child-processes.ts';
import { pathsOf, type Output } from './outputs/outputs.ts';

const LOOK_EVERY_MS = 2000;
/** One for all runs of this process: each look reads a dozen files. */
const meter = new MachineLoadMeter(availableParallelism());

/** Looks at the space of a folder; each is good for all runs of this process while it lasts, and for a while. */
const looks = new Map<string, { space: Promise<DiskSpace>; untilMs: number }>();
const SPACE_MS = 1500;

function spaceLately(dir: string): Promise<DiskSpace> {
  const known = looks.get(dir);
  if (known !== undefined && performance.now() < known.untilMs) return known.space;
  const look = { space: diskSpaceOf(dir), untilMs: Infinity };
  const onAnswer = (): void => void (look.untilMs = performance.now() + SPACE_MS);
  look.space.then(onAnswer, onAnswer);
  looks.set(dir, look);
  return look.space;
}

export interface MachineDeps {
  children: ChildProcesses;
  deviceDir: string;
  /** Answers how many runs this process carries out. */
  sharers: () => number;
}

export class MachineUse {
  private readonly children: ChildProcesses;
  private readonly cpu: CpuMeter;
  private readonly guard: DiskGuard;
  private timer: NodeJS.Timeout | undefined;

  constructor({ children, deviceDir, sharers }: MachineDeps, outputs: readonly Output[]) {
    this.children = children;
    this.cpu = new CpuMeter(sharers);
    // The folders of all Live streams count: an administrator mounts another disk there, not below.
    const dirs = { recordings: recordingsRoot(deviceDir), segments: liveRoot(deviceDir) };
    for (const dir of Object.values(dirs)) makeFolder(dir);
    this.guard = new DiskGuard(dirs, outputs.map(userOf), spaceLately);
  }

  start(): void {
    this.look();
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  join(output: Output): void {
    this.guard.join(userOf(output));
  }

  leave(output: Output): void {
    this.guard.leave(pathsOf(output));
  }

  get facts(): Pick<RunReport, 'cpu_cores' | 'cores_taken' | 'disk'> {
    const { cores } = this.cpu;
    const { taken } = meter;
    const { disk } = this.guard;
    return {
      ...(cores !== undefined && { cpu_cores: cores }),
      ...(taken !== undefined && { cores_taken: taken }),
      ...(disk && { disk }),
    };
  }

  /** The machine in the last two seconds. */
  get load(): MachineLoad | undefined {
    return meter.load;
  }

  private look(): void {
    meter.look();
    this.cpu.sample(performance.now(), this.children.pids);
    void this.guard.look();
  }
}

function userOf(output: Output): DiskUser {
  return { type: output.spec.type, paths: pathsOf(output) };
}

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch {
    // On a full disk the output that wants to write there finds out and reports it.
  }
}
