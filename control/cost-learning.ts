/**
 * Learns from measured runs: a factor for each kind of work on each Device, for later starts, and the cores of each run, for what is still
 * free there. Both are stored, so that admission (inside a commit) and every view of the load read the same figures.
 */
import { factorsNow, learn, settledCost, type Factors, type WorkCosts } from '../domain/shapes/encodings/capacity.ts';
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { Log } from '../domain/base/log.ts';
import type { Run, RunReport } from '../domain/shapes/broadcasts/run.ts';
import type { Store, Tx } from '../domain/ports/store.ts';
import type { DeviceRegistry } from './device-registry.ts';
import { OtherLoad } from './other-load.ts';
import type { RowCache } from './row-cache.ts';

export interface CostLearnerDeps {
  store: Store;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** The stored runs and Devices. */
  rows: Pick<RowCache, 'run' | 'runsAt' | 'devices'>;
  registry: Pick<DeviceRegistry, 'report'>;
  /** Cores that other programs of a Device take count there. */
  countsOthers: boolean;
}

/** A report's figure is a mean of 10 s; reading it more often would count the same seconds twice. */
const LOOK_EVERY_MS = 10_000;
/** Each Device gets at most one commit in this time; a restart of the control plane loses no more. */
const STORE_EVERY_MS = 30_000;
/** Smaller changes are not worth a commit. */
const NOTABLE_SHARE = 0.03;
/** Below this speed the encoder falls behind and uses less than it needs. */
const REAL_TIME_SPEED = 0.95;

interface Watched {
  runId: string;
  lookedAtMs: number;
  cost: number;
  isMeasured: boolean;
}

type Learned = Pick<WorkCosts, 'factors' | 'machine'>;

export class CostLearner {
  private readonly deps: CostLearnerDeps;
  private readonly stored = new Map<number, Learned>();
  private readonly learned = new Map<number, Learned>();
  private readonly storedAtMs = new Map<number, number>();
  /** Runs that are measured at each Device, by Live stream. */
  private readonly watched = new Map<number, Map<number, Watched>>();
  private readonly others: OtherLoad;
  /** Cores that other programs take, by Device. */
  private readonly taken = new Map<number, number>();

  constructor(deps: CostLearnerDeps) {
    this.deps = deps;
    const { rows, registry } = deps;
    this.others = new OtherLoad((deviceId) => rows.runsAt(deviceId).map(({ runId }) => registry.report(runId)));
  }

  async load(): Promise<void> {
    for (const costs of (await this.deps.store.find('workCosts', {})).rows) {
      this.stored.set(costs.id, costs);
      this.learned.set(costs.id, costs);
    }
  }

  /** Answers the stored factors, which are those that a commit reads. */
  factors(deviceId: number): Factors {
    return factorsNow(this.stored.get(deviceId), this.machineOf(deviceId));
  }

  observe(deviceId: number, report: RunReport): void {
    const { livestreamId, runId, cpu_cores: measured } = report;
    const run = this.deps.rows.run(livestreamId);
    if (run?.runId !== runId || run.deviceId !== deviceId || run.status !== 2 || measured === undefined) return;
    const now = this.deps.clock.now();
    if (this.deps.countsOthers) this.taken.set(deviceId, this.others.observe(deviceId, report, now) ?? 0);
    const there = this.watched.get(deviceId) ?? new Map<number, Watched>();
    this.watched.set(deviceId, there);
    const previous = there.get(livestreamId);
    const watched = previous?.runId === runId ? previous : watchedOf(run);
    there.set(livestreamId, watched);
    if (now - watched.lookedAtMs < LOOK_EVERY_MS) return;
    watched.lookedAtMs = now;
    const isFirst = !watched.isMeasured && isTelling(report, measured > watched.cost);
    if (isTelling(report, measured > watched.cost)) {
      // The next start goes by the first figure, so that it is taken whole.
      watched.cost = isFirst && measured > watched.cost ? measured : settledCost(watched.cost, measured);
      watched.isMeasured = true;
      this.learn(deviceId, run, measured);
    }
    if (isFirst || now - (this.storedAtMs.get(deviceId) ?? -Infinity) >= STORE_EVERY_MS) void this.store(deviceId, now);
  }

