/** All runs of this Device. Each is supervised on its own, so that a slow one holds up no other. */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../domain/time/clock.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { SentPicture } from '../../../domain/shapes/broadcasts/live-picture.ts';
import { isTake, type RecordingKey } from '../../../domain/shapes/media/recording.ts';
import type { RunChange } from '../../../domain/shapes/changes/run-change.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { runFiles } from '../../run-dir.ts';
import type { Log } from '../../../domain/base/log.ts';
import { bootMs } from '../../process.ts';
import { sweepLive } from './live-sweep.ts';
import { grantRun, type Preview } from './ask-runner.ts';
import { KeptFigures } from './kept-figures.ts';
import { createRun, hasProcesses, listRuns, orderOff } from './run-record.ts';
import { SharedRunners } from './shared-runners.ts';
import { StandbyRunner } from './standby-runner.ts';
import { RunSupervisor, type SupervisorOptions } from './supervisor.ts';

export interface FleetWatcher {
  /** The report of the run, or its outputs, have changed; the watcher reads it from the supervisor. */
  onReport(run: RunSupervisor): void;
  onGone(runId: string): void;
  /** Resolves when all that was reported so far is on its way to the reader. */
  flush(): Promise<void>;
}

/** The end waits no longer than this for a reader that takes nothing. */
const FLUSH_MS = 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
/** Questions of the last seconds, of some servers that follow the agent. */
const MAX_ASKED = 100;

export class Fleet {
  private readonly deviceDir: string;
  private readonly log: Log;
  private readonly clock: Clock;
  private readonly withAudience: SupervisorOptions['withAudience'];
  private readonly standby: StandbyRunner;
  private readonly shared = new SharedRunners();
  private readonly runsById = new Map<string, RunSupervisor>();
  /** Starts whose files are being written: a second call waits for the first. */
  private readonly starting = new Map<string, { livestreamId: number; started: Promise<void> }>();
  private readonly watchers = new Set<FleetWatcher>();
  /** Runs of which nothing was left and that nobody has confirmed yet. */
  private held: readonly RunSpec[] = [];
  /** The last questions for leases, each for every server that listens. */
  private readonly questions: number[] = [];
  private sweeper: NodeJS.Timeout | undefined;
  readonly kept: KeptFigures;
  private closed = false;
  /** Called before a run begins. */
  onStart: () => void = () => undefined;

  /** `withAudience`: see SupervisorOptions. */
  constructor(deviceDir: string, clock: Clock, log: Log, withAudience?: SupervisorOptions['withAudience']) {
    this.deviceDir = deviceDir;
    this.clock = clock;
    this.log = log;
    this.withAudience = withAudience ?? ((_spec, report) => report);
    this.standby = new StandbyRunner(deviceDir, log);
    this.kept = new KeptFigures(deviceDir, log);
  }

  /**
   * Adopts, restarts or ends each run that is on the disk, by its order and its processes. With `isPaired` those of which no process is left,
   * as after a boot or the end of a container, wait for `resume`: another machine may have them by now.
   */
  async adopt(isPaired = false): Promise<void> {
    const specs = await listRuns(this.deviceDir);
    this.held = specs.filter(({ runId }) => isPaired && !hasProcesses(runFiles(this.deviceDir, runId)));
    for (const spec of specs) if (!this.held.includes(spec)) this.supervise(spec, undefined);
    this.sweeper = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
    this.sweep();
  }

  /** The runs that were held go on; with `ordered` those alone, and the others end before they begin. */
  resume(ordered?: readonly string[]): Promise<void> {
    return this.release(this.held, ordered);
  }

  private async release(specs: readonly RunSpec[], ordered: readonly string[] | undefined): Promise<void> {
    this.held = this.held.filter((spec) => !specs.includes(spec));
    for (const spec of specs) {
      const isOver = ordered?.includes(spec.runId) === false;
      // Where the disk refuses, the server ends the run: it has no order for it.
      if (isOver) await orderOff(runFiles(this.deviceDir, spec.runId)).catch(() => undefined);
      this.supervise(spec, undefined);
    }
  }

