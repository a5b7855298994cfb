/** One run from its first process to its last: it decides when the run is on air and when it has failed, and ends it in order. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/base/errors.ts';
import type { RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { isTake } from '../../domain/shapes/media/recording.ts';
import { ended } from '../../domain/base/sentence.ts';
import { recordingsDir } from '../run-dir.ts';
import { fpsOf } from '../media/ladder/frame-rate.ts';
import { planLadder, type LadderPlan } from '../media/ladder/ladder-plan.ts';
import { ChangeExecutor } from './change-executor.ts';
import { CueMarks, maxWindowSeconds } from './stream/cue-marks.ts';
import { Cues } from './stream/cues.ts';
import { Decoding } from './decoding.ts';
import type { DestinationPath } from './outputs/destination-path.ts';
import { EncoderSupervisor } from './encoder/encoder.ts';
import { EncodedStream } from './stream/encoded-stream.ts';
import { MachineUse } from './machine-use.ts';
import { Lag } from './encoder/lag.ts';
import { RateMeter } from './encoder/meter.ts';
import { createOutput, pathsOf, type Output } from './outputs/outputs.ts';
import { RunGate } from './run-gate.ts';
import { closeInterrupted } from './outputs/recordings/record-output.ts';
import { RecordingTotals } from './outputs/recordings/recording-totals.ts';
import { collectSeldom } from '../media/units/seldom-collected.ts';
import { missingEvidence, obstaclesOf } from './missing-evidence.ts';
import { tellOnAir } from './on-air.ts';
import { refusalOfRun } from './preflight.ts';
import { gapSince, type RunContext } from './run-context.ts';
import type { OutputMonitor } from './playout/output-monitor.ts';
import { buildReport } from './report.ts';
import { Source } from './playout/source.ts';
import { StreamClock } from './stream/stream-clock.ts';

/** About one frame of the source is read between two starts. Forty paths, more than a run can have, start within a second, spawns included. */
const BETWEEN_STARTS_MS = 12;

/** A source that is there is on air by then, so that viewers do not see the fallback before it. */
export const FALLBACK_AFTER_MS = 900;

export class Run {
  private readonly context: RunContext;
  readonly plan: LadderPlan;
  private readonly stream: EncodedStream;
  private readonly meter: RateMeter;
  private readonly encoder: EncoderSupervisor | undefined;
  /** Undefined where no picture is encoded. */
  private readonly lag: Lag | undefined;
  private readonly decoding = new Decoding();
  private readonly source: Source;
  readonly outputs: Output[];
  private readonly gate: RunGate;
  private readonly changes: ChangeExecutor;
  private readonly machine: MachineUse;
  private readonly totals = new RecordingTotals();
  private readonly startedAt: number;
  /** Viewers get the fallback until the source comes. What is copied has none. */
  private readonly startsWithout: boolean;
  private ticker: NodeJS.Timeout | undefined;
  private ticks = 0;
  private isOver = false;
  phase: RunReport['phase'] = 'starting';
  error: string | null = null;
  onAirAt: string | null;

