/** Changes of a Live stream on air, from the check to the run's row. Nothing is locked while the encoder works. */
import type { AssetFiles, ConfirmedChange, Control } from '../../domain/ports/control.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { KeyedQueue } from '../../domain/base/keyed-queue.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { DeviceLink } from '../../domain/ports/device-link.ts';
import type { BoundAsset, Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { Ahead, LiveChange } from '../../domain/shapes/changes/live-change.ts';
import { ended } from '../../domain/base/sentence.ts';
import type { Store, Tx, View } from '../../domain/ports/store.ts';
import { queueKeysOf, planChange } from './change-plan.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import { assertOnAir, notOnAir, onAirOf, takeFirst, type OnAir } from './on-air.ts';
import type { Ingests } from '../ingest/ingests.ts';
import type { RecordingSync } from '../recordings/recording-sync.ts';
import type { PlaybackKeys } from '../start/run-spec.ts';
import { withInForce, type Plan, type Step } from './change-steps.ts';
import { statusView, type LostDevices } from '../status-view.ts';
import { placeName, placeOf } from '../locations.ts';

export interface ChangeDeps {
  store: Store;
  registry: DeviceRegistry;
  recordings: Pick<RecordingSync, 'openOf' | 'whenBegun' | 'whenEnded'>;
  ingests: Pick<Ingests, 'ingestById'>;
  presence: LostDevices;
  files: Pick<AssetFiles, 'path' | 'bring'>;
  playbackKey: PlaybackKeys | undefined;
  clock: Clock;
}

/** The order under which the run is on air while it is being changed. */
interface Changing {
  id: number;
  runId: string;
  link: DeviceLink;
  /** The same id comes with each retry of the call. */
  changeId: string | undefined;
}

interface Begun {
  onAir: OnAir;
  plan: Plan;
  changing: Changing;
}

export class LiveChanges implements Pick<Control, 'changeLive' | 'checkChange' | 'preview'> {
  private readonly deps: ChangeDeps;
  private readonly queue = new KeyedQueue<string>();

  constructor(deps: ChangeDeps) {
    this.deps = deps;
  }

  readonly checkChange: Control['checkChange'] = (view, livestreamId, change) =>
    planChange(this.onAir(view, livestreamId), change).notes;

  readonly changeLive: Control['changeLive'] = (livestreamId, change, commit, changeId, ahead) => {
    const task = (): ReturnType<typeof commit> => this.carryOut(livestreamId, change, commit, changeId, ahead);
    return this.queue.run(queueKeysOf(livestreamId, change), task).catch((error: unknown) => this.early(error, ahead));
  };

  readonly preview: Control['preview'] = async (livestreamId, width) => {
    const { runId, link } = await this.deps.store.tx((tx) => {
      const { run } = assertOnAir(tx, livestreamId);
      return { runId: run.runId, link: this.linkOf(tx, run) };
    });
    const runOnAir = { id: livestreamId, runId };
    return link.preview(runId, width).catch((error: unknown) => this.fail(runOnAir, error));
  };

  private async carryOut<T>(
    id: number,
    change: LiveChange,
    commit: (confirmed: ConfirmedChange) => Promise<T>,
    changeId: string | undefined,
    ahead: Ahead | undefined,
  ): Promise<T> {
    const { store } = this.deps;
    const begun = await store.tx((tx) => this.begin(tx, id, change, changeId));
    // Options are stored whatever happens to the run.
    if ('idle' in begun) return commit({ ...begun.idle, settle: () => undefined });
    const { onAir, plan, changing } = begun;
    const { done, missed, report } = await this.ask(
      { ...changing, by: change.by },
      plan,
      change.kind === 'options',
      ahead,
    );
    if (change.kind === 'record') await this.followRecording(changing, done);
    if (ahead !== undefined) await this.untilItsTime(ahead);
    const recordingId = this.deps.recordings.openOf(onAir.run);
    const status = statusView(onAir.livestream, onAir.run, {
      report: report ?? onAir.report,
      nowIso: this.now(),
      recordingId,
      ingests: this.deps.ingests,
      presence: this.deps.presence,
    });
    const notes = [...plan.notes, ...missed, ...(plan.tell?.(status) ?? [])];
    const settle = (tx: Tx): void => {
      const present = tx.get('runs', id);
      if (isOnAir(present, changing)) tx.put('runs', settled(present, done, onAir, plan));
      // Every change but that of options was meant for this run alone.
      else if (change.kind !== 'options') throw stopped(onAir.livestream, present);
    };
    try {
      return await commit({ status, notes, missed, settle });
    } catch (error) {
      // A disk that refused the commit refuses this too; what the run uses then stays marked as used.
      await this.release(changing, done).catch(() => undefined);
      throw error;
    }
  }

  /** Runs inside a transaction. `idle` means that no encoder could take the options. */
  private begin(
    tx: Tx,
    id: number,
    change: LiveChange,
    changeId: string | undefined,
  ): Begun | { idle: Omit<ConfirmedChange, 'settle'> } {
    try {
      return this.reserve(tx, id, change, changeId);
    } catch (error) {
      const livestream = tx.get('livestreams', id);
      const isIdle = error instanceof AppError && (error.code === 'wrong_state' || error.code === 'unavailable');
      if (change.kind !== 'options' || !isIdle || livestream === undefined) throw error;
      const { ingests, presence } = this.deps;
      const status = statusView(livestream, tx.get('runs', id), {
        report: undefined,
        nowIso: this.now(),
        recordingId: null,
        ingests,
        presence,
      });
      return { idle: { status, notes: [], missed: [error.message] } };
    }
  }

  /** Checks the change and marks what the run is about to use. */
  private reserve(tx: Tx, id: number, change: LiveChange, changeId: string | undefined): Begun {
    takeFirst(tx, id, this.now());
    const onAir = this.onAir(tx, id);
    const plan = planChange(onAir, change);
    const reservedRun = plan.steps.reduce<Run>((run, step) => step.reserved(run), { ...onAir.run });
    const changing = { id, runId: reservedRun.runId, link: this.linkOf(tx, onAir.run), changeId };
    if (JSON.stringify(reservedRun) !== JSON.stringify(onAir.run)) tx.put('runs', reservedRun);
    return { onAir, plan, changing };
  }

  /** Carries out one step after the other. With `lenient` a step that fails is reported and skipped; otherwise it ends the change. */
  private async ask(
    changing: Changing & Pick<LiveChange, 'by'>,
    { steps }: Plan,
    lenient: boolean,
    ahead: Ahead | undefined,
  ): Promise<{ done: Step[]; missed: string[]; report: RunReport | undefined }> {
    const { registry } = this.deps;
    const done: Step[] = [];
    const missed: string[] = [];
    let report: RunReport | undefined;
    for (const step of steps) {
      try {
        // What is on air already is on the Device: it must not be waited for here.
        if (changing.link.prepare === undefined) await this.bring(step.brought ?? []);
        const stepId = changing.changeId === undefined ? undefined : `${changing.changeId} ${namesOf(step)}`;
        report = await changing.link.change(
          changing.runId,
          { ...this.timed(step.change, ahead), by: changing.by },
          stepId,
        );
        // A run that has ended meanwhile is forgotten already.
        if (registry.report(changing.runId)?.livestreamId === report.livestreamId) registry.keepReport(report);
        done.push(step);
      } catch (error) {
        // Nobody knows whether a change without an answer is in force, so what it would use stays marked as used.
        const isKnown = !(error instanceof AppError && error.code === 'timeout') || step.change.type === 'paths';
        if (isKnown) await this.release(changing, [step]);
        if (!lenient) return this.fail(changing, error);
        missed.push(`${namesOf(step)}: ${(error as Error).message}`);
      }
    }
    return { done, missed, report };
  }

  /** Its row is there once this resolves. Rejects with AppError when nothing could be written; the order is taken back then. */
  private async followRecording(changing: Changing, done: readonly Step[]): Promise<void> {
    const { recordings, registry } = this.deps;
    for (const { change } of done) {
      if (change.type !== 'outputs') continue;
      for (const publishingId of change.remove) await recordings.whenEnded({ ...changing, publishingId });
      for (const { publishingId } of change.add) {
        if (await recordings.whenBegun({ ...changing, publishingId })) continue;
        const why = registry.report(changing.runId)?.take?.last_error ?? 'no media was written in time';
        await changing.link.change(changing.runId, { type: 'outputs', add: [], remove: [publishingId] });
        await this.release(changing, done);
        throw new AppError('upstream_failed', `The Recording could not begin: ${ended(why)}`);
      }
    }
  }

  private async bring(assets: readonly BoundAsset[]): Promise<void> {
    for (const { fileType, filename } of assets) await this.deps.files.bring?.(fileType, filename);
  }

  private timed(change: RunChange, ahead: Ahead | undefined): RunChange {
    if (change.type !== 'cue' || ahead === undefined) return change;
    return { ...change, cue: { ...change.cue, ahead: { atMs: ahead.atMs, inMs: this.leftMs(ahead) } } };
  }

  private leftMs({ atMs }: Ahead): number {
    return Math.max(0, atMs - this.deps.clock.now());
  }

  private untilItsTime(ahead: Ahead): Promise<void> {
    ahead.onScheduled();
    return new Promise((resolve) => this.deps.clock.after(this.leftMs(ahead), resolve));
  }

  /** A change that is refused before its time may succeed when its time comes, so this refusal is not the outcome yet. */
  private early(error: unknown, ahead: Ahead | undefined): never {
    const leftMs = ahead === undefined ? 0 : this.leftMs(ahead);
    if (!(error instanceof AppError) || leftMs === 0 || error.extras.retryAfterSeconds !== undefined) throw error;
    const retryAfterSeconds = Math.ceil(leftMs / 1000);
    throw new AppError(error.code, error.message, { ...error.extras, retryAfterSeconds, cause: error });
  }

  private async release({ id, runId }: Pick<Changing, 'id' | 'runId'>, steps: readonly Step[]): Promise<void> {
    await this.deps.store.tx((tx) => {
      const present = tx.get('runs', id);
      if (present?.runId !== runId) return;
      const released = steps.reduce<Run>((run, step) => step.refused(run), { ...present });
      if (JSON.stringify(released) !== JSON.stringify(present)) tx.put('runs', released);
    });
  }

  /** An error from a Device about a run that has ended meanwhile is replaced by the run's state. */
  private async fail({ id, runId }: Pick<Changing, 'id' | 'runId'>, error: unknown): Promise<never> {
    const { store } = this.deps;
    const { livestream, run } = await store.tx((tx) => ({
      livestream: tx.get('livestreams', id),
      run: tx.get('runs', id),
    }));
    if (livestream !== undefined && !isOnAir(run, { runId })) throw stopped(livestream, run);
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'wrong_state' || error.code === 'stale_owner') {
      // The run's runner is being started again, or its Device changes servers; the Live stream counts as on air.
      throw new AppError('unavailable', `${error.message} Try again in a moment.`, {
        ...(error.extras.upstream !== undefined && { upstream: error.extras.upstream }),
        retryAfterSeconds: 1,
        cause: error,
      });
    }
    if (error.code !== 'internal') throw error;
    const detail = 'The encoder failed to carry out the change; upstream has its words. Nothing has changed.';
    throw new AppError('upstream_failed', detail, { upstream: error.message, cause: error });
  }

  private onAir(view: View, id: number): OnAir {
    const { registry, files, playbackKey: keyOf } = this.deps;
    return onAirOf(view, this.now(), id, (runId) => registry.report(runId), { files, keyOf });
  }

  private linkOf(view: View, run: Readonly<Run>): DeviceLink {
    const device = this.deps.registry.deviceFor(run);
    if (device !== undefined) return device.link;
    const place = placeName(view, placeOf(run));
    throw new AppError('unavailable', `${place} is not connected; what is on air goes on as it is.`);
  }

  private now(): string {
    return toIso(this.deps.clock.now());
  }
}

function isOnAir(run: Readonly<Run> | undefined, { runId }: Pick<Changing, 'runId'>): run is Readonly<Run> {
  return run?.runId === runId && run.status === 2 && run.desired === 'on';
}

function stopped(livestream: OnAir['livestream'], run: Readonly<Run> | undefined): AppError {
  return notOnAir(livestream, run?.status ?? 0, run?.desired === 'off');
}

function settled(run: Readonly<Run>, steps: readonly Step[], { inForce }: OnAir, { remember }: Plan): Run {
  const changed = steps.reduce<Run>((before, step) => step.confirmed(before), { ...run });
  return remember === undefined ? changed : withInForce(changed, inForce, remember);
}

/** Names the options that a step was to bring on air. */
function namesOf({ change }: Step): string {
  if (change.type === 'picture') return 'logo' in change.picture ? 'logo' : 'overlay';
  return change.type === 'options' ? Object.keys(change.options).join(', ') : change.type;
}
