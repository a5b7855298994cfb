/** The encoder and its supervision: frames go in here, whichever process takes them at the moment. */
import { lightOf } from '../../../domain/shapes/encodings/light.ts';
import type { EventLog } from '../process/event-log.ts';
import type { Child } from '../process/child.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { Frame } from '../../media/frames/frame-pool.ts';
import { encoderArgs, FIRST_TRACK_FD } from '../../media/arguments/encoder-args.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { isLeftToSource, type MasteringData } from '../../media/light/mastering-data.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { ProgressReader, type Progress } from '../../media/ffmpeg-output/progress.ts';
import type { FragmentBus } from '../stream/fragment-bus.ts';
import { knownHardware, NO_HARDWARE } from '../../ffmpeg/hardware.ts';
import { EncoderChoice, type EncoderKind } from './encoder-choice.ts';
import { Replacement } from './replacement.ts';
import { Throughput } from './throughput.ts';
import { Unfinished } from './unfinished.ts';

/** The queue in front of the encoder covers its start (150 ms), and at 1080p30 is 30 MB. More is dropped. */
const QUEUE_SECONDS = 0.35;
/** Frames wait so long for an encoder that is behind; then they are dropped. Receivers have about a second in hand. */
const MAX_LATE_MS = 400;
/** An encoder that gets frames and gives nothing for so long is stalled; a frame takes it 5-30 ms. */
const STALL_MS = 2000;
/** The first frame may take longer: on a busy machine the start alone has taken 3 s. */
const FIRST_OUTPUT_MS = 8000;
/**
 * An encoder that complains at its start and gives nothing is ending, and may wait for more input before it does (ffmpeg joins its
 * readers).
 */
const REFUSED_MS = 700;
/** A crash that repeats is not cured by another start. */
const RESTARTS = { max: 5, withinMs: 60_000 };

export interface EncoderDeps {
  children: ChildProcesses;
  plan: LadderPlan;
  stream: EncodedStream;
  events: EventLog;
  deviceDir: string;
  onFailed(reason: string): void;
}

export class EncoderSupervisor {
  private readonly children: ChildProcesses;
  private readonly plan: LadderPlan;
  private readonly stream: EncodedStream;
  private readonly events: EventLog;
  private readonly onFailed: EncoderDeps['onFailed'];
  private readonly choice: EncoderChoice;
  private readonly maxQueued: number;
  private child: Child | undefined;
  private queued = 0;
  /** Instant of the first frame that was offered since the encoder last gave something. */
  private unansweredSince: number | undefined;
  private hasOutput = false;
  /** The present encoder has replaced another one, and what viewers have lost by that is not known yet. */
  private replacement: Replacement | undefined;
  private restarts: number[] = [];
  private stopping = false;
  private watchdog: NodeJS.Timeout | undefined;
  /** The source has said it when it came on air; it holds for the whole run. */
  private mastering: MasteringData | undefined;
  private throughput = new Throughput();
  private readonly unfinished: Unfinished;
  /** Frames that were lost with encoders that were replaced, since the last one that was well. */
  private lostFrames = 0;
  private droppedWhenWell = 0;
  progress: Progress | undefined;
  /** Frames that no encoder took. */
  dropped = 0;

  constructor({ children, plan, stream, events, deviceDir, onFailed }: EncoderDeps) {
    this.children = children;
    this.plan = plan;
    this.stream = stream;
    this.events = events;
    this.onFailed = onFailed;
    this.choice = new EncoderChoice(plan, knownHardware(deviceDir) ?? NO_HARDWARE, events);
    this.unfinished = new Unfinished(plan);
    this.maxQueued = Math.max(8, Math.ceil(fpsOf(plan.rate) * QUEUE_SECONDS));
  }

  /** Displays are told what the source says of its light: then the encoder waits for its first picture. */
  start(): void {
    this.unfinished.startAt(this.stream.nextSeconds);
    if (!this.plan.videos.some(({ settings }) => lightOf(settings) === 'pq' && isLeftToSource(settings.hdr)))
      this.spawn();
    this.watchdog = setInterval(() => this.watch(), 250);
  }

  /** The first frame is due; `mastering` is what its source says of its light. */
  begin(mastering: MasteringData | undefined): void {
    this.mastering = mastering;
    if (this.child === undefined && !this.stopping) this.spawn();
  }

  /** Time in the stream of the frame that is written next, in 90 kHz ticks; undefined before the first encoder. */
  get frontTicks(): number | undefined {
    return this.child === undefined ? undefined : this.unfinished.next * TICKS_PER_SECOND;
  }

  /**
   * Takes one frame with its audio. When the encoder is behind both are dropped, or they would drift apart. Returns whether they were
   * taken.
   */
  write(frame: Frame | undefined, audio: Buffer): boolean {
    this.unansweredSince ??= performance.now();
    const child = this.child;
    const takes = child !== undefined && this.takes;
    if (!takes) {
      this.dropped += 1;
      return false;
    }
    this.stream.captions.frame(this.frontTicks!);
    this.unfinished.add(frame, audio, this.stream.emitted);
    this.send(child, frame, audio);
    return true;
  }

  private get takes(): boolean {
    return this.child?.alive === true && this.queued < this.maxQueued;
  }

  /** Frames can wait for it: it is being replaced, or is behind by less than it can catch up. */
  isAwaited(lateMs: number): boolean {
    return !this.takes && !this.stopping && (!this.hasOutput || this.child?.alive !== true || lateMs < MAX_LATE_MS);
  }

  /** Answers what makes the video of a rendition now; undefined where it has none. */
  kindOf(encodingId: number): EncoderKind | undefined {
    return this.choice.of(encodingId);
  }

