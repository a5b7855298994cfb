/** Captions of one source, over all its connections: they are read beside its raw frames, and kept until their frame is shown. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { captionOutput, CaptionReader, isWithoutUnits, type ReadCaptions } from '../../media/captions/cc-reader.ts';
import type { SourceBuffer } from '../../media/frames/source-buffer.ts';
import type { Captions, CaptionSource } from '../stream/captions.ts';
import type { Child } from '../process/child.ts';
import type { EventLog } from '../process/event-log.ts';

/** Ten seconds of a fast source are far more than the frames that wait. */
const MAX_WAITING = 600;
/** Some broadcasts send an older kind beside the one that is read, so the report waits for some frames with that kind alone. */
const UNREADABLE_FRAMES = 60;

export interface SourceCaptionDeps {
  captions: Captions;
  events: EventLog;
  /** Rate of the frames that come in. */
  fps: number;
  isOnAir(): boolean;
}

export class SourceCaptions implements CaptionSource {
  private readonly source: SourceSpec;
  private readonly deps: SourceCaptionDeps;
  /** Captions by time, the earliest first. */
  private waiting: { seconds: number; pairs: Buffer }[] = [];
  private buffer: SourceBuffer | undefined;
  private hasUnits = true;
  private isRead = false;
  private unreadable = 0;
  private readonly depart: () => void;

  constructor(source: SourceSpec, deps: SourceCaptionDeps) {
    this.source = source;
    this.deps = deps;
    this.depart = deps.captions.join(this);
  }

  get isOnAir(): boolean {
    return this.deps.isOnAir();
  }

  close(): void {
    this.depart();
  }

  /** Returns the arguments of one more output of the ingest; `map` is the -map of its video. */
  outputArgs(map: readonly string[], fd: number): string[] {
    return this.hasUnits ? captionOutput(map, fd) : [];
  }

  /** Tells whether the next connection has other arguments than the one that ended with this stderr. */
  adapts(stderr: string): boolean {
    if (!this.hasUnits || !isWithoutUnits(stderr)) return false;
    this.hasUnits = false;
    return true;
  }

  connect(child: Child, fd: number, buffer: SourceBuffer): void {
    const reader = new CaptionReader();
    this.buffer = buffer;
    this.waiting = [];
    child.output(fd)?.on('data', (chunk: Buffer) => {
      for (const read of reader.push(chunk)) this.take(read);
    });
  }

  leave(): Buffer[] {
    const { buffer, waiting } = this;
    // The frames of a connection are numbered from its first instant on, each at its time.
    const isLeft = ({ seconds }: { seconds: number }): boolean =>
      buffer !== undefined && Math.round(seconds * this.deps.fps) < buffer.nextFrame;
    let count = 0;
    while (count < waiting.length && isLeft(waiting[count]!)) count += 1;
    return waiting.splice(0, count).map(({ pairs }) => pairs);
  }

  private take({ seconds, pairs, unreadable }: ReadCaptions): void {
    if (unreadable !== undefined && !this.isRead) this.countUnreadable(unreadable);
    if (pairs === undefined) return;
    this.isRead = true;
    if (!this.deps.captions.isCarried) return this.report('the codec of the renditions cannot hold them here');
    // Frames come in the order in which they are decoded, a few places off at most.
    let at = this.waiting.length;
    while (at > 0 && this.waiting[at - 1]!.seconds > seconds) at -= 1;
    this.waiting.splice(at, 0, { seconds, pairs });
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
  }

  private countUnreadable(kind: string): void {
    this.unreadable += 1;
    if (this.unreadable === UNREADABLE_FRAMES) this.report(`they are of a kind that is not read (${kind})`);
  }

  private report(why: string): void {
    const { name, channelId } = this.source;
    const { captions, events } = this.deps;
    const isEarlier = events.earlier.some(({ kind, data }) => kind === 'captions_lost' && data.channelId === channelId);
    if (captions.reported.has(channelId) || isEarlier) return;
    captions.reported.add(channelId);
    const message = `Captions of Channel "${name}" are not carried: ${why}. Encode with H.264 or HEVC from a source with ATSC A/53 captions, or copy its video.`;
    events.add('captions_lost', 'warning', message, { channelId, reason: why });
  }
}