  has(runId: string): boolean {
    return this.runsById.has(runId);
  }

  /** Tells whether nothing of the run writes any more. */
  isOver(runId: string): boolean {
    if (this.held.some((spec) => spec.runId === runId)) return false;
    return !this.starting.has(runId) && (this.runsById.get(runId)?.hasEnded ?? true);
  }

  /** Tells whether nothing writes the Recording any more: a recording that was begun on air may end before its run. */
  isWritten(recording: RecordingKey): boolean {
    if (this.isOver(recording.runId)) return true;
    const outputs = this.runsById.get(recording.runId)?.spec.outputs;
    return isTake(recording) && outputs?.every(({ publishingId }) => publishingId !== recording.publishingId) === true;
  }

  /** Nothing runs, nor begins. */
  get isQuiet(): boolean {
    return this.held.length === 0 && this.starting.size === 0 && this.runs.every(({ hasEnded }) => hasEnded);
  }

  get runs(): RunSupervisor[] {
    return [...this.runsById.values()];
  }

  get reports(): RunReport[] {
    return this.runs.map((run) => run.report);
  }

  /**
   * Idempotent by run id. Resolves when order and spec are on the disk: from then on the run survives everything but its stop. Rejects with
   * AppError unavailable.
   */
  async start(spec: RunSpec): Promise<void> {
    if (this.closed) throw new AppError('unavailable', 'The Device agent is ending; try again in a moment.');
    const { runId, livestreamId } = spec;
    const starting = this.starting.get(runId);
    if (starting !== undefined) return starting.started;
    // The order says which of the runs of its Live stream counts, so that none of them is held any longer.
    await this.release(
      this.held.filter((other) => other.livestreamId === livestreamId),
      [runId],
    );
    if (this.runsById.has(runId)) return;
    this.onStart();
    const after = this.replaceOthers(livestreamId);
    const started = createRun(this.deviceDir, spec).then(() => this.supervise(spec, after));
    this.starting.set(runId, { livestreamId, started });
    try {
      await started;
    } catch (error) {
      throw new AppError('unavailable', 'The Device cannot write to its directory; see its log.', { cause: error });
    } finally {
      this.starting.delete(runId);
    }
  }

  /** The instant at which leases are asked for now, which is to be answered. */
  ask(): number {
    const askedMs = bootMs();
    this.questions.push(askedMs);
    if (this.questions.length > MAX_ASKED) this.questions.shift();
    return askedMs;
  }

  /** An answer to what this agent has not asked is none: the clock that it is counted by begins anew with each boot. */
  grant(askedMs: number, runIds: readonly unknown[]): void {
    if (!this.questions.includes(askedMs)) return;
    for (const { spec, files, hasEnded } of this.runs)
      if (runIds.includes(spec.runId) && spec.lease === true && !hasEnded)
        // A runner that is only beginning gets the next one, in a second.
        grantRun(files.socket, askedMs).catch(() => undefined);
  }

  change(runId: string, change: RunChange, changeId?: string): Promise<RunReport> {
    return this.living(runId).change(change, changeId);
  }

  preview(runId: string, width: number): Promise<Preview> {
    return this.living(runId).preview(width);
  }

  picture(runId: string, width: number): Promise<SentPicture> {
    return this.living(runId).picture(width);
  }

  async stop(runId: string): Promise<void> {
    // The caller of the start gets its error; here only its end matters.
    await this.starting.get(runId)?.started.catch(() => undefined);
    await this.runsById.get(runId)?.stop();
  }

