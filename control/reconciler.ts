/**
 * Brings the state of a run (status) to its order (desired). Every change of a run's status after its order passes here. The steps of one
 * Live stream run one after the other, and none waits for another Live stream. A stop goes to the Device without waiting for any step.
 */
import { toIso, type Clock } from '../domain/time/clock.ts';
import { AppError, withUpstream } from '../domain/base/errors.ts';
import { endAgain, pauseLeftMs, wasOnAir, withBeginning } from '../domain/rules/broadcasts/run-again.ts';
import { firstToReturn } from '../domain/rules/broadcasts/priority.ts';
import { isWaitingAt, wantedGate } from '../domain/rules/broadcasts/run-move.ts';
import type { Run, RunEvent, RunReport } from '../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../domain/shapes/broadcasts/run-spec.ts';
import type { Store } from '../domain/ports/store.ts';
import { storeFacts, type DeviceRegistry, type KnownDevice } from './device-registry.ts';
import type { StorageRows } from './devices/storage-rows.ts';
import { StrayRuns } from './devices/stray-runs.ts';
import { TrialAsks } from './devices/trial-asks.ts';
import { LivestreamSteps, type LivestreamStepsDeps } from './livestream-steps.ts';
import { orderAgain } from './orders.ts';
import { isKnown, isRunAt, placeOf, runsAt } from './locations.ts';
import { Moves } from './moves/moves.ts';
import { SecondStarts, type SecondStartsDeps } from './moves/second-starts.ts';
import type { Ingests } from './ingest/ingests.ts';
import type { RestoredStore } from './restored/restored-store.ts';
import type { RecordingSync } from './recordings/recording-sync.ts';
import type { RowCache } from './row-cache.ts';
import { endRun, mayMove, moveRun, noteEnds, eventEntry } from './run-moves.ts';
import { buildSpec, isWhole, makeWhole, type SpecDeps } from './start/prepared-spec.ts';
import { Refusals } from './start/refusals.ts';
import { missingIngest, runnerSeconds, startLeftMs, whyLate, withIngest } from './start/start-bound.ts';

export interface ReconcilerDeps extends SpecDeps, LivestreamStepsDeps, Pick<SecondStartsDeps, 'presence'> {
  store: Store;
  registry: DeviceRegistry;
  rows: Pick<RowCache, 'run'>;
  recordings: Pick<RecordingSync, 'whenFinished' | 'sync'>;
  restored: RestoredStore;
  ingests: Pick<Ingests, 'ingestById'>;
  disks: Pick<StorageRows, 'receive'>;
  clock: Clock;
}

