/** Reads one media playlist: loads it again by the rules, fetches its segments ahead of their time, and says what it had to leave out. */
import { createDecipheriv } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { NetworkRefusal } from '../../../domain/network/networks.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { PlaylistCue } from '../../media/hls/cue-tags.ts';
import { isPlain, readPlaylist, type Fetched, type MediaPlaylist, type Segment } from '../../media/hls/playlist.ts';
import { SegmentReader } from '../../media/hls/segment-media.ts';
import { SegmentOrder } from '../../media/hls/segment-order.ts';
import type { SegmentMedia } from '../../media/hls/units.ts';
import { NotRead } from '../../media/units/track.ts';
import { AnswerTrouble, type HlsClient } from './hls-client.ts';

export interface ReadSegment extends SegmentMedia {
  part: number;
  seconds: number;
  /** Segments before it are missing. */
  isAfterGap: boolean;
  /** The breaks that its playlist announces. */
  cues?: readonly PlaylistCue[];
}

export const MAX_PLAYLIST_BYTES = 16 << 20;
const MAX_SEGMENT_BYTES = 128 << 20;
const MAX_KEY_BYTES = 1024;
const KEY_BYTES = 16;
/** Segments that wait to be taken, beside the one that is being fetched. */
const AHEAD = 2;
/** A segment is asked for again after so long, as it may only be late. */
const AGAIN_MS = [500, 1500];
/** A playlist that stays the same for so many target durations is a reason why nothing comes. */
const STILL_TARGETS = 3;
const MIN_PATIENCE_MS = 5000;
const MIN_WAIT_MS = 100;
const FILES_KEPT = 20;

export class HlsReader {
  private readonly client: HlsClient;
  private readonly closing = new AbortController();
  private readonly order = new SegmentOrder();
  private readonly media = new SegmentReader();
  private readonly files = new Map<string, Buffer>();
  private readonly queue: ReadSegment[] = [];
  private readonly onGap: (why: string, segments: number) => void;
  private address: string;
  private wake: (() => void) | undefined;
  private newsAt = performance.now();
  private targetSeconds = 1;
  private elapsedSeconds = 0;
  private isAfterGap = false;
  private playlistTrouble: SourceTrouble | undefined;
  private segmentTrouble: SourceTrouble | undefined;
  /** Why nothing of it will be read any more. */
  failure: unknown;
  /** Something has come, or will not come. */
  onChange: () => void = () => undefined;

  /** `onGap` hears of segments that are left out. */
  constructor(client: HlsClient, address: string, onGap: (why: string, segments: number) => void) {
    this.client = client;
    this.address = address;
    this.onGap = onGap;
  }

  /** Resolves when the first segment is there. Rejects with the reason why there is none, with NotRead, or with NetworkRefusal. */
  async open(list: MediaPlaylist): Promise<void> {
    this.update(list);
    for (let segment = this.order.take(); segment !== undefined; segment = this.order.take()) {
      const read = await this.read(segment, 0);
      if (read !== undefined) {
        this.queue.push(read);
        void this.follow();
        void this.fetchAll();
        return;
      }
    }
    throw this.segmentTrouble ?? new SourceTrouble('its playlist has no segments');
  }

  close(): void {
    this.closing.abort();
    this.wake?.();
  }

  /** The next segment; `take` removes it. */
  get head(): ReadSegment | undefined {
    return this.queue[0];
  }

  take(): ReadSegment | undefined {
    const taken = this.queue.shift();
    this.wake?.();
    return taken;
  }

  /** All of it has been taken. */
  get isOver(): boolean {
    return this.queue.length === 0 && (this.failure !== undefined || (this.order.isOver && this.isIdle));
  }

  private isIdle = false;

  get hasEnded(): boolean {
    return this.order.isOver;
  }

  get last(): string | undefined {
    return this.order.last;
  }

