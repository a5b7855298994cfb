/** Captions on air: they go from the frames of the source that is on air into the frames of every rendition, and are announced. */
import { CaptionChannels, type CaptionChannel } from '../../media/captions/cc-channels.ts';
import { CaptionPacer } from '../../media/captions/cc-pacer.ts';
import { captionPlace, frameCaptions, withCaptions } from '../../media/captions/cc-unit.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { elementaryBytes, PACKET_BYTES } from '../../media/mpeg-ts/mpeg-ts.ts';

/** A source whose captions wait for their frames. */
export interface CaptionSource {
  readonly isOnAir: boolean;
  /** Returns the pairs of the frames that have left since the last call, a buffer a frame. */
  leave(): Buffer[];
}

/** In a copied stream the SEI messages lie within the first bytes of a frame. */
const HEAD_PACKETS = 8;

export class Captions {
  /** The stream's codecs can hold captions. */
  readonly isCarried: boolean;
  private readonly pacers: Map<number, CaptionPacer>;
  private readonly copied: Set<number>;
  private readonly channels = new CaptionChannels();
  /** Channels whose loss has been reported: once a run. */
  readonly reported = new Set<number>();
  private readonly sources = new Set<CaptionSource>();
  private onAir: CaptionSource | undefined;
  private isErasing = false;
  private muted = false;

  constructor({ copy, fragmented, videos }: Pick<LadderPlan, 'copy' | 'fragmented' | 'videos'>) {
    this.isCarried = !fragmented && videos.length > 0;
    this.copied = new Set(copy ? videos.map(({ pid }) => pid) : []);
    this.pacers = new Map(
      (this.isCarried && !copy ? videos : []).map(({ pid, rate }) => [pid, new CaptionPacer(fpsOf(rate))]),
    );
  }

  /** The channels seen in this run; they stay announced when another source has none. */
  get announced(): CaptionChannel[] {
    return this.isCarried ? this.channels.all : [];
  }

  /** The function that is returned takes the source away again. */
  join(source: CaptionSource): () => void {
    this.sources.add(source);
    return () => this.sources.delete(source);
  }

  /** Captions go with the source's audio: with other audio on air, there are none. */
  set isMuted(isMuted: boolean) {
    if (isMuted && !this.muted) this.erase();
    this.muted = isMuted;
  }

  /** The source is gone: its last caption must not stay on the screen. */
  erase(): void {
    this.isErasing = true;
  }

  /** The frame at `ticks` of the stream has gone to the encoder. */
  frame(ticks: number): void {
    const source = [...this.sources].find(({ isOnAir }) => isOnAir);
    const pairsOfFrames = source?.leave() ?? [];
    if (source !== this.onAir) {
      const isSwitch = this.onAir !== undefined;
      this.onAir = source;
      if (isSwitch) {
        this.erase();
        // The frames of these captions have not been on air.
        pairsOfFrames.length = 0;
      }
    }
    if (this.isErasing) this.push(ticks, undefined);
    this.isErasing = false;
    if (this.muted) return;
    for (const pairs of pairsOfFrames) {
      this.channels.note(pairs);
      this.push(ticks, pairs);
    }
  }

  /** Returns the packets of a track. With a `pts` a frame begins in them and gets its captions; in a copied stream they are looked for. */
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
