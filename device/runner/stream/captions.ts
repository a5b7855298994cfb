/** Captions on air: they go from the frames of the source that is on air into the frames of every rendition, and are announced. */
import { CaptionChannels, type CaptionChannel } from '../../media/captions/cc-channels.ts';
import { CaptionPacer } from '../../media/captions/cc-pacer.ts';
import { captionPlace, frameCaptions, mayHoldCaptions, withCaptions } from '../../media/captions/cc-unit.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { elementaryBytes, PACKET_BYTES, TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { CaptionTracks } from '../../media/webvtt/caption-tracks.ts';

/** A source whose captions wait for their frames. */
export interface CaptionSource {
  readonly isOnAir: boolean;
  /** Returns the pairs of the frames that have left since the last call, a buffer a frame. */
  leave(): Buffer[];
}

/** In a copied stream the SEI messages lie within the first bytes of a frame. */
const HEAD_PACKETS = 8;
/** Pictures of a copied stream are reordered by less than this. */
const REORDERED_TICKS = TICKS_PER_SECOND / 2;

export class Captions {
  /** The stream's codecs can hold captions. */
  readonly isCarried: boolean;
  private readonly pacers: Map<number, CaptionPacer>;
  private readonly copied: Set<number>;
  private readonly channels = new CaptionChannels();
  /** The same captions as text. */
  readonly tracks = new CaptionTracks();
  /** The copied track that text is made of, and its pairs that wait for pictures shown before them. */
  private readonly copiedText: number | undefined;
  private reordered: { ticks: number; pairs: Buffer }[] = [];
  private newestTicks = 0;
  /** Channels whose loss has been reported: once a run. */
  readonly reported = new Set<number>();
  private readonly sources = new Set<CaptionSource>();
  private onAir: CaptionSource | undefined;
  private isErasing = false;
  private muted = false;

  constructor({ copy, fragmented, videos }: Pick<LadderPlan, 'copy' | 'fragmented' | 'videos'>) {
    this.isCarried = !fragmented && videos.length > 0;
    this.copied = new Set(copy ? videos.map(({ pid }) => pid) : []);
    this.copiedText = [...this.copied][0];
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
    if (this.copiedText === undefined) return;
    // No frames are counted here where video is copied.
    this.settle(Infinity);
    this.tracks.erase(this.newestTicks);
  }

  /** All frames before `ticks` have come: their text is in the tracks. */
  settle(ticks: number): void {
    const due = this.reordered.filter((one) => one.ticks < ticks);
    this.reordered = this.reordered.filter((one) => one.ticks >= ticks);
    for (const one of due) this.tracks.push(one.ticks, one.pairs);
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
    if (this.isErasing) {
      this.push(ticks, undefined);
      this.tracks.erase(ticks);
    }
    this.isErasing = false;
    if (this.muted) return;
    for (const pairs of pairsOfFrames) {
      this.channels.note(pairs);
      this.push(ticks, pairs);
      this.tracks.push(ticks, pairs);
    }
  }

  /** Returns the packets of a track. With a `pts` a frame begins in them and gets its captions; in a copied stream they are looked for. */
  pass(pid: number, streamType: number | undefined, packets: Buffer, pts: number | undefined): Buffer {
    if (pts === undefined || streamType === undefined) return packets;
    if (this.copied.has(pid)) this.look(streamType, packets, pid === this.copiedText ? pts : undefined);
    const pacer = this.pacers.get(pid);
    if (pacer === undefined || this.channels.isEmpty) return packets;
    const place = captionPlace(streamType, packets.subarray(0, PACKET_BYTES));
    const triples = place === undefined ? undefined : pacer.frame(pts);
    return triples === undefined ? packets : withCaptions(streamType, packets, place!, triples);
  }

  private push(ticks: number, pairs: Buffer | undefined): void {
    if (!this.channels.isEmpty) for (const pacer of this.pacers.values()) pacer.push(ticks, pairs);
  }

  /** With `pts` the text of the captions is wanted too. */
  private look(streamType: number, packets: Buffer, pts: number | undefined): void {
    const count = Math.min(HEAD_PACKETS, packets.length / PACKET_BYTES);
    if (mayHoldCaptions(streamType, packets, count * PACKET_BYTES)) {
      const parts = Array.from({ length: count }, (_, i) => elementaryBytes(packets, i * PACKET_BYTES));
      for (const { pairs } of frameCaptions(streamType, Buffer.concat(parts))) {
        if (pairs === undefined) continue;
        this.channels.note(pairs);
        if (pts !== undefined) this.reorder(pts, pairs);
      }
    }
    if (pts !== undefined) this.newestTicks = Math.max(this.newestTicks, pts);
  }

  private reorder(ticks: number, pairs: Buffer): void {
    const later = this.reordered.findIndex((one) => one.ticks > ticks);
    this.reordered.splice(later === -1 ? this.reordered.length : later, 0, { ticks, pairs });
    this.settle(this.newestTicks - REORDERED_TICKS);
  }
}