  /** The reason why nothing comes. */
  get trouble(): SourceTrouble | undefined {
    const stillSeconds = (performance.now() - this.newsAt) / 1000;
    const isStill = stillSeconds > STILL_TARGETS * this.targetSeconds && !this.order.isOver;
    const still = isStill
      ? new SourceTrouble(`its playlist has not changed for ${Math.round(stillSeconds)} s`)
      : undefined;
    return this.playlistTrouble ?? this.segmentTrouble ?? still;
  }

  private async load(): Promise<MediaPlaylist> {
    const { body, url } = await this.client.get(this.address, MAX_PLAYLIST_BYTES, this.closing.signal);
    const { media } = parsed(body, url);
    if (media === undefined) throw new NotRead('A playlist of playlists stands where segments are expected.');
    return media;
  }

  private update(list: MediaPlaylist): boolean {
    this.targetSeconds = Math.max(0.5, list.targetSeconds);
    const { isNews, missed, isRestarted } = this.order.update(list, performance.now());
    if (isNews) this.newsAt = performance.now();
    if (missed > 0) {
      this.isAfterGap = true;
      this.onGap('its playlist has gone on without them', missed);
    }
    if (isRestarted) this.isAfterGap = true;
    this.wake?.();
    return isNews;
  }

  /** Loads the playlist again and again. The time of a load is part of the wait for the next (RFC 8216 §6.3.4). */
  private async follow(): Promise<void> {
    const { signal } = this.closing;
    let waitMs = this.order.waitMs(true);
    let goodAt = performance.now();
    while (!signal.aborted && this.failure === undefined && !this.order.isOver) {
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const begunAt = performance.now();
      let isNews = false;
      try {
        isNews = this.update(await this.load());
        this.playlistTrouble = undefined;
        goodAt = begunAt;
      } catch (error) {
        if (signal.aborted) return;
        const { message } = error as Error;
        const trouble =
          error instanceof SourceTrouble ? error : new SourceTrouble(`its playlist cannot be read: ${message}`);
        this.playlistTrouble = trouble;
        // Its address may have expired: whoever reads begins at the first one again.
        if (begunAt - goodAt > Math.max(MIN_PATIENCE_MS, STILL_TARGETS * this.targetSeconds * 1000))
          this.failure = trouble;
      }
      waitMs = Math.max(MIN_WAIT_MS, this.order.waitMs(isNews) - (performance.now() - begunAt));
      this.onChange();
    }
  }

  private async fetchAll(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted && this.failure === undefined) {
      const segment = this.queue.length < AHEAD ? this.order.take() : undefined;
      if (segment === undefined) {
        this.isIdle = true;
        if (this.order.isOver) this.onChange();
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      this.isIdle = false;
      try {
        const read = await this.read(segment, AGAIN_MS.length);
        if (read !== undefined) this.queue.push(read);
      } catch (error) {
        this.failure = error;
      }
      this.onChange();
    }
  }