/** A Device without ffmpeg is asked again, because ffmpeg may be installed while the control plane runs. */
const NEW_LOOK_MS = 10_000;
/** A Device tries its sandbox within half a second. */
const PROBING_MS = 1000;
/** Pause between two tries to reach a Device, whose agent is back within a second of a crash. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 5000;

export class Reconciler {
  private readonly deps: ReconcilerDeps;
  private readonly steps: LivestreamSteps;
  private readonly stopping = new Set<number>();
  private readonly strays: StrayRuns;
  readonly moves: Moves;
  private readonly trials = new TrialAsks((device) => this.syncLater(device, 0));
  private readonly refusals: Refusals;
  private readonly seconds: SecondStarts;
  private closed = false;

  constructor(deps: ReconcilerDeps) {
    this.deps = deps;
    this.steps = new LivestreamSteps(deps);
    this.strays = new StrayRuns(deps);
    this.moves = new Moves({ ...deps, strays: this.strays });
    this.refusals = new Refusals(deps);
    this.seconds = new SecondStarts({ ...deps, strays: this.strays, steps: this.steps });
  }

  close(): void {
    this.closed = true;
    this.steps.close();
    this.moves.close();
  }

  /** Compares all that a Device runs with all that is ordered, after a start of the control plane and when a Device is back. */
  async sync(device: KnownDevice): Promise<void> {
    const { store, log, restored, recordings } = this.deps;
    try {
      // Where it has lost a run, events are counted anew.
      await this.deps.commits.settle(device.id);
      const where = { ...runsAt(device.id), status: { in: [1, 2, 3] } };
      // This is read before the Device is asked, so that runs that begin meanwhile are not taken for lost.
      const begun = (await store.find('runs', { where })).rows.filter((run) => run.lastEventSeq > 0);
      const hello = await device.link.hello();
      device.mediaUrl = hello.mediaUrl;
      await storeFacts(store, device.id, hello);
      this.deps.disks.receive(device, hello.storage ?? []);
      if (await restored.believe(device, hello)) recordings.sync(device);
      device.isCompared = true;
      if (hello.capabilities.ffmpeg_version === null) this.syncLater(device, NEW_LOOK_MS);
      else if (hello.isProbing === true) this.syncLater(device, PROBING_MS);
      else if (hello.isTrying === true) this.trials.askLater(this.deps, device.id);
      const rows = await store.tx((tx) => firstToReturn(tx, tx.find('runs', { where }).rows));
      for (const report of hello.runs) {
        if (
          !rows.some((run) => run.runId === report.runId && run.status !== 3) &&
          !(await this.moves.keeps(device, report))
        )
          await this.strays.clear(device, report);
      }
      const reports = new Map(hello.runs.map((report) => [report.runId, report]));
      const runIds = new Set(reports.keys());
      await this.moves.compare(device, runIds);
      await noteEnds(this.deps, device.id, (runId) => !runIds.has(runId));
      const now = toIso(this.deps.clock.now());
      for (const run of rows) {
        if (run.desired === 'off') this.stop(run.id);
        else if (run.status === 3) {
          if (!runIds.has(run.runId)) await endRun(this.deps, { runId: run.runId, livestreamId: run.id }, device.id);
        } else if (!runIds.has(run.runId)) {
          if (begun.some(({ runId }) => runId === run.runId)) await store.tx((tx) => orderAgain(tx, now, run));
          this.start(run.id);
        } else if (run.status === 1) {
          // It may have said what became of it while nobody listened; one that was on air has all of its time once more.
          this.takeReport(device, reports.get(run.runId)!);
          this.boundStart(withBeginning(run, now));
        }
      }
      await restored.tell(device.link);
    } catch (error) {
      log.warn({ err: error, deviceId: device.id }, 'Device could not be compared with its orders');
      this.syncLater(device, RETRY_MS);
    }
  }

  private syncLater(device: KnownDevice, delayMs: number): void {
    this.deps.clock.after(delayMs, () => {
      if (!this.closed && device.online) void this.sync(device);
    });
  }

  /** Hands the order to the Device; called after the commit that stored it. */
  start(livestreamId: number): void {
    this.steps.add(livestreamId, () => this.carryOutStart(livestreamId));
  }

  stop(livestreamId: number): void {
    if (this.stopping.has(livestreamId)) return;
    this.stopping.add(livestreamId);
    // A stop does not wait behind the queue of reports: it must work at every moment.
    void this.carryOutStop(livestreamId).finally(() => this.stopping.delete(livestreamId));
  }

  receiveEvent({ id }: KnownDevice, event: RunEvent): void {
    this.steps.addEvent(event.livestreamId, id, eventEntry(id, event, this.deps.timezone));
  }

  receiveReport(device: KnownDevice, report: RunReport): void {
    const { registry, rows, store } = this.deps;
    const { livestreamId, runId } = report;
    const run = rows.run(livestreamId);
    if (isRunAt(run, runId, device.id)) {
      if (mayMove(run, report)) return this.takeReport(device, report);
      registry.keepReport(report, device.id);
      return this.moves.see(run, report);
    }
    this.strays.clearLater(device, report, async () => {
      // The cache may be behind.
      const isOrdered = isRunAt((await store.get('runs', livestreamId))?.row, runId, device.id);
      if (isOrdered) this.takeReport(device, report);
      return isOrdered || this.moves.keeps(device, report);
    });
  }

  private takeReport(device: KnownDevice, report: RunReport): void {
    this.deps.registry.keepReport(report, device.id);
    this.steps.add(report.livestreamId, async () => {
      const run = (await this.deps.store.get('runs', report.livestreamId))?.row;
      if (isWaitingAt(run, report.runId, device.id)) return;
      // The run was given up or has ended, so what still runs of it is on air without an order.
      if (run === undefined || !isRunAt(run, report.runId, device.id) || run.status === 3 || run.status === 0)
        return this.strays.clear(device, report);
      if (run.desired === 'off') return;
      this.moves.see(run, report);
      if (report.phase === 'running' && run.status === 1)
        await moveRun(this.deps, run, 2, null, { kind: 'started', message: 'On air: viewers can see frames.' });
      else if (report.phase === 'running' && run.again !== undefined)
        await this.deps.store.tx((tx) => endAgain(tx, run));
      if (report.phase === 'failed') await this.fail(run, report.error ?? 'The encoder ended without a reason.');
      if (report.phase === 'stopped') await this.fail(run, 'The encoder was stopped from outside.');
    });
  }

  /** `prepared` is the spec of a run with its content keys, whose media is on the Device. */
  private async carryOutStart(livestreamId: number, prepared?: RunSpec): Promise<void> {
    const { store, registry } = this.deps;
    const run = (await store.get('runs', livestreamId))?.row;
    if (run === undefined || run.desired !== 'on' || run.status === 0 || run.status === 3) return;
    this.boundStart(run);
    const device = registry.deviceFor(run);
    // With a Device that is away this goes on when it is back.
    if (device?.isOwn === false || (run.again !== undefined && device?.online !== true)) return;
    const pauseMs = pauseLeftMs(run, this.deps.clock.now());
    if (pauseMs > 0) return this.startLater(livestreamId, pauseMs);
    const livestream = (await store.get('livestreams', livestreamId))?.row;
    if (livestream === undefined) return;
    try {
      if (device === undefined) throw new AppError('unavailable', await this.refusals.whyNotThere(run));
      if (prepared?.runId === run.runId) return await this.handOver(run, device, prepared);
      const gate = run.epoch === undefined ? undefined : wantedGate(run);
      const built = await buildSpec(this.deps, livestream, run, gate);
      if (isWhole(built, this.deps, device.link)) return await this.handOver(run, device, built.spec);
      // This runs outside of the queue, because keys and media may take long and a stop must not wait for them.
      void makeWhole(built, this.deps, run, device.link).then(
        (ready) => this.steps.add(livestreamId, () => this.carryOutStart(livestreamId, ready)),
        (error: unknown) => this.steps.add(livestreamId, () => this.refused(run, error)),
      );
    } catch (error) {
      await this.refused(run, error, prepared);
    }
  }

  private async handOver(run: Run, { link }: KnownDevice, spec: RunSpec): Promise<void> {
    const { startTimeoutSeconds: maxSeconds } = spec;
    const startTimeoutSeconds = runnerSeconds(run, this.deps.clock.now(), maxSeconds);
    const start: RunSpec = { ...spec, startTimeoutSeconds, ...(wasOnAir(run) && { wasOnAir: true }) };
    await Promise.all([link.start(start), this.deps.restored.tell(link)]);
    this.refusals.forget(run.id);
  }

  /** A Device that is offline is asked again until the bound of the start. */
  private async refused(run: Run, error: unknown, prepared?: RunSpec): Promise<void> {
    if (error instanceof AppError) {
      const reason = withUpstream(error);
      // Another server that has taken the Device over carries the order out.
      const isElsewhere = error.code === 'stale_owner';
      if (error.code !== 'unavailable' && error.code !== 'timeout' && !isElsewhere) return this.fail(run, reason);
      this.refusals.note(run, reason);
    }
    this.startLater(run.id, RETRY_MS, prepared);
  }

  private startLater(id: number, pauseMs: number, prepared?: RunSpec): void {
    this.deps.clock.after(pauseMs, () => this.steps.add(id, () => this.carryOutStart(id, prepared)));
  }

  private boundStart(run: Run): void {
    const { clock, store, registry } = this.deps;
    clock.after(startLeftMs(run, clock.now()), () =>
      this.steps.add(run.id, async () => {
        const now = (await store.get('runs', run.id))?.row;
        const device = registry.deviceFor(run);
        // Another server, which is there, orders what it does.
        if (device?.isOwn === false && device.online) return;
        if (now?.runId !== run.runId || now.status !== 1 || now.desired !== 'on') return;
        const report = registry.report(run.runId);
        await this.fail(now, await whyLate(store, now, report, await this.refusals.of(now)));
      }),
    );
  }

  /** Repeats until the Device has ended the run, so a stop always finishes. */
  private async carryOutStop(livestreamId: number): Promise<void> {
    const { store, registry, log, restored } = this.deps;
    for (let pauseMs = RETRY_MS; !this.closed; pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS)) {
      const run = (await store.get('runs', livestreamId))?.row;
      if (run === undefined || run.desired !== 'off' || run.status === 0) return;
      const device = registry.deviceFor(run);
      if (device?.isOwn === false || (await restored.holdsStop(run))) return;
      const stopped = (message: string): Promise<void> =>
        moveRun(this.deps, run, 0, null, { kind: 'stopped', message: `Stopped: ${message}` });
      try {
        if (device === undefined) {
          if (await isKnown(store, placeOf(run)))
            throw new AppError('unavailable', await this.refusals.whyNotThere(run));
          return await stopped('where it ran has been deleted.');
        }
        await Promise.all([device.link.stop(run.runId), restored.tell(device.link)]);
        // The last events of the run are stored before its end.
        await this.steps.drained(livestreamId);
        await this.deps.recordings.whenFinished(run.runId);
        await stopped('all processes have ended.');
        await this.strays.forget(device, run.runId);
        return;
      } catch (error) {
        log.warn({ err: error, livestreamId }, 'stop is being repeated');
        await new Promise<void>((resolve) => void this.deps.clock.after(pauseMs, resolve));
      }
    }
  }

  private async fail(run: Run, cause: string): Promise<void> {
    if (await this.moves.replaces(run, cause)) return;
    const { store, registry } = this.deps;
    this.refusals.forget(run.id);
    const reason = run.status === 1 ? withIngest(cause, missingIngest(this.deps, run)) : cause;
    if (run.again !== undefined && (await isKnown(store, placeOf(run)))) return this.seconds.failed(run, reason);
    if (run.status === 1)
      await moveRun(this.deps, run, 3, reason, { kind: 'start_failed', message: `The start failed: ${reason}` });
    else await moveRun(this.deps, run, 3, reason, { kind: 'stopped', message: `Off air: ${reason}` });
    const { runId, id: livestreamId } = run;
    const device = registry.deviceFor(run);
    if (device?.isOwn === false) return;
    if (device !== undefined) await this.strays.end(device, { runId, livestreamId });
    else if (!(await isKnown(store, placeOf(run)))) await endRun(this.deps, { runId, livestreamId });
  }
}
