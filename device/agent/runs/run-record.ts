/** The agent's reading and writing of a run directory (device/run-dir.ts names the files). */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSpec } from '../../../domain/reported/orders.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { readJson, writeJson } from '../../atomic-file.ts';
import { bootId, isAlive, startTicksOf, type ProcessId } from '../../process.ts';
import { runFiles, type RunFiles, type RunnerState, type SpawnedRunner } from '../../run-dir.ts';

/** Run ids become file names. */
const RUN_ID = /^[\w-][\w.-]{0,99}$/u;
/** Prefix of a directory that is being written: it is never a run, and the next agent removes it. */
const UNFINISHED = '.new-';

export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && RUN_ID.test(value);
}

/** The directory appears under its name complete, with spec and order, or not at all. */
export async function createRun(deviceDir: string, spec: RunSpec): Promise<RunFiles> {
  const files = runFiles(deviceDir, spec.runId);
  const temporary = join(deviceDir, 'runs', `${UNFINISHED}${spec.runId}`);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  await writeJson(join(temporary, 'spec.json'), spec);
  await writeJson(join(temporary, 'order.json'), { on: true });
  await rename(temporary, files.dir);
  return files;
}

/** A full disk takes no other order, but lets the present one be removed, and a run without an order is off. */
export async function orderOff(files: RunFiles): Promise<void> {
  await writeJson(files.order, { on: false }).catch(() => rm(files.order, { force: true }));
}

/** A run without a readable order was never acknowledged to anyone, or its disk is damaged: it counts as off. */
export function readOrder(files: RunFiles): boolean {
  return (readJson(files.order) as { on?: unknown } | undefined)?.on === true;
}

/** Specs of all runs on the disk. Leftovers that never became a run, and directories without a readable spec, are removed. */
export async function listRuns(deviceDir: string): Promise<RunSpec[]> {
  const dir = join(deviceDir, 'runs');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const specs: RunSpec[] = [];
  for (const name of await readdir(dir)) {
    const spec = isRunId(name) ? readJson(runFiles(deviceDir, name).spec) : undefined;
    if (isSpec(spec) && spec.runId === name) {
      await forgetShutdown(runFiles(deviceDir, name));
      specs.push(spec);
    } else await rm(join(dir, name), { recursive: true, force: true });
  }
  return specs;
}

/** The end of a machine stops each runner while its order stands: the run goes on after the next boot. */
async function forgetShutdown(files: RunFiles): Promise<void> {
  const wasShutDown = isOfEarlierBoot(files) && readOrder(files) && readFinal(files)?.phase === 'stopped';
  if (wasShutDown) await rm(files.final, { force: true });
}

/** A container has the boot id of the machine around it, but an init of its own, which began after every runner of its former boot. */
function isOfEarlierBoot(files: RunFiles): boolean {
  const { bootId: boot, startTicks } = (readJson(files.state) as Recorded) ?? {};
  if (boot === undefined || startTicks === undefined) return false;
  return boot !== bootId() || startTicks < (startTicksOf(1) ?? 0);
}

export function readFinal(files: RunFiles): RunReport | undefined {
  const final = readJson(files.final) as RunReport | undefined;
  return final?.phase === 'failed' || final?.phase === 'stopped' ? final : undefined;
}

export function writeSpawned(files: RunFiles, runner: ProcessId, isAlone: boolean): Promise<void> {
  const { pid, startTicks } = runner;
  return writeJson(files.spawned, {
    pid,
    startTicks,
    bootId: bootId(),
    ...(isAlone && { isAlone }),
  } satisfies SpawnedRunner);
}

/** Tells whether a runner was ever started: the next one is a restart then. */
export function wasSpawned(files: RunFiles): boolean {
  return existsSync(files.spawned) || existsSync(files.state);
}

/** Tells whether the runner that the agent has started last takes no other run. */
export function wasAlone(files: RunFiles): boolean {
  return (readJson(files.spawned) as Partial<SpawnedRunner> | undefined)?.isAlone === true;
}

type Recorded = Partial<Pick<RunnerState, 'pid' | 'startTicks' | 'bootId' | 'children' | 'left'>> | undefined;

/** The living process that carries the run out; undefined when there is none. */
export function findRunner(files: RunFiles): ProcessId | undefined {
  if (hasLeft(files)) return undefined;
  for (const path of [files.state, files.spawned]) {
    const { pid, startTicks, bootId: boot } = (readJson(path) as Recorded) ?? {};
    if (boot === bootId() && pid !== undefined && startTicks !== undefined && isAlive(pid, startTicks))
      return { pid, startTicks };
  }
  return undefined;
}

export function hasProcesses(files: RunFiles): boolean {
  return findRunner(files) !== undefined || findChildren(files).length > 0;
}

/** The run is over for its runner, which goes on with others. */
export function hasLeft(files: RunFiles): boolean {
  return (readJson(files.state) as Recorded)?.left === true;
}

/** Children of the last runner that are still alive. */
export function findChildren(files: RunFiles): ProcessId[] {
  const state = readJson(files.state) as Recorded;
  if (state?.bootId !== bootId() || !Array.isArray(state.children)) return [];
  return state.children
    .map(({ pid, startTicks }) => ({ pid, startTicks }))
    .filter(({ pid, startTicks }) => isAlive(pid, startTicks));
}
