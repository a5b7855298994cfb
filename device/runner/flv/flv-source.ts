/**
 * One source that is pulled as FLV, by RTMP or from a web server, over all connections of its ingest: each ffmpeg gets media of one form, as of
 * a source that is pushed. Where codecs or configurations change, or sound or a picture is there at last, the next one begins at a keyframe.
 */
import type { Writable } from 'node:stream';
import { withDeadline } from '../../../domain/time/deadline.ts';
import { LIVE_PROBE, type IngestInput } from '../../media/arguments/ingest-args.ts';
import type { FeedPace, InputFeed } from '../../media/arguments/input-feed.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { NotRead } from '../../media/units/track.ts';
import { needsMatroska, unreadCodec } from '../../media/rtmp/flv-codecs.ts';
import { FlvJoiner } from '../../media/rtmp/flv-joiner.ts';
import type { RtmpMessage } from '../../media/rtmp/rtmp-chunks.ts';
import { Readers } from '../../push/readers.ts';
import type { FlvLink, LinkDeps } from './flv-link.ts';
import { RtmpLink } from './rtmp-link.ts';
import { WebLink } from './web-link.ts';

const RTMP = /^rtmps?:/iu;
const WEB_FLV = /^https?:[^?#]*\.flv(?:[?#]|$)/iu;
/** Name, TLS, a distant server's handshakes, and a server that gives nothing before a keyframe. */
const FIRST_MEDIA_MS = 10_000;
/** A connection that has given nothing for so long is not gone on with. */
const SILENT_MS = 3000;

const ENHANCED =
  'its media comes by Enhanced RTMP, which is copied only when it is pushed to a Channel of this Device.';
/** The type of messages with metadata. */
const DATA = 18;

/** This one of both FLV demuxers follows a clock that begins anew. */
const INPUT: IngestInput = {
  args: [...LIVE_PROBE, '-f', 'live_flv', '-i', 'pipe:0'],
  list: undefined,
  readsStdin: true,
  hasBurst: true,
  comesLive: true,
  beginsAnew: true,
};
/** A web server may give a file, as fast as it is read. */
const AT_RATE: IngestInput = { ...INPUT, args: ['-re', ...INPUT.args] };

export function isFlvAddress(address: string): boolean {
  return RTMP.test(address) || WEB_FLV.test(address);
}

/** One connection, and what the next ffmpeg begins with. */
interface Connection {
  address: string;
  link: FlvLink;
  joiner: FlvJoiner;
  lastAt: number;
}

export class FlvSource implements InputFeed {
  private readonly deps: LinkDeps;
  private readonly readers = new Readers();
  private connection: Connection | undefined;
  private sink: Writable | undefined;
  private mayWait: () => boolean = () => false;
  /** The last ffmpeg was ended, and its source goes on: another one gets media at once. */
  continues = false;
  /** Why nothing comes; undefined while something does. */
  trouble: SourceTrouble | undefined;

  constructor(deps: LinkDeps) {
    this.deps = deps;
  }

  /**
   * Resolves with the input when media has come, and with undefined when ffmpeg has to read it by itself. Rejects with SourceTrouble and
   * NetworkRefusal.
   */
  async input(address: string, signal: AbortSignal): Promise<IngestInput | undefined> {
    const { connection } = this;
    const isGood = connection?.address === address && performance.now() - connection.lastAt < SILENT_MS;
    try {
      if (!isGood) await this.open(address, signal);
    } catch (error) {
      this.close();
      this.trouble = error instanceof SourceTrouble ? error : undefined;
      if (error instanceof NotRead) return undefined;
      throw error;
    }
    return RTMP.test(address) ? { ...INPUT, form: 'flv', feed: this } : { ...AT_RATE, feed: this };
  }

  attach(sink: Writable, { mayWait = () => false }: FeedPace = {}): void {
    this.continues = false;
    this.sink = sink;
    this.mayWait = mayWait;
    const { connection } = this;
    if (connection === undefined) return void sink.end();
    const goOn = (): void => void (sink === this.sink && this.connection?.link.resume());
    sink.on('drain', goOn);
    sink.once('close', goOn);
    this.readers.add(sink, connection.joiner, true);
  }

  close(): void {
    this.connection?.link.close();
    this.connection = undefined;
    this.readers.close();
  }

  private async open(address: string, signal: AbortSignal): Promise<void> {
    this.close();
    signal.throwIfAborted();
    const stop = (): void => this.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const begun = new Promise<void>((resolve, reject) => {
        const onEnd = (why: Error): void => {
          this.over(connection, why);
          reject(why);
        };
        const onMessage = (message: RtmpMessage): void => {
          const refusal = this.take(connection, message);
          if (refusal !== undefined) onEnd(refusal);
          else if (message.type !== DATA) resolve();
        };
        const Link = RTMP.test(address) ? RtmpLink : WebLink;
        const link = new Link(address, this.deps, { onMessage, onEnd, mayWait: () => this.mayWait() });
        const connection: Connection = { address, link, joiner: new FlvJoiner(), lastAt: performance.now() };
        this.connection = connection;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      await withDeadline(begun, FIRST_MEDIA_MS, () => {
        throw new SourceTrouble('it accepts the connection, but gives nothing');
      });
      this.trouble = undefined;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Returns why nothing can be made of this source. */
  private take(connection: Connection, message: RtmpMessage): SourceTrouble | undefined {
    if (connection !== this.connection) return undefined;
    connection.lastAt = performance.now();
    const unread = needsMatroska(message) ? ENHANCED : unreadCodec(message);
    if (unread !== undefined) return new SourceTrouble(unread.replace(/^Its/u, 'its').replace(/\.$/u, ''));
    const part = connection.joiner.take(message);
    if (part === undefined) return undefined;
    if (part.isChange) {
      this.continues = true;
      this.readers.renew(connection.joiner);
    }
    this.readers.send(part, connection.joiner);
    if (this.sink?.writableNeedDrain === true && !this.sink.destroyed) connection.link.pause();
    return undefined;
  }

  /** The ffmpeg that reads gets no more, and ends with what it has. */
  private over(connection: Connection, why: Error): void {
    if (connection !== this.connection) return;
    this.trouble = why instanceof SourceTrouble ? why : new SourceTrouble(why.message);
    this.close();
  }
}