  /** Resolves with undefined for a segment that is left out. Rejects with NotRead, NetworkRefusal, or the reason of the first segment. */
  private async read(segment: Segment, again: number): Promise<ReadSegment | undefined> {
    if (segment.isGap) return this.skip(segment, 'its playlist says that they are missing');
    for (let attempt = 0; ; attempt += 1) {
      try {
        const found = await this.fetched(segment);
        const isAfterGap = this.isAfterGap;
        this.isAfterGap = false;
        this.segmentTrouble = undefined;
        this.elapsedSeconds += segment.seconds;
        return { ...found, part: segment.part, seconds: segment.seconds, isAfterGap, cues: segment.cues };
      } catch (error) {
        if (this.closing.signal.aborted) return undefined;
        const trouble = troubleOfSegment(error, again > 0);
        if (!(trouble instanceof SourceTrouble)) throw trouble;
        this.segmentTrouble = trouble;
        if (attempt >= again || trouble instanceof KeyTrouble) {
          if (trouble instanceof KeyTrouble && again === 0) throw trouble;
          return this.skip(segment, trouble.publicMessage);
        }
        await delay(AGAIN_MS[attempt], undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  private skip({ seconds }: Segment, why: string): undefined {
    this.isAfterGap = true;
    this.elapsedSeconds += seconds;
    this.onGap(why, 1);
  }

  private async fetched(segment: Segment): Promise<SegmentMedia> {
    const init = segment.init === undefined ? undefined : await this.kept(segment.init, segment.sequence);
    const { body } = await this.client.get(segment.uri, MAX_SEGMENT_BYTES, this.closing.signal, segment.range);
    const plain = await this.decrypted(body, segment, segment.sequence);
    return this.media.read(plain, init, this.elapsedSeconds);
  }

  /** An initialisation is fetched once. */
  private async kept(file: Fetched, sequence: number): Promise<Buffer> {
    const name = `${file.uri} ${file.range?.offset ?? 0}`;
    const known = this.files.get(name);
    if (known !== undefined) return known;
    const { body } = await this.client.get(file.uri, MAX_SEGMENT_BYTES, this.closing.signal, file.range);
    return this.keep(name, await this.decrypted(body, file, sequence));
  }

  private keep(name: string, bytes: Buffer): Buffer {
    this.files.set(name, bytes);
    for (const old of this.files.keys()) if (this.files.size > FILES_KEPT) this.files.delete(old);
    return bytes;
  }

  /** AES-128 in CBC; without an IV of its own a segment has its number (RFC 8216 §5.2). */
  private async decrypted(bytes: Buffer, { key }: Fetched, sequence: number): Promise<Buffer> {
    if (key === undefined) return bytes;
    if (!isPlain(key)) throw new NotRead(`Its segments are encrypted by ${key.method} (${key.format}).`);
    const secret = this.files.get(key.uri) ?? this.keep(key.uri, await this.key(key.uri));
    const iv = Buffer.alloc(16);
    iv.writeBigUInt64BE(BigInt(sequence), 8);
    const cipher = createDecipheriv('aes-128-cbc', secret, key.iv ?? iv);
    try {
      return Buffer.concat([cipher.update(bytes), cipher.final()]);
    } catch {
      throw new SourceTrouble('a segment cannot be decrypted with its key');
    }
  }

  private async key(uri: string): Promise<Buffer> {
    try {
      const { body } = await this.client.get(uri, MAX_KEY_BYTES, this.closing.signal);
      if (body.length === KEY_BYTES) return body;
      throw new KeyTrouble(`the key of its segments has ${body.length} bytes in place of ${KEY_BYTES}`);
    } catch (error) {
      if (!(error instanceof SourceTrouble) || error instanceof KeyTrouble) throw error;
      const words = error instanceof AnswerTrouble ? `(${error.words})` : `: ${error.publicMessage}`;
      const why =
        error instanceof AnswerTrouble ? 'the server of its key refuses it' : 'the key of its segments cannot be had';
      throw new KeyTrouble(
        `${why}${words.startsWith('(') ? ' ' : ''}${words}`,
        error.upstream,
        undefined,
        error.isRefusal,
      );
    }
  }
}

/** On air a segment that may not be asked for is left out as any other that is missing. */
function troubleOfSegment(error: unknown, isOnAir: boolean): unknown {
  if (error instanceof RangeError) return new SourceTrouble(`a segment is damaged: ${error.message}`);
  return error instanceof NetworkRefusal && isOnAir ? new SourceTrouble(error.message) : error;
}

/** The segments are there, and their key is not. */
class KeyTrouble extends SourceTrouble {}

export function parsed(body: Buffer, url: string): ReturnType<typeof readPlaylist> {
  try {
    return readPlaylist(body.toString('utf8'), url);
  } catch (error) {
    throw new NotRead((error as Error).message);
  }
}