  constructor(context: RunContext) {
    this.context = context;
    this.startedAt = context.startedAt;
    const { spec, children, lease, events, clock, deviceDir, files, sharers } = context;
    const onChange = (): void => this.evaluate();
    this.plan = planLadder(spec.renditions, spec.audio);
    if (this.plan.copy) collectSeldom();
    this.startsWithout = spec.startWithoutSource === 'fallback' && !this.plan.copy;
    const streamClock = new StreamClock(clock, join(files.dir, 'time-line.json'));
    const marks = new CueMarks(streamClock, join(files.dir, 'cues.json'), maxWindowSeconds(spec.outputs));
    const onStarted = (): void => void this.startOutputs();
    this.stream = new EncodedStream(this.plan, { clock: streamClock, marks, onStarted });
    this.meter = new RateMeter(this.plan, this.stream);
    const { stream, plan } = this;
    const shared = { spec, plan, children, stream, events, clock, onChange, runDir: files.dir, deviceDir };
    this.encoder = plan.copy
      ? undefined
      : new EncoderSupervisor({ ...shared, onFailed: (reason) => this.fail(reason) });
    const isEncoded = this.encoder !== undefined && this.plan.hasVideo;
    this.lag = isEncoded ? new Lag(fpsOf(this.plan.rate), events) : undefined;
    const cues = new Cues(spec, this.stream, events);
    this.source = new Source({
      ...shared,
      opened: context.opened,
      orderedAt: context.orderedAt,
      cues,
      encoder: this.encoder,
      meter: this.meter,
      onFailed: (reason) => this.fail(reason),
      // Once viewers have a source, it is asked again as long as it takes.
      onRefused: (why) =>
        this.phase === 'starting' &&
        spec.wasOnAir !== true &&
        !this.startsWithout &&
        this.fail(`Channel "${spec.source.name}" cannot be taken in: ${ended(why)}`),
    });
    const delivered = { ...shared, lease, totals: this.totals };
    this.outputs = spec.outputs.map((output) => createOutput(output, delivered));
    this.gate = new RunGate(spec, this.outputs, stream);
    lease.follow((isHeld) => this.gate.followLease(isHeld));
    this.machine = new MachineUse({ children, deviceDir, sharers }, this.outputs);
    this.changes = new ChangeExecutor({
      spec,
      specFile: files.spec,
      source: this.source,
      outputs: this.outputs,
      gate: this.gate,
      join: (output) => this.join(createOutput(output, delivered)),
      leave: (output) => this.leave(output),
      events,
      cues,
      hide: (changed) => context.hide(changed),
    });
    const started = events.earlier.find(({ kind }) => kind === 'started');
    // A predecessor of this process had it on air.
    if (started !== undefined) spec.wasOnAir = true;
    this.onAirAt = started?.at ?? null;
  }

  start(): void {
    const { spec, events, deviceDir } = this.context;
    const refusal = refusalOfRun(spec);
    if (refusal !== undefined) return this.fail(refusal);
    // The source starts first: what a live source sends before its ffmpeg listens is lost.
    const fallbackMs = Math.max(0, this.startedAt + FALLBACK_AFTER_MS - performance.now());
    this.source.start(spec.wasOnAir === true, this.startsWithout ? fallbackMs : undefined);
    // The time of the start may be over when its source was waited for before.
    if (this.isOver) return;
    this.encoder?.start();
    const interrupted = closeInterrupted(events.earlier, recordingsDir(deviceDir, spec.livestreamId), events);
    this.totals.closedBefore([...events.earlier, ...interrupted]);
    this.machine.start();
    // A caller waits for `on air`, so ten looks a second; each reads a few fields.
    this.ticker = setInterval(() => this.tick(), 100);
  }

  /**
   * Starts the outputs once there is encoded media, not before: each publisher's start takes 60 ms of a core, which would delay the first
   * frame. They start one after the other, because a spawn blocks this thread for 10-25 ms while frames come. The fan-out's cache gives each
   * the packets since the last keyframe.
   */
  private async startOutputs(): Promise<void> {
    const goesOn = this.plan.copy && this.context.spec.wasOnAir === true;
    for (const path of this.paths) {
      if (this.isOver) return;
      path.start();
      // A copy that goes on gets what came meanwhile at once: a path that begins later would miss what is before the newest keyframe.
      if (!goesOn) await delay(BETWEEN_STARTS_MS);
    }
  }

  private join(output: Output): void {
    this.outputs.push(output);
    this.machine.join(output);
    for (const path of pathsOf(output)) path.start();
  }

  private async leave(output: Output): Promise<void> {
    await Promise.all(pathsOf(output).map((path) => path.turn(false)));
    this.machine.leave(output);
    // A second order to leave, whose caller did not hear of the first, finds it gone.
    const at = this.outputs.indexOf(output);
    if (at >= 0) this.outputs.splice(at, 1);
  }

  /** Rejects with AppError; nothing has changed then. */
  async change(change: RunChange, changeId?: string): Promise<RunReport> {
    // What is in the way of a broadcast that was on air may be what is to be changed.
    if ((change.type !== 'gate' && this.context.spec.wasOnAir !== true) || this.isOver) this.assertOnAir();
    await this.changes.apply(change, changeId);
    this.evaluate();
    return this.report();
  }

  /** Looks at the picture and sound of viewers. Throws AppError while the run is not on air. */
  get monitor(): OutputMonitor {
    this.assertOnAir();
    return this.source.monitor;
  }

  private assertOnAir(): void {
    if (this.phase !== 'running' || this.isOver)
      throw new AppError(
        'wrong_state',
        `The encoder is ${this.isOver ? 'stopping' : this.phase}; it can be changed while it runs.`,
      );
  }