  /** It has taken nearly all its frames. */
  get isFree(): boolean {
    return this.takes && this.hasOutput && this.queued <= 2;
  }

  private send(child: Child, frame: Frame | undefined, audio: Buffer): void {
    this.unansweredSince ??= performance.now();
    this.queued += 1;
    const onWritten = (): void => {
      frame?.release();
      if (this.child === child) this.queued -= 1;
    };
    child.input(4).write(audio, frame === undefined ? onWritten : undefined);
    if (frame === undefined) return;
    frame.retain();
    child.input(3).write(frame.bytes, onWritten);
  }

  /** Ends the input, so that the last frames come out; bounded. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.watchdog);
    const child = this.child;
    this.reportReplacement();
    if (child === undefined) return;
    child.input(4).end();
    if (this.plan.hasVideo) child.input(3).end();
    await child.end(700);
    // Its last output is whole.
    this.stream.newWriter();
  }

  private spawn(): void {
    const { plan, args, usesHardware: usesDrivers } = this.choice;
    this.stream.newWriter();
    const tracks = this.stream.media.fragments?.trackPids.length ?? 0;
    const fds = FIRST_TRACK_FD + tracks;
    const { from, audioOffset, audio, skippedBytes, frames, lostFrames } = this.unfinished.resume(this.stream.emitted);
    const ordered = encoderArgs(plan, from, audioOffset, { mastering: this.mastering, hardware: args });
    const child = this.children.spawn('encoder', ordered, { fds, work: 'encode', usesDrivers });
    this.lostFrames += lostFrames;
    this.child = child;
    this.queued = 0;
    this.hasOutput = false;
    this.unansweredSince = undefined;
    this.throughput = new Throughput();
    this.read(child, () => {
      this.hasOutput = true;
      this.unansweredSince = undefined;
      if (this.replacement === undefined) this.droppedWhenWell = this.dropped;
      else this.replacement.answered(performance.now());
    });
    const progress = new ProgressReader((block) => {
      this.progress = { ...block, speed: this.throughput.progressed(block, performance.now()) };
    });
    child.output(5)?.on('data', (chunk: Buffer) => progress.push(chunk));
    if (audio.length > 0) child.input(4).write(audio);
    let skipped = skippedBytes;
    for (const pending of frames) {
      this.send(child, pending.frame, pending.audio.subarray(Math.min(skipped, pending.audio.length)));
      skipped = Math.max(0, skipped - pending.audio.length);
    }
    void child.ended.then(({ code, signal }) => this.onEnded(child, signal ?? `exit code ${code}`));
  }

  private read(child: Child, onMedia: () => void): void {
    const { packets, fragments } = this.stream.media;
    if (packets === undefined) return this.readTracks(child, fragments, onMedia);
    child.output(1)?.on('data', (chunk: Buffer) => {
      onMedia();
      packets.push(chunk);
    });
  }

  private readTracks(child: Child, fragments: FragmentBus, onMedia: () => void): void {
    child.output(1)?.resume();
    fragments.trackPids.forEach((pid, i) => {
      child.output(FIRST_TRACK_FD + i)?.on('data', (chunk: Buffer) => {
        if (this.child !== child) return;
        onMedia();
        try {
          fragments.push(pid, chunk);
        } catch {
          // No encoder of ours writes this: it is damaged, and SVT-AV1 does not end when its output breaks.
          child.kill('SIGKILL');
        }
      });
    });
  }

  private onEnded(child: Child, how: string): void {
    if (this.stopping) return;
    const now = performance.now();
    this.restarts = [...this.restarts.filter((at) => now - at < RESTARTS.withinMs), now];
    const lastStderr = child.lastStderr;
    const reason = `The encoder ended (${how})${lastStderr === undefined ? '' : `: ${lastStderr}`}`;
    if (this.restarts.length > RESTARTS.max) {
      this.onFailed(`${reason}. It was restarted ${RESTARTS.max} times within a minute.`);
      return;
    }
    this.choice.ended(this.hasOutput, reason, now);
    // A replacement that ended before it gave anything is reported as well.
    this.reportReplacement();
    this.replacement = new Replacement(reason, this.stream.lastDataAt);
    this.spawn();
  }

  private reportReplacement(): void {
    const { replacement, events, dropped } = this;
    if (replacement === undefined) return;
    this.replacement = undefined;
    const lostPictures = this.lostFrames + dropped - this.droppedWhenWell;
    const restarts = this.restarts.length;
    replacement.report(events, { hadMedia: this.stream.hasStarted, restarts, lostPictures });
    if (!this.hasOutput) return;
    this.lostFrames = 0;
    this.droppedWhenWell = dropped;
  }

  private watch(): void {
    const now = performance.now();
    if (this.replacement?.isOver(now, this.isFree) === true) this.reportReplacement();
    const silentMs = Math.round(now - (this.unansweredSince ?? now));
    if (this.unansweredSince === undefined || this.child?.alive !== true) return;
    if (!this.hasOutput && silentMs > REFUSED_MS && /\[(?:error|fatal)\]/u.test(this.child.recentStderr))
      return this.child.kill('SIGKILL');
    if (silentMs < (this.hasOutput ? STALL_MS : FIRST_OUTPUT_MS)) return;
    this.unansweredSince = undefined;
    const seconds = (silentMs / 1000).toFixed(1);
    this.events.add('encoder_stalled', 'error', `The encoder has given nothing for ${seconds} s; it is killed.`, {
      silentMs,
    });
    this.child.kill('SIGKILL');
  }
}
