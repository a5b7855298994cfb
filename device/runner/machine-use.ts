/** Measures every two seconds what a run takes of its machine, and keeps the disk from running full. */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { MachineLoadMeter, type MachineLoad } from '../../linux/machine-load.ts';
import { liveRoot, recordingsRoot } from '../run-dir.ts';
import { CpuMeter } from './cpu-meter.ts';
import { DiskGuard, type DiskUser } from './disk-guard.ts';
import type { ChildProcesses } from './process/child-processes.ts';
import { pathsOf, type Output } from './outputs/outputs.ts';

const LOOK_EVERY_MS = 2000;

export interface MachineDeps {
  children: ChildProcesses;
  deviceDir: string;
  /** Answers how many runs this process carries out. */
  sharers: () => number;
}

export class MachineUse {
  private readonly children: ChildProcesses;
  private readonly cpu: CpuMeter;
  private readonly meter = new MachineLoadMeter(availableParallelism());
  private readonly guard: DiskGuard;
  private timer: NodeJS.Timeout | undefined;

  constructor({ children, deviceDir, sharers }: MachineDeps, outputs: readonly Output[]) {
    this.children = children;
    this.cpu = new CpuMeter(sharers);
    // The folders of all Live streams count: an administrator mounts another disk there, not below.
    const dirs = { recordings: recordingsRoot(deviceDir), segments: liveRoot(deviceDir) };
    for (const dir of Object.values(dirs)) makeFolder(dir);
    this.guard = new DiskGuard(dirs, outputs.map(userOf));
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
    const { taken } = this.meter;
    const { disk } = this.guard;
    return {
      ...(cores !== undefined && { cpu_cores: cores }),
      ...(taken !== undefined && { cores_taken: taken }),
      ...(disk && { disk }),
    };
  }

  /** The machine in the last two seconds. */
  get load(): MachineLoad | undefined {
    return this.meter.load;
  }

  private look(): void {
    this.meter.look();
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