  async stopAll(): Promise<void> {
    this.closed = true;
    // The callers of the starts get their errors; here only the end of all matters.
    await Promise.all([...this.starting.values()].map(({ started }) => started.catch(() => undefined)));
    const outcomes = await Promise.allSettled(this.runs.map((run) => run.stop()));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    // The control plane must learn that nothing is on air before the agent that can tell it ends.
    const flushed = Promise.all([...this.watchers].map((watcher) => watcher.flush()));
    await Promise.race([flushed, delay(FLUSH_MS, undefined, { ref: false })]);
    if (failure === undefined) return;
    this.closed = false;
    throw failure.reason;
  }

  /** Removes an ended run from the disk. Rejects with AppError wrong_state while the run has not ended. */
  async forget(runId: string): Promise<void> {
    const run = this.runsById.get(runId);
    if (run === undefined) return;
    if (!run.hasEnded) throw new AppError('wrong_state', `Run ${runId} has not ended. Stop it first.`);
    await run.settled;
    await rm(run.files.dir, { recursive: true, force: true });
    await rm(run.files.socket, { force: true });
    if (this.runsById.delete(runId)) for (const watcher of this.watchers) watcher.onGone(runId);
  }

  watch(watcher: FleetWatcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Ends the supervision; the runs stay on air. */
  leave(): void {
    this.closed = true;
    clearInterval(this.sweeper);
    for (const run of this.runs) run.leave();
    this.standby.setWanted(false);
  }

  /** Nobody waits for it: runners of the last agent are waiting, and a large folder takes seconds. */
  private sweep(): void {
    const now = this.clock.now();
    sweepLive(this.deviceDir, (id) => this.closed || this.isHeld(id), now).catch((error: unknown) =>
      this.log.warn({ err: error }, 'Old segments could not be removed; tried again within the hour.'),
    );
    this.kept.sweep(now);
  }

  private living(runId: string): RunSupervisor {
    const run = this.runsById.get(runId);
    if (run === undefined || run.hasEnded)
      throw new AppError('wrong_state', `Run ${runId} is not on air on this Device.`);
    return run;
  }

  private isHeld(livestreamId: number): boolean {
    return (
      this.held.some((spec) => spec.livestreamId === livestreamId) ||
      [...this.starting.values()].some((starting) => starting.livestreamId === livestreamId) ||
      this.runs.some((run) => run.spec.livestreamId === livestreamId && !run.hasEnded)
    );
  }

  /**
   * The newest order of a Live stream counts: older runs of it are ended, and the new one waits for that, since both would write the same
   * files. Undefined when there is no other run.
   */
  private replaceOthers(livestreamId: number): Promise<void> | undefined {
    const starting = [...this.starting]
      .filter(([, other]) => other.livestreamId === livestreamId)
      .map(([runId]) => runId);
    const living = this.runs
      .filter((run) => run.spec.livestreamId === livestreamId && !run.hasEnded)
      .map((run) => run.spec.runId);
    const runIds = [...starting, ...living];
    if (runIds.length === 0) return undefined;
    return this.endAll(runIds, livestreamId);
  }

  private async endAll(runIds: string[], livestreamId: number): Promise<void> {
    for (const runId of runIds) {
      this.log.warn({ runId, livestreamId }, 'Another run of the Live stream was ordered; this one is ended first.');
      // A run whose processes outlive the time of `stop` is killed on until none is left, and the new one waits for that.
      await this.stop(runId).catch(() => this.runsById.get(runId)?.settled);
    }
  }

  private supervise(spec: RunSpec, after: Promise<void> | undefined): void {
    const run = new RunSupervisor({
      deviceDir: this.deviceDir,
      files: runFiles(this.deviceDir, spec.runId),
      spec,
      standby: this.standby,
      shared: this.shared,
      clock: this.clock,
      log: this.log,
      withAudience: this.withAudience,
      onReport: (supervisor) => this.publish(supervisor),
      ...(after && { after }),
    });
    this.runsById.set(spec.runId, run);
    this.publish(run);
  }

  private publish(run: RunSupervisor): void {
    this.standby.setWanted(!this.closed && this.reports.some(({ phase }) => phase === 'running'));
    for (const watcher of this.watchers) watcher.onReport(run);
  }
}
