/** Captions on air: from the frames of the source that is shown into the pictures of every rendition, and what is announced of them. */
import { CaptionChannels, type CaptionChannel } from '../../media/captions/cc-channels.ts';
import { CaptionPacer } from '../../media/captions/cc-pacer.ts';
import { captionPlace, frameCaptions, withCaptions } from '../../media/captions/cc-unit.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { elementaryBytes, PACKET_BYTES } from '../../media/mpeg-ts/mpeg-ts.ts';

/** Where the captions of a source wait for their frames. */
export interface CaptionSource {
  readonly isOnAir: boolean;
  /** Pairs of the frames that have left since the last call, one picture each. */
  leave(): Buffer[];
}

/** In a copied stream SEI lie within the first bytes of a picture. */
const HEAD_PACKETS = 8;

export class Captions {
  /** The stream's codecs can hold them. */
  readonly isCarried: boolean;
  private readonly pacers: Map<number, CaptionPacer>;
  private readonly copied: Set<number>;
  private readonly channels = new CaptionChannels();
  /** Channels of whose captions it has been said that they are lost: once a run. */
  readonly reported = new Set<number>();
  private readonly sources = new Set<CaptionSource>();
  private shown: CaptionSource | undefined;
  private isErasing = false;
  private muted = false;

  constructor({ copy, fragmented, videos }: Pick<LadderPlan, 'copy' | 'fragmented' | 'videos'>) {
    this.isCarried = !fragmented && videos.length > 0;
    this.copied = new Set(copy ? videos.map(({ pid }) => pid) : []);
    this.pacers = new Map(
      (this.isCarried && !copy ? videos : []).map(({ pid, rate }) => [pid, new CaptionPacer(fpsOf(rate))]),
    );
  }

  /** What has been seen in this run; stays announced when another source has none. */
  get announced(): CaptionChannel[] {
    return this.isCarried ? this.channels.all : [];
  }

  /** The answer takes it away again. */
  join(source: CaptionSource): () => void {
    this.sources.add(source);
    return () => this.sources.delete(source);
  }

  /** They go with the source's sound: with other sound on air, there are none. */
  set isMuted(muted: boolean) {
    if (muted && !this.muted) this.erase();
    this.muted = muted;
  }

  /** The source is gone: its last words must not stand on the screen. */
  erase(): void {
    this.isErasing = true;
  }

  /** A frame that is at `ticks` of the stream has gone to the encoder. */
  frame(ticks: number): void {
    const source = [...this.sources].find(({ isOnAir }) => isOnAir);
    const left = source?.leave() ?? [];
    if (source !== this.shown) {
      const isSwitch = this.shown !== undefined;
      this.shown = source;
      if (isSwitch) {
        this.erase();
        // Those of frames that nobody saw.
        left.length = 0;
      }
    }
    if (this.isErasing) this.push(ticks, undefined);
    this.isErasing = false;
    if (this.muted) return;
    for (const pairs of left) {
      this.channels.note(pairs);
      this.push(ticks, pairs);
    }
  }

  /** Packets of a stream; with a `pts` a picture begins in them, and gets its captions. In a copied stream they are looked for. */
  pass(pid: number, streamType: number | undefined, packets: Buffer, pts: number | undefined): Buffer {
    if (pts === undefined || streamType === undefined) return packets;
    if (this.copied.has(pid)) this.look(streamType, packets);
    const pacer = this.pacers.get(pid);
    if (pacer === undefined || this.channels.isEmpty) return packets;
    const place = captionPlace(streamType, packets.subarray(0, PACKET_BYTES));
    const triples = place === undefined ? undefined : pacer.frame(pts);
    return triples === undefined ? packets : withCaptions(streamType, packets, place!, triples);
  }

  private push(ticks: number, pairs: Buffer | undefined): void {
    if (!this.channels.isEmpty) for (const pacer of this.pacers.values()) pacer.push(ticks, pairs);
  }

  private look(streamType: number, packets: Buffer): void {
    const count = Math.min(HEAD_PACKETS, packets.length / PACKET_BYTES);
    const parts = Array.from({ length: count }, (_, i) => elementaryBytes(packets, i * PACKET_BYTES));
    for (const { pairs } of frameCaptions(streamType, Buffer.concat(parts)))
      if (pairs !== undefined) this.channels.note(pairs);
  }
}
