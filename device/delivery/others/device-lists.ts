/**
 * The lists of Destinations that other Devices serve, read from the Device of now: each version once for all viewers, whom they send to that
 * Device for its media. While it does not answer they get the last list, as from an origin that nobody fills: players wait.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../domain/time/clock.ts';
import type { DevicePlace } from '../../../domain/shapes/destinations/playback.ts';
import { KINDS } from '../answers.ts';
import { formed, type Form } from '../made-manifests.ts';
import { hasEnded, manifestAt, periodsBefore, withPeriods } from './absolute-manifest.ts';

export interface ListVersion {
  text: string;
  type: string;
  etag: string;
  changedAt: Date;
  hasEnded: boolean;
  /** Answers by token and coding. */
  forms: Map<string, Promise<Buffer>>;
}

/** Reads a file of a Device. Rejects for everything but its whole content. */
export type ReadList = (place: DevicePlace & { url: string }, file: string, search: string) => Promise<Buffer>;

export interface ListRequest {
  livestreamId: number;
  publishingId: number;
  file: string;
  /** The part that a player of low latency waits for, as a query; empty for all others. */
  waits: string;
}

/** A list, and the place that it came from, which says who may have it. */
export interface FoundList {
  version: ListVersion;
  place: DevicePlace;
}

interface Kept extends FoundList {
  at: number;
  /** Periods of the run before, which viewers of DASH may be in. */
  former?: { periods: string; until: number } | undefined;
}

/** Segments last a second at least, and parts have requests of their own. */
const FRESH_MS = 500;
/** A broadcast is on air elsewhere within 14 s after the loss of its Device, 80 s when its server dies with it. */
const KEPT_MS = 120_000;
/** A Device answers within some milliseconds; players wait for ten seconds, and try three times. */
const PATIENCE_MS = 2000;
const HOLD_MS = 7000;
/** A player of low latency that gets the list that it has asks again at once. */
const WAIT_MS = 8000;
/** Connections to Devices at a time: strangers may ask for names that do not exist. */
const MAX_OPEN = 500;
const MAX_FORMS = 64;

export class DeviceLists {
  private readonly read: ReadList;
  private readonly clock: Clock;
  private readonly reading = new Map<string, Promise<ListVersion | undefined>>();
  private open = 0;
  private readonly kept = new Map<string, Kept>();

  constructor(read: ReadList, clock: Clock) {
    this.read = read;
    this.clock = clock;
  }

  /** The last list of the same broadcast, and the place that it came from. */
  former(request: ListRequest, { broadcast }: DevicePlace): Kept | undefined {
    const kept = this.kept.get(nameOf(request));
    const isOld = kept === undefined || this.clock.now() - kept.at > KEPT_MS;
    return isOld || kept.place.broadcast !== broadcast ? undefined : kept;
  }

  /**
   * A list that is good, else the last one that was. Where this process has none it waits for one: players give up after two or three refusals,
   * and another server may have sent them here. `present` is asked again meanwhile, for the broadcast may go to another Device.
   */
  async current(
    request: ListRequest,
    first: DevicePlace,
    present: () => Promise<DevicePlace | undefined>,
  ): Promise<FoundList | undefined> {
    const until = this.clock.now() + (request.waits === '' ? HOLD_MS : WAIT_MS);
    let place: DevicePlace | undefined = first;
    while (place !== undefined) {
      const version = await Promise.race([this.readFrom(place, request), this.pass(PATIENCE_MS, undefined)]);
      // A list ends with its run, which may be over because another Device has the broadcast.
      if (version !== undefined && (place.isOver || !version.hasEnded)) return { version, place };
      const isLate = this.clock.now() >= until;
      const last = request.waits === '' || isLate ? this.last(request, place) : undefined;
      if (last !== undefined || isLate || place.isOver) return last;
      await this.pass(FRESH_MS, undefined);
      place = await present();
    }
    return undefined;
  }

  private last(request: ListRequest, place: DevicePlace): FoundList | undefined {
    const kept = this.former(request, place);
    if (kept === undefined || !place.isOver || kept.version.hasEnded) return kept;
    const { text, type, changedAt } = kept.version;
    // An MPD has no mark that could be added to it.
    if (!text.includes('#EXT-X-TARGETDURATION')) return undefined;
    return { version: versionOf(`${text}#EXT-X-ENDLIST\n`, type, changedAt), place: kept.place };
  }

  private readFrom(place: DevicePlace, request: ListRequest): Promise<ListVersion | undefined> {
    const { url } = place;
    if (url === undefined) return Promise.resolve(undefined);
    const name = `${place.runId} ${place.isOver} ${nameOf(request)}${request.waits}`;
    const known = this.reading.get(name);
    if (known !== undefined) return known;
    if (this.open >= MAX_OPEN) return Promise.resolve(undefined);
    this.open += 1;
    const reading = this.readOnce({ ...place, url }, request).catch(() => undefined);
    this.reading.set(name, reading);
    void reading.then(() => {
      this.open -= 1;
      this.clock.after(FRESH_MS, () => this.reading.delete(name));
    });
    return reading;
  }

  private async readOnce(place: DevicePlace & { url: string }, request: ListRequest): Promise<ListVersion> {
    const { file, waits } = request;
    const content = await this.read(place, file, waits);
    const own = manifestAt(content.toString('utf8'), place.url, file);
    const name = nameOf(request);
    const now = this.clock.now();
    const former = formerOf(this.former(request, place), place, own, now);
    const text = former === undefined ? own : withPeriods(former.periods, own);
    const last = this.kept.get(name)?.version;
    const type = KINDS[file.slice(file.lastIndexOf('.') + 1)]!.type;
    const version = last?.text === text ? last : versionOf(text, type, new Date(now));
    if (version.hasEnded && !place.isOver) return version;
    // The oldest is the first one of the map.
    this.kept.delete(name);
    this.kept.set(name, { version, place, at: now, former });
    for (const [oldest, { at }] of this.kept) {
      if (now - at <= KEPT_MS) break;
      this.kept.delete(oldest);
    }
    return version;
  }

  private pass<T>(ms: number, value: T): Promise<T> {
    return new Promise((resolve) => this.clock.after(ms, () => resolve(value)));
  }
}

/** Other viewers share the bytes, so nobody may change them. */
export function inForm({ text, type, forms }: ListVersion, form: Form): Promise<Buffer> {
  const name = `${form.gzip} ${form.token ?? ''}`;
  const known = forms.get(name);
  if (known !== undefined) return known;
  const made = formed(Buffer.from(text), type, form);
  if (forms.size < MAX_FORMS) forms.set(name, made);
  return made;
}

function formerOf(kept: Kept | undefined, { runId }: DevicePlace, own: string, now: number): Kept['former'] {
  if (kept?.place.runId === runId)
    return kept.former !== undefined && kept.former.until > now ? kept.former : undefined;
  const periods = kept === undefined ? '' : periodsBefore(kept.version.text, own);
  return periods === '' ? undefined : { periods, until: now + KEPT_MS };
}

function nameOf({ livestreamId, publishingId, file }: ListRequest): string {
  return `${livestreamId}/${publishingId}/${file}`;
}

function versionOf(text: string, type: string, changedAt: Date): ListVersion {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return { text, type, etag, changedAt, hasEnded: hasEnded(text), forms: new Map() };
}
