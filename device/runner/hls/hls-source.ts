/** One source that comes by HLS, over all connections of its ingest: its playlists, its cookies, and the feed of the ffmpeg of the moment. */
import type { Writable } from 'node:stream';
import { anySignal } from '../../../domain/base/any-signal.ts';
import type { Reach } from '../../../domain/network/networks.ts';
import { NO_MORE_PROGRAMS, LIVE_PROBE, type IngestInput } from '../../media/arguments/ingest-args.ts';
import type { FeedPace, InputFeed } from '../../media/arguments/input-feed.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { MasterPlaylist, MediaPlaylist, Variant } from '../../media/hls/playlist.ts';
import { lastOf } from '../../media/hls/segment-order.ts';
import { NotRead } from '../../media/units/track.ts';
import { rankedVariants, soundsOf } from '../../media/hls/variants.ts';
import { MAX_PIXELS } from '../../ffmpeg/input-rules.ts';
import { HlsClient } from './hls-client.ts';
import { HlsFeed } from './hls-feed.ts';
import type { MergeInput } from './hls-merge.ts';
import { HlsReader, MAX_PLAYLIST_BYTES, parsed } from './hls-reader.ts';

export interface HlsDeps {
  reach: Reach;
  /** PEM, for https. */
  authorities: () => string[];
  /** The program that the Channel names. */
  program: number | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Segments are left out. */
  onGap(why: string, segments: number): void;
}

/**
 * ffmpeg, or a reader of this process, reads what the feed writes, at the pace of its times. It is opened again when other tracks begin.
 */
const INPUT: IngestInput = {
  form: 'mpegts',
  args: ['-re', ...LIVE_PROBE, ...NO_MORE_PROGRAMS, '-f', 'mpegts', '-i', 'pipe:0'],
  list: undefined,
  readsStdin: true,
  goesOn: true,
};

export class HlsSource implements InputFeed {
  private readonly deps: HlsDeps;
  private readonly closing = new AbortController();
  private client: HlsClient | undefined;
  private readers: HlsReader[] = [];
  private feed: HlsFeed | undefined;
  private address: string | undefined;
  private isLive = false;
  /** The last segment of a live programme that has ended. */
  private ended: string | undefined;
  private lastTrouble: SourceTrouble | undefined;

  constructor(deps: HlsDeps) {
    this.deps = deps;
  }

  /** Why nothing comes; undefined while something does, or when it is not read here. */
  get trouble(): SourceTrouble | undefined {
    return this.lastTrouble ?? this.readers.map(({ trouble }) => trouble).find((one) => one !== undefined);
  }

  /**
   * Resolves with the input when there is media at the address, and with undefined when ffmpeg has to read it by itself. Rejects with
   * SourceTrouble and NetworkRefusal.
   */
  async input(address: string, signal: AbortSignal): Promise<IngestInput | undefined> {
    if (address === this.address && this.feed?.isOver === false) return { ...INPUT, feed: this };
    const [main] = this.readers;
    if (this.isLive && main?.hasEnded === true) this.ended = main.last;
    this.release();
    try {
      await this.open(address, anySignal([signal, this.closing.signal]));
      this.address = address;
      this.lastTrouble = undefined;
      return { ...INPUT, feed: this };
    } catch (error) {
      this.release();
      this.lastTrouble = error instanceof SourceTrouble ? error : undefined;
      if (error instanceof NotRead) return undefined;
      throw error;
    }
  }

  attach(sink: Writable, pace: FeedPace = {}): void {
    if (this.feed === undefined) sink.end();
    else this.feed.attach(sink, pace);
  }

  close(): void {
    this.closing.abort();
    this.release();
  }

  private release(): void {
    this.feed?.close();
    for (const reader of this.readers) reader.close();
    this.client?.close();
    this.feed = undefined;
    this.readers = [];
  }

  private async open(address: string, signal: AbortSignal): Promise<void> {
    const { reach, authorities, now } = this.deps;
    this.client ??= new HlsClient(reach, authorities, now);
    const { master, media, url } = await this.load(address, signal);
    if (media !== undefined) return this.begin([await this.reader(url, media, signal)]);
    let first: Error | undefined;
    // Another variant may be there when one is not.
    for (const variant of rankedVariants(master, MAX_PIXELS, this.deps.program)) {
      try {
        return await this.openVariant(master, variant, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        first ??= error as Error;
        this.release();
      }
    }
    throw first ?? new SourceTrouble('its playlist names no streams');
  }

  private async openVariant(master: MasterPlaylist, variant: Variant, signal: AbortSignal): Promise<void> {
    const { media, url } = await this.load(variant.uri, signal);
    if (media === undefined) throw new NotRead('A variant leads to variants.');
    const sounds = soundsOf(master, variant);
    const apart = sounds.flatMap(({ uri, language }) => (uri === undefined ? [] : [{ uri, language }]));
    const start = media.startSeconds ?? master.startSeconds;
    const main = { queue: (await this.reader(url, { ...media, startSeconds: start }, signal)).queue };
    const beside = await Promise.all(
      apart.map(async ({ uri, language }) => {
        const sound = await this.load(uri, signal);
        if (sound.media === undefined) throw new NotRead('A rendition leads to variants.');
        const { queue } = await this.reader(sound.url, { ...sound.media, startSeconds: start }, signal);
        return { queue, language };
      }),
    );
    const isMute = apart.length > 0 && apart.length === sounds.length;
    const [own] = sounds.filter(({ uri }) => uri === undefined);
    this.begin([{ ...main, isMute, language: own?.language }, ...beside]);
  }

  private begin(inputs: MergeInput[]): void {
    const { program } = this.deps;
    this.feed = new HlsFeed(inputs, program === undefined || program === 0 ? 1 : program);
  }

  private async load(address: string, signal: AbortSignal): Promise<ReturnType<typeof parsed> & { url: string }> {
    const { body, url } = await this.client!.get(address, MAX_PLAYLIST_BYTES, signal);
    return { ...parsed(body, url), url };
  }

  /** Resolves when its first segment is there. */
  private async reader(address: string, list: MediaPlaylist, signal: AbortSignal): Promise<{ queue: HlsReader }> {
    if (this.readers.length === 0) {
      if (list.isEnded && this.ended === lastOf(list))
        throw new SourceTrouble('its programme has ended (EXT-X-ENDLIST)');
      this.ended = undefined;
      this.isLive = !list.isWhole;
    }
    const queue = new HlsReader(this.client!, address, this.deps.onGap);
    this.readers.push(queue);
    const stop = (): void => queue.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await queue.open(list);
      return { queue };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
