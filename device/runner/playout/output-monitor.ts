/** Watches what goes to the encoder, for people: the last frame as a still, peaks of the sound, and what is wrong with both. */
import type { Clock } from '../../../domain/time/clock.ts';
import { AppError, invalidInput } from '../../../domain/base/errors.ts';
import { PICTURE_WIDTHS, type LivePicture, type Peaks } from '../../../domain/shapes/broadcasts/live-picture.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { KEPT_WIDTH, type PictureToKeep } from '../../../domain/shapes/reports/kept-pictures.ts';
import type { Frame } from '../../media/frames/frame-pool.ts';
import { PeakMeter } from '../../media/frames/peak-meter.ts';
import type { Size } from '../../media/frames/placement.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import { SpareTurns } from '../process/spare-turns.ts';
import { copiedKeyframe, jpegWidth } from './copied-keyframe.ts';
import { Preview, PREVIEW_WIDTHS } from './preview.ts';
import { Stills } from './stills.ts';

export interface MonitorDeps {
  children: ChildProcesses;
  plan: LadderPlan;
  stream: EncodedStream;
  clock: Pick<Clock, 'now'>;
}

/** A still that is larger would keep this thread, which has the frame clock, for more than 5 ms; another process makes it. */
const MAX_PAINTED_WIDTH = 640;
/** Quality up to 100. A picture is one of many, and is replaced within seconds: 320×180 have 5-8 kB. */
const QUALITY = { picture: 70, preview: 92 };
/** No more than ten pictures a second are made of a size. */
const SHARE_MS = 80;
/** A keyframe is decoded by an ffmpeg, for 80 to 300 ms of a core. */
const SHARE_KEYFRAME_MS = 900;
/** An older picture says nothing of now. */
const SHOWN_AGAIN_MS = 15_000;
/** Those of all runs of this process. */
const DECODING = new SpareTurns();

export class OutputMonitor {
  private readonly deps: MonitorDeps;
  private readonly previews: Preview;
  private readonly stills: Stills<LivePicture>;
  private readonly meter: PeakMeter | undefined;
  private last: Frame | undefined;
  /** Undefined before the first frame. */
  private takenAt: number | undefined;
  /** Flags of what was ordered or put in place of the source. */
  private ordered = 0;
  /** Flags of what was found in the source. */
  detected = 0;
  private isStopped = false;
  /** The last keyframe that a picture was made of, by width. */
  private readonly keyframes = new Map<number, { bytes: Buffer; picture: LivePicture }>();

  constructor(deps: MonitorDeps) {
    const { plan } = deps;
    this.deps = deps;
    this.previews = new Preview(deps);
    this.stills = new Stills(plan);
    const heard = plan.forms.filter(({ track }) => track.isDefault).sort((a, b) => b.channels - a.channels)[0];
    this.meter =
      heard !== undefined && !plan.copy ? new PeakMeter(plan.sentBytes / 2, heard.offset, heard.channels) : undefined;
  }

  /** Takes a frame as it goes to the encoder, with its audio; `ordered` has those bits of SIGNAL_FLAGS that no look at the frame finds. */
  take(frame: Frame | undefined, audio: Buffer, ordered: number): void {
    if (this.isStopped) return;
    this.takenAt = this.deps.clock.now();
    this.ordered = ordered;
    this.meter?.add(audio);
    if (frame === this.last) return;
    frame?.retain();
    this.last?.release();
    this.last = frame;
  }

  /** It is called ten times a second. */
  advance(): void {
    if (this.takenAt === undefined) return;
    this.meter?.advance();
  }

  stop(): void {
    this.isStopped = true;
    this.last?.release();
    this.last = undefined;
  }

  /** Copied video and sound are not decoded: nothing is known of them. */
  get facts(): Pick<RunReport, 'peaks' | 'flags'> {
    if (this.deps.plan.copy) return { flags: 0 };
    if (this.takenAt === undefined) return {};
    const { peaks } = this;
    return { flags: this.flags, ...(peaks !== undefined && { peaks }) };
  }

