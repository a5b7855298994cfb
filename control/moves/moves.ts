/**
 * Carries out the moves of runs on air. Each step follows from the run's row and from what both Devices report, so any server may go on where
 * another has ended; the owner of a Device alone orders what it does. The row gives the gate to one run at a time: the other is opened once the
 * Device of the first has answered that its gate is shut.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { AppError, withUpstream } from '../../domain/base/errors.ts';
import { KeyedQueue } from '../../domain/base/keyed-queue.ts';
import type { Log } from '../../domain/base/log.ts';
import {
  callOffMove,
  deviceName,
  enterStage,
  exchange,
  isWaitingAt,
  settleMove,
  shutGate,
  waitingRun,
  wantedGate,
} from '../../domain/rules/broadcasts/run-move.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import type { DeviceRegistry, KnownDevice } from '../device-registry.ts';
import type { StrayRuns } from '../devices/stray-runs.ts';
import type { RowCache } from '../row-cache.ts';
import { buildSpec, makeWhole, type SpecDeps } from '../start/prepared-spec.ts';
import { endOf, hasBackups, setWaitingGate, STAGE_MS, STOPPED, whyLate, type Moving } from './stages.ts';

export interface MovesDeps extends SpecDeps {
  store: Store;
  registry: DeviceRegistry;
  rows: Pick<RowCache, 'run'>;
  strays: Pick<StrayRuns, 'end'>;
  clock: Clock;
  log: Log;
}

const RETRY_MS = 300;

export class Moves {
  private readonly deps: MovesDeps;
  /** Steps about one run on air are taken one after the other; those of the run that takes its place wait for none of them. */
  private readonly queue = new KeyedQueue<string>();
  /** The last report of each run that waits. */
  private readonly reports = new Map<string, RunReport>();
  /** Runs whose start was handed to their Device, or is on the way. */
  private readonly begun = new Set<string>();
  /** Stages that have a timer. */
  private readonly bounded = new Set<string>();
  private closed = false;

  constructor(deps: MovesDeps) {
    this.deps = deps;
  }

  close(): void {
    this.closed = true;
  }

  /** After a start of this server: the bound of each stage goes on. */
  async resume(): Promise<void> {
    const { rows } = await this.deps.store.find('runs', { where: { status: 2 } });
    for (const { id, move } of rows) if (move != null) this.look(id);
  }

  /** Called after each stored change of a run. */
  follow(before: Readonly<Run> | undefined, run: Readonly<Run> | undefined): void {
    const { registry } = this.deps;
    const former =
      before !== undefined && before.runId === run?.move?.runId ? registry.report(before.runId) : undefined;
    if (former !== undefined) this.reports.set(former.runId, former);
    if (run?.deviceId != null) {
      const report = this.reports.get(run.runId);
      if (report !== undefined) registry.keepReport(report, run.deviceId);
      this.reports.delete(run.runId);
    }
    if (before?.move != null) {
      const present = { runId: before.runId, deviceId: before.deviceId };
      const left = [present, { runId: before.move.runId, deviceId: before.otherDeviceId ?? null }];
      for (const { runId, deviceId } of left)
        if (run?.runId !== runId && run?.move?.runId !== runId) this.end(before.id, runId, deviceId);
    }
    if (run !== undefined && (run.move != null || before?.move != null)) this.look(run.id);
  }

  /** A report of the run on air has been kept. */
  see(run: Readonly<Run>, { gate }: RunReport): void {
    if (gate === undefined || run.epoch === undefined) return;
    const { primary, backup } = wantedGate(run);
    if (run.move != null || gate.primary !== primary || gate.backup !== backup) this.look(run.id);
  }

  /** Whether the Device has the run as one that waits; its report is kept then. */
  async keeps(device: KnownDevice, report: RunReport): Promise<boolean> {
    const { livestreamId: id, runId } = report;
    const run = (await this.deps.store.get('runs', id))?.row;
    if (!isWaitingAt(run, runId, device.id)) return false;
    this.reports.set(runId, report);
    this.begun.add(runId);
    this.look(id);
    return true;
  }

  /** After a Device is back: what it was to begin and does not have is begun again. */
  async compare(device: KnownDevice, runIds: ReadonlySet<string>): Promise<void> {
    const { rows } = await this.deps.store.find('runs', { where: { otherDeviceId: device.id } });
    for (const { id, move } of rows) {
      if (move == null || runIds.has(move.runId)) continue;
      this.reports.delete(move.runId);
      this.begun.delete(move.runId);
      this.look(id);
    }
    const { rows: present } = await this.deps.store.find('runs', { where: { deviceId: device.id, status: 2 } });
    for (const { id, epoch } of present) if (epoch !== undefined) this.look(id);
  }

  /** The run on air has failed. Resolves with whether the one that waits takes its place. */
  async replaces(run: Readonly<Run>, why: string): Promise<boolean> {
    const { move } = run;
    if (move == null || run.status !== 2) return false;
    if (move.stage === 'arming' && this.reports.get(move.runId)?.gate?.ready !== true) return false;
    if (move.stage === 'reclaiming') return false;
    return this.commit(run as Moving, (tx, present, now) => exchange(tx, present, now, why));
  }

  private look(id: number): void {
    if (this.closed) return;
    this.queue
      .run([`${id} ${this.deps.rows.run(id)?.runId}`], async () => {
        if (!this.closed) await this.step(id);
      })
      .catch((error: unknown) => {
        this.deps.log.warn({ err: error, livestreamId: id }, 'a step of a move is being repeated');
        this.lookLater(id);
      });
  }

  private lookLater(id: number): void {
    this.deps.clock.after(RETRY_MS, () => this.look(id));
  }

  private async step(id: number): Promise<void> {
    const { store, registry } = this.deps;
    const run = (await store.get('runs', id))?.row;
    if (run === undefined || run.status !== 2 || run.desired !== 'on' || run.epoch === undefined) return;
    if (run.move != null) this.bound(run as Moving);
    const present = registry.deviceFor(run);
    const report = present?.isOwn === true && present.online ? await this.setGate(run, present) : undefined;
    if (run.move == null) return;
    const moving = run as Moving;
    const { stage, lent, idle } = moving.move;
    if (stage === 'arming') return this.arm(moving);
    if (stage === 'lent' || stage === 'reclaiming') return this.lend(moving);
    if (report?.gate === undefined) return;
    const { through, primaries } = report.gate;
    if (stage === 'lending') await this.commit(moving, (tx, now, at) => enterStage(tx, now, at, { stage: 'lent' }));
    else if (stage !== 'proving') await this.commit(moving, (tx, now, at) => exchange(tx, now, at));
    else if ((lent === undefined ? through : primaries) === true || idle === true)
      await this.commit(moving, (tx, now, at) => settleMove(tx, now, at));
  }

  /** The run that waits gets the backup paths, or gives them back; the primary paths follow once it delivers. */
  private async lend(run: Moving): Promise<void> {
    const { runId, stage, why } = run.move;
    const other = this.deps.registry.get(run.otherDeviceId ?? 0);
    if (other?.isOwn !== true || !other.online) return;
    const known = this.reports.get(runId);
    const ended = endOf(known);
    if (ended !== undefined) return void (await this.callOff(run, why ?? ended));
    const report = await setWaitingGate(run, other.link, known);
    // A Device that was booted has it no more, so nothing delivers there.
    if (report === undefined) return void (await this.callOff(run, why ?? STOPPED));
    this.reports.set(runId, report);
    if (stage === 'reclaiming') await this.callOff(run, why ?? STOPPED);
    else if (hasBackups(run, report))
      await this.commit(run, (tx, now, at) => shutGate(tx, now, { stage: 'switching', idle: false, now: at }));
  }

  /** Resolves with the report of the run on air once its gate is as the row has it; undefined while there is none. */
  private async setGate(run: Readonly<Run>, { id, link }: KnownDevice): Promise<RunReport | undefined> {
    const { registry } = this.deps;
    const known = registry.report(run.runId);
    if (known?.gate === undefined) return undefined;
    const gate = wantedGate(run);
    const isSet = known.gate.primary === gate.primary && known.gate.backup === gate.backup;
    // A gate that is shut, or half of it, counts once it has answered this order: one that was shut before may have been opened since.
    if (isSet && ((gate.primary && gate.backup) || known.gate.epoch === gate.epoch)) return known;
    const report = await link.change(run.runId, { type: 'gate', gate });
    registry.keepReport(report, id);
    return report;
  }

  private async arm(run: Moving): Promise<void> {
    const { registry } = this.deps;
    const { runId } = run.move;
    const other = registry.get(run.otherDeviceId ?? 0);
    if (other?.isOwn !== true) return;
    const report = this.reports.get(runId);
    const ended = endOf(report);
    if (ended !== undefined) return void (await this.callOff(run, ended));
    if (report?.gate?.ready === true) {
      const { through, primaries, backups: lent = 'none' } = registry.report(run.runId)?.gate ?? {};
      const mayLend = lent !== 'none' && primaries === true && report.gate.backups !== undefined;
      return void (await this.commit(run, (tx, now, at) =>
        mayLend
          ? enterStage(tx, now, at, { stage: 'lending', lent })
          : shutGate(tx, now, { stage: 'switching', idle: through === false, now: at }),
      ));
    }
    if (report !== undefined || this.begun.has(runId)) return;
    this.begun.add(runId);
    // Nothing waits for it: keys and media may take long.
    void this.begin(run, other).catch((error: unknown) => this.refused(run, error));
  }

  private async begin(run: Moving, { link }: KnownDevice): Promise<void> {
    const { store } = this.deps;
    const waiting = waitingRun(run);
    const livestream = (await store.get('livestreams', run.id))?.row;
    if (waiting === undefined || livestream === undefined) return;
    const gate = { primary: false, backup: false, epoch: run.epoch ?? 0 };
    const built = await buildSpec(this.deps, livestream, waiting, gate);
    const spec = await makeWhole(built, this.deps, waiting, link);
    const present = (await store.get('runs', run.id))?.row;
    if (present?.move?.runId === run.move.runId) await link.start(spec);
  }

  private async refused(run: Moving, error: unknown): Promise<void> {
    const isAway = error instanceof AppError && ['unavailable', 'timeout', 'stale_owner'].includes(error.code);
    if (!isAway) {
      const why = error instanceof AppError ? withUpstream(error) : (error as Error).message;
      await this.callOff(run, why).catch(() => false);
    }
    this.begun.delete(run.move.runId);
    this.lookLater(run.id);
  }

  private bound(run: Moving): void {
    const { clock } = this.deps;
    const { id, stage, since } = run.move;
    const key = `${id} ${stage}`;
    const ms = STAGE_MS[stage];
    if (ms === undefined || this.bounded.has(key)) return;
    this.bounded.add(key);
    clock.after(Math.max(0, Date.parse(since) + ms - clock.now()), () => {
      this.bounded.delete(key);
      if (!this.closed) void this.expire(run).catch(() => this.lookLater(run.id));
    });
  }

  private async expire(run: Moving): Promise<void> {
    const { stage } = run.move;
    if (stage === 'proving')
      return void (await this.commit(run, (tx, now, at) =>
        shutGate(tx, now, { stage: 'returning', idle: false, now: at }),
      ));
    // It does not answer: whoever waits beside it would have to deliver beside it.
    if (stage === 'returning') return void (await this.commit(run, (tx, now, at) => settleMove(tx, now, at, false)));
    const [here, there] = await this.deps.store.tx((tx) => [
      deviceName(tx, run.deviceId),
      deviceName(tx, run.otherDeviceId ?? null),
    ]);
    const why = whyLate(stage, here, there);
    // What the other run may deliver is taken from it first.
    if (run.move.lent === undefined || stage === 'lending') await this.callOff(run, why);
    else await this.commit(run, (tx, now, at) => enterStage(tx, now, at, { stage: 'reclaiming', why }));
  }

  private callOff(run: Moving, why: string): Promise<boolean> {
    return this.commit(run, (tx, present, now) => callOffMove(tx, present, now, why));
  }

  /** Changes nothing where another server, or a person, was faster. Resolves with whether the move is no longer where `run` has it. */
  private commit(run: Moving, change: (tx: Tx, present: Readonly<Run>, now: string) => void): Promise<boolean> {
    const { store, clock } = this.deps;
    return store.tx((tx) => {
      const present = tx.get('runs', run.id);
      const isAsBefore =
        present?.runId === run.runId &&
        present.status === 2 &&
        present.desired === 'on' &&
        present.move?.id === run.move.id &&
        present.move.stage === run.move.stage;
      if (isAsBefore) change(tx, present, toIso(clock.now()));
      return isAsBefore || present?.runId !== run.runId;
    });
  }

  /** Nothing delivers twice: what is over for the row is ended at once, and after a restart as a run without an order. */
  private end(livestreamId: number, runId: string, deviceId: number | null): void {
    const device = deviceId === null ? undefined : this.deps.registry.get(deviceId);
    this.reports.delete(runId);
    this.begun.delete(runId);
    if (device?.isOwn === true && device.online) void this.deps.strays.end(device, { runId, livestreamId });
  }
}
