/** One pushed Channel as its encoder sees it: who sends, what comes, who was refused, and the readers of it. */
import { systemClock, toIso } from '../../domain/time/clock.ts';
import type {
  IngestAudio,
  IngestEvent,
  IngestReport,
  IngestVideo,
  RefusalReason,
} from '../../domain/shapes/sources/ingest.ts';
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import { Readers, type JoinedStream, type MediaPart, type Reader } from './readers.ts';

/** Facts that the media of one pusher says about itself. */
export interface MediaFacts {
  readonly video: IngestVideo | null;
  readonly audio: IngestAudio[];
  readonly captions: string[];
}

/** The media of one pusher. */
export interface PushedMedia extends JoinedStream {
  readonly facts: MediaFacts;
}

type EventParts = Pick<IngestEvent, 'kind' | 'severity' | 'message' | 'data'>;

export interface IntakeHooks {
  /** The report has changed. */
  onChange(): void;
  onEvent(channelId: number, event: EventParts): void;
}

/** So long a refusal is the state, when nobody sends. */
const REFUSED_MS = 30_000;
/** A pusher that is silent so long yields to the next one. */
const SILENT_MS = 3000;
/** The rate is that of so many seconds. */
const RATE_SECONDS = 3;
/** A new reader gets nothing older before the pusher goes on: it would be pictures of the past, followed by none. */
const STALE_MS = 1000;
/** An encoder asks again every few seconds; a program that tries keys does so hundreds of times, which the log need not hold. */
const MAX_REFUSAL_EVENTS = 20;
const REFUSAL_EVENTS_MS = 60_000;

/** An encoder whose media was refused comes again within this, and is told of when it sends for some seconds. */
const REJECTED_MS = 60_000;
const PROVEN_MS = 2000;

interface Pusher {
  from: string;
  media: PushedMedia;
  /** Ends the connection. */
  dismiss(): void;
}

export class Intake {
  order: IngestOrder;
  private readonly hooks: IntakeHooks;
  private readonly readers = new Readers();
  private pusher: Pusher | undefined;
  private pushedAt = 0;
  private lastMediaAt = 0;
  private since = toIso(systemClock.now());
  private error: string | null = null;
  private refusal: IngestReport['last_refusal'] = null;
  private refusedUntil = 0;
  private refusalTimes: number[] = [];
  /** The last encoder whose media could not be read. */
  private rejected: { from: string; message: string; at: number } | undefined;
  /** The present pusher is an event. */
  private isTold = false;
  private bytes = 0;
  private readonly bytesBySecond: number[] = [];

  constructor(order: IngestOrder, hooks: IntakeHooks) {
    this.order = order;
    this.hooks = hooks;
  }

  /** Tells whether another pusher would have to be refused. */
  get isBusy(): boolean {
    return this.pusher !== undefined && performance.now() - this.lastMediaAt < SILENT_MS;
  }

  /** The pusher has been let in; one that was silent gives way. */
  admit(pusher: Pusher): void {
    const earlier = this.pusher;
    if (earlier !== undefined) this.depart(earlier.media, 'It was silent, and another encoder has taken its place.');
    earlier?.dismiss();
    this.pusher = pusher;
    this.pushedAt = this.lastMediaAt = performance.now();
    this.enter(null);
    this.isTold = false;
    if (!this.wasRejected(pusher.from)) this.tellConnected(pusher);
  }

  private tellConnected({ from }: Pusher): void {
    this.isTold = true;
    this.tell('ingest_connected', 'info', `An encoder at ${from} sends to Channel "${this.order.name}".`, { from });
  }

  private wasRejected(from: string): boolean {
    return this.rejected?.from === from && performance.now() - this.rejected.at < REJECTED_MS;
  }

  /** Takes the next part of the media, which `media.beginning` holds already, for the readers. */
  take(media: PushedMedia, part: MediaPart): void {
    if (this.pusher?.media !== media) return;
    this.lastMediaAt = performance.now();
    this.bytes += part.bytes.length;
    this.readers.send(part, media);
  }

  /** This media is coded in another way from now on: readers of one format begin anew. */
  renew(media: PushedMedia): void {
    if (this.pusher?.media === media) this.readers.renew(media);
  }