  /** Rejects as Preview.jpeg does. */
  preview(width: number): Promise<Buffer> {
    const { plan } = this.deps;
    const { last } = this;
    const render = (): Promise<Buffer> => this.previews.jpeg(width, () => this.last);
    const isPainted = Number.isInteger(width) && width >= PREVIEW_WIDTHS.min && width <= MAX_PAINTED_WIDTH;
    if (!isPainted || last === undefined) return render();
    const size = scaled(plan, Math.min(1, width / plan.width));
    return this.paint(`preview ${width}`, last, size, QUALITY.preview).then(({ jpeg }) => jpeg, render);
  }

  /** Rejects with AppError invalid_input, rule_violated, unavailable, unsupported_by_device, timeout. */
  async picture(width: number): Promise<LivePicture> {
    const { plan } = this.deps;
    if (!PICTURE_WIDTHS.some((known) => known === width)) {
      const message = `must be ${PICTURE_WIDTHS.join(' or ')}`;
      throw invalidInput([{ field: 'width', code: 'out_of_range', message }]);
    }
    if (!plan.hasVideo) throw new AppError('rule_violated', 'This run has sound only; there is no picture to see.');
    const key = `picture ${width}`;
    if (plan.copy) return this.ofKeyframe(key, width);
    const { last } = this;
    if (last === undefined) throw new AppError('unavailable', 'No picture has gone out yet; try again in a second.');
    const size = scaled(plan, Math.min(1, width / plan.width, width / plan.height));
    return this.paint(key, last, size, QUALITY.picture);
  }

  /** Costs no more than what is there already: of a copy its coded keyframe. Rejects as `picture` does. */
  async kept(): Promise<PictureToKeep> {
    const { plan, stream, clock } = this.deps;
    if (plan.copy) return { bytes: await copiedKeyframe(plan, stream), takenAt: clock.now() };
    const { jpeg, takenAt } = await this.picture(KEPT_WIDTH);
    return { bytes: jpeg, takenAt };
  }

  private get peaks(): Peaks | undefined {
    return this.meter?.peaks;
  }

  private get flags(): number {
    return this.ordered | this.detected;
  }

  private paint(key: string, frame: Frame, size: Size, quality: number): Promise<LivePicture> {
    return this.stills.share(key, SHARE_MS, async () => {
      const facts = { takenAt: this.takenAt ?? 0, width: size.width, peaks: this.peaks, flags: this.flags };
      return { jpeg: await this.stills.paint(key, frame, size, quality), ...facts };
    });
  }

  /** Who would have to wait for others gets the last one. */
  private async ofKeyframe(key: string, width: number): Promise<LivePicture> {
    const { picture: last } = this.keyframes.get(width) ?? {};
    const isRecent = last !== undefined && this.deps.clock.now() - last.takenAt < SHOWN_AGAIN_MS;
    const waits = !DECODING.areFree;
    const next = this.stills.share(key, SHARE_KEYFRAME_MS, () => DECODING.take(() => this.fromKeyframe(width)));
    if (!isRecent || !waits) return next;
    next.catch(() => undefined);
    return last;
  }

  private async fromKeyframe(width: number): Promise<LivePicture> {
    const { plan, stream, clock } = this.deps;
    const bytes = await copiedKeyframe(plan, stream);
    const known = this.keyframes.get(width);
    if (known?.bytes.equals(bytes) === true) return known.picture;
    const takenAt = clock.now();
    const jpeg = await this.previews.fromKeyframe(width, bytes);
    const picture = { jpeg, takenAt, width: jpegWidth(jpeg), peaks: undefined, flags: 0 };
    this.keyframes.set(width, { bytes, picture });
    return picture;
  }
}

function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.round(width * scale), height: Math.max(1, Math.round(height * scale)) };
}