  /** The factor that the Device's trial has found; undefined before there is one. */
  private machineOf(deviceId: number): number | undefined {
    return this.deps.rows.devices.get(deviceId)?.encoding_trial?.factor;
  }

  private learn(deviceId: number, run: Readonly<Run>, measured: number): void {
    const machine = this.machineOf(deviceId);
    const { machine: _machine, ...factors } = learn(
      run.work ?? [],
      factorsNow(this.learned.get(deviceId), machine),
      measured,
    );
    this.learned.set(deviceId, { factors, ...(machine !== undefined && { machine }) });
  }

  private async store(deviceId: number, now: number): Promise<void> {
    const { store, log } = this.deps;
    const learned = this.learned.get(deviceId) ?? { factors: {} };
    const costs = this.changedCosts(deviceId);
    const others = this.taken.get(deviceId) ?? 0;
    const isOther = others !== (this.deps.rows.devices.get(deviceId)?.other_load ?? 0);
    if (costs.size === 0 && !isOther && !isNotable(learned.factors, this.factors(deviceId))) return;
    this.storedAtMs.set(deviceId, now);
    try {
      await store.tx((tx) => write(tx, { id: deviceId, ...learned, updated_at: toIso(now) }, costs, others));
      this.stored.set(deviceId, learned);
    } catch (error) {
      log.warn({ err: error, deviceId }, 'What was learned of costs was not stored; it is tried again.');
    }
  }

  /** Answers changed costs by run id, and forgets runs that are over. */
  private changedCosts(deviceId: number): Map<string, number> {
    const changed = new Map<string, number>();
    const there = this.watched.get(deviceId);
    for (const [livestreamId, { runId, cost, isMeasured }] of there ?? []) {
      const run = this.deps.rows.run(livestreamId);
      if (run?.runId !== runId || run.status !== 2 || run.deviceId !== deviceId) there?.delete(livestreamId);
      else if (isFar(cost, run.cost) || (isMeasured && run.measured !== true)) changed.set(runId, cost);
    }
    return changed;
  }
}

/**
 * A figure shows the cost of the work only when the whole picture is on air. A figure above the expected cost counts at any speed; a lower
 * one only when all work is done in real time.
 */
function isTelling({ source, encodings, runtime }: RunReport, isDearer: boolean): boolean {
  const whole = source.state === 'up' && runtime.blackout === 'Live';
  return whole && (isDearer || encodings.every(({ speed }) => speed >= REAL_TIME_SPEED));
}

function watchedOf({ runId, cost, measured }: Readonly<Run>): Watched {
  return { runId, lookedAtMs: -Infinity, cost, isMeasured: measured === true };
}

function isFar(one: number, other: number): boolean {
  return Math.abs(one - other) > NOTABLE_SHARE * Math.max(one, other);
}

function isNotable(learned: Factors, stored: Factors): boolean {
  return Object.entries(learned).some(([kind, factor]) => isFar(factor, stored[kind] ?? 1));
}

function write(tx: Tx, row: WorkCosts, costs: ReadonlyMap<string, number>, others: number): void {
  const { id } = row;
  const device = tx.get('devices', id);
  if (device === undefined) return tx.delete('workCosts', id);
  const { other_load: former = 0, ...present } = device;
  // Each put makes a new version of the row, which a person may be editing.
  if (others !== former) tx.put('devices', { ...present, ...(others > 0 && { other_load: others }) });
  if (tx.get('workCosts', id) === undefined) tx.insert('workCosts', row);
  else tx.put('workCosts', row);
  for (const run of tx.find('runs', { where: { deviceId: id, status: 2 } }).rows) {
    const cost = costs.get(run.runId);
    if (cost !== undefined) tx.put('runs', { ...run, cost, measured: true });
  }
}