  report(): RunReport {
    const { machine, source, meter, outputs, totals } = this;
    const watched = source.sound.watchFacts;
    const conditions = [...(watched.conditions ?? []), ...(this.lag?.conditions ?? [])];
    const gate = this.gate.report(!this.needsSource);
    const facts = { ...machine.facts, ...source.monitor.facts, ...watched, conditions, recordings: totals.facts, gate };
    return buildReport({ spec: this.context.spec, run: this, source, meter, outputs, facts });
  }

  private get needsSource(): boolean {
    return !this.source.seen && this.context.spec.wasOnAir !== true && !this.startsWithout;
  }

  private get paths(): DestinationPath[] {
    return this.outputs.flatMap(pathsOf);
  }

  /** Ends the run in order; a second call changes nothing. */
  stop(): void {
    void this.finish('stopped', null);
  }

  fail(reason: string): void {
    void this.finish('failed', reason);
  }

  private tick(): void {
    this.ticks += 1;
    this.source.advance();
    this.judge();
    if (this.ticks % 10 !== 0) return;
    const dropped = (this.encoder?.dropped ?? 0) + this.source.dropped;
    this.meter.sample({
      framesIn: this.source.framesIn,
      source: this.source.format,
      ingestPid: this.source.pid,
      progress: this.encoder?.progress,
      dropped,
      encoderOf: (encodingId) => this.encoder?.kindOf(encodingId),
    });
    const { pictures } = this.meter;
    const nowMs = performance.now();
    const decoded = this.decoding.look(this.source.format, this.source.pid, nowMs);
    if (pictures > 0) this.lag?.look({ pictures, dropped, decoded, load: this.machine.load, nowMs });
    this.context.onChange();
  }

  private evaluate(): void {
    this.judge();
    if (!this.isOver) this.context.onChange();
  }

  /** The run comes on air, or fails, when it is time for it. */
  private judge(): void {
    if (this.isOver) return;
    // A recording that was begun on air neither puts a broadcast on air nor keeps it there.
    const paths = this.outputs.filter(({ spec }) => !isTake(spec)).flatMap(pathsOf);
    const enabled = paths.map(({ status }) => status).filter((status) => status.enabled);
    const failed = enabled.filter(({ state }) => state === 'failed');
    if (enabled.length > 0 && failed.length === enabled.length)
      return this.fail(`Every Destination has failed. ${failed.map(({ last_error }) => last_error).join(' ')}`);
    if (this.phase === 'starting') {
      const { needsSource, gate, context } = this;
      const { spec, lease } = context;
      const isReady = gate.report(!needsSource).ready;
      if (isReady && enabled.some(({ state }) => state === 'up')) return this.enterRunning();
      if (spec.wasOnAir === true || (isReady && (!gate.isOpen || !lease.isHeld))) return;
      if (enabled.length > 0 && paths.every((path) => !path.status.enabled || path.isRefused))
        return this.fail(`No Destination takes the stream. ${obstaclesOf(this.outputs)}`);
      if (performance.now() - this.startedAt > spec.startTimeoutSeconds * 1000)
        return this.fail(missingEvidence(spec, needsSource ? this.source : undefined, this.stream, this.outputs));
    }
  }

  private enterRunning(): void {
    const { context, startedAt } = this;
    this.phase = 'running';
    const firstFrameAt = this.stream.startedAt ?? startedAt;
    this.onAirAt = tellOnAir(context.events, this.onAirAt, { startedAt, firstFrameAt, gap: gapSince(context) });
    context.onChange();
  }

  /** Ends source, encoder and Destinations in the direction of the stream: each gives out what it holds before the next one ends. */
  private async finish(phase: 'stopped' | 'failed', error: string | null): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.ticker);
    this.context.lease.close();
    this.machine.stop();
    const { events, children } = this.context;
    const wasOnAir = this.phase === 'running' || this.context.spec.wasOnAir === true;
    await this.source.stop();
    await this.encoder?.stop();
    await Promise.all(this.paths.map((path) => path.stop()));
    await children.close();
    this.phase = phase;
    this.error = error;
    if (phase === 'stopped') events.add('stopped', 'info', 'The Live stream has stopped.');
    else events.add(wasOnAir ? 'stopped' : 'start_failed', 'error', error ?? '', { failed: true });
    this.context.onOver(this.report());
  }
}