  /** The pusher of this media has left; nothing happens when another one has taken its place. */
  depart(media: PushedMedia, why: string): void {
    const { pusher } = this;
    if (pusher?.media !== media) return;
    this.pusher = undefined;
    this.readers.endAll();
    this.bytes = 0;
    this.bytesBySecond.length = 0;
    this.enter(null);
    if (!this.isTold) return;
    const seconds = Math.round(performance.now() - this.pushedAt) / 1000;
    const message = `The encoder at ${pusher.from} sends no more to Channel "${this.order.name}". ${why}`;
    this.tell('ingest_ended', 'warning', message, { from: pusher.from, seconds });
  }

  refuse(reason: RefusalReason, from: string, message: string): void {
    const at = toIso(systemClock.now());
    this.refusal = { at, from, reason, message };
    if (this.pusher === undefined) {
      this.since = at;
      this.refusedUntil = performance.now() + REFUSED_MS;
    }
    const text = `An encoder at ${from} was refused at Channel "${this.order.name}": ${message}`;
    const isAgain = reason === 'codec' && this.wasRejected(from) && this.rejected?.message === message;
    if (reason === 'codec') this.rejected = { from, message, at: performance.now() };
    if (!isAgain && this.mayReportRefusal()) this.tell('ingest_refused', 'warning', text, { from, reason });
    this.hooks.onChange();
  }

  /** `error` says why the port cannot be had; null when it is open. */
  setError(error: string | null): void {
    if (this.error !== error) this.enter(error);
  }

  /** Sends the pusher away: its Channel is not listened for any more. */
  close(): void {
    const { pusher } = this;
    if (pusher !== undefined) this.depart(pusher.media, 'The Channel is not listened for any more.');
    pusher?.dismiss();
    this.readers.close();
  }

  /** The reader begins with the last keyframe, at the latest when the next part comes. One `isOfOneFormat` ends before another comes. */
  read(reader: Reader, isOfOneFormat = false): void {
    const isStale = performance.now() - this.lastMediaAt > STALE_MS;
    this.readers.add(reader, isStale ? undefined : this.pusher?.media, isOfOneFormat);
  }

  /** It is called once a second. */
  countSecond(): void {
    this.bytesBySecond.push(this.bytes);
    this.bytes = 0;
    if (this.bytesBySecond.length > RATE_SECONDS) this.bytesBySecond.shift();
    const { pusher } = this;
    if (pusher !== undefined && !this.isTold && performance.now() - this.pushedAt > PROVEN_MS)
      this.tellConnected(pusher);
    if (this.refusedUntil > 0 && performance.now() > this.refusedUntil) {
      this.refusedUntil = 0;
      this.enter(this.error);
    }
  }

  /** Nobody notices when this pusher is read a tenth of a second later. */
  get mayWait(): boolean {
    return this.readers.mayWait;
  }

  get isReceiving(): boolean {
    return this.pusher !== undefined;
  }

  get report(): IngestReport {
    const { pusher, error, since, refusal } = this;
    const facts = pusher?.media.facts;
    const perSecond = this.bytesBySecond.reduce((sum, bytes) => sum + bytes, 0) / (this.bytesBySecond.length || 1);
    return {
      channelId: this.order.channelId,
      state: this.state,
      error,
      from: pusher?.from ?? null,
      since,
      bitrate_kbps: Math.round((perSecond * 8) / 1000),
      video: facts?.video ?? null,
      audio: facts?.audio ?? [],
      captions: facts?.captions ?? [],
      last_refusal: refusal,
    };
  }

  private get state(): IngestReport['state'] {
    if (this.pusher !== undefined) return 'receiving';
    if (this.error !== null) return 'failed';
    return this.refusedUntil > 0 ? 'refused' : 'waiting';
  }

  private mayReportRefusal(): boolean {
    const now = performance.now();
    this.refusalTimes = this.refusalTimes.filter((at) => now - at < REFUSAL_EVENTS_MS);
    if (this.refusalTimes.length >= MAX_REFUSAL_EVENTS) return false;
    this.refusalTimes.push(now);
    return true;
  }

  private enter(error: string | null): void {
    this.error = error;
    this.since = toIso(systemClock.now());
    if (this.pusher !== undefined) this.refusedUntil = 0;
    this.hooks.onChange();
  }

  private tell(
    kind: EventParts['kind'],
    severity: EventParts['severity'],
    message: string,
    data: Record<string, unknown>,
  ): void {
    this.hooks.onEvent(this.order.channelId, { kind, severity, message, data });
  }
}
