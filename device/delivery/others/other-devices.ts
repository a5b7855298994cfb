/** Answers requests for Destinations that another Device serves: lists from here, so that their address stays, media from there. */
import { AppError } from '../../../domain/base/errors.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { isUnchanged, type HeaderReader } from '../../../domain/network/http-conditions.ts';
import { playbackPath, type DeliveryPlace, type DevicePlace } from '../../../domain/shapes/destinations/playback.ts';
import { accessBy } from '../access.ts';
import { acceptsGzip, CORS, manifestHeaders, notFound, problem, refusal, type MediaAnswer } from '../answers.ts';
import { DeviceLists, inForm, type ListRequest, type ListVersion, type ReadList } from './device-lists.ts';

export interface FileRequest {
  livestreamId: number;
  publishingId: number;
  /** Below the folder of the Destination, checked by the caller. */
  file: string;
  /** Without its question mark. */
  query: string;
  header: HeaderReader;
  isHead: boolean;
}

/** Asks where a Destination is served; undefined: by this machine, or nobody knows. */
export type PlaceOf = (livestreamId: number, publishingId: number) => Promise<DeliveryPlace | undefined>;

export interface OtherDeps {
  placeOf: PlaceOf;
  read: ReadList;
  clock: Clock;
}

/** A list that is answered may be from where the broadcast was so long ago. */
const PLACE_MS = 500;

/** Asks once for all viewers that come meanwhile. */
export function keptPlaces(ask: PlaceOf, clock: Pick<Clock, 'after'>): PlaceOf {
  const kept = new Map<string, ReturnType<PlaceOf>>();
  return (livestreamId, publishingId) => {
    const name = `${livestreamId}/${publishingId}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    const place = ask(livestreamId, publishingId);
    kept.set(name, place);
    clock.after(PLACE_MS, () => kept.delete(name));
    return place;
  };
}

/** The lists that there are; strangers may ask for all kinds of names. */
const LIST = /^(?:(?:[^/]+\/)?index\.m3u8|manifest\.mpd)$/u;
const WAITS = ['_HLS_msn', '_HLS_part'];
const NO_STORE = { 'cache-control': 'no-store' };

export class OtherDevices {
  private readonly deps: OtherDeps;
  private readonly lists: DeviceLists;

  constructor(deps: OtherDeps) {
    this.deps = deps;
    this.lists = new DeviceLists(deps.read, deps.clock);
  }

  /** Resolves with undefined where this machine has the answer. */
  async manifest(request: FileRequest): Promise<MediaAnswer | undefined> {
    const { livestreamId, publishingId, file, query, isHead } = request;
    const place = await this.deps.placeOf(livestreamId, publishingId);
    if (place === undefined) return undefined;
    if ('address' in place) return redirect(place.address, request);
    if (!LIST.test(file)) return notFound(isHead);
    const parameters = new URLSearchParams(query);
    const waits = waitsIn(parameters);
    const wanted: ListRequest = { livestreamId, publishingId, file, waits };
    const token = parameters.get('token');
    const known = place.url === undefined ? this.lists.former(wanted, place)?.place : place;
    const refused = known && this.refusalOf(known, request, token);
    if (refused !== undefined) return refused;
    const found = await this.lists.current(wanted, place, () => this.devicePlace(livestreamId, publishingId));
    if (found === undefined) return place.isOver ? notFound(isHead) : silent(isHead);
    // It may be from a place that was not known at first.
    return (
      this.refusalOf(found.place, request, token) ??
      listAnswer(found.version, request, found.place.isPrivate ? (token ?? undefined) : undefined)
    );
  }

  private refusalOf(
    { isPrivate, key }: DevicePlace,
    { livestreamId, publishingId, isHead }: FileRequest,
    token: string | null,
  ): MediaAnswer | undefined {
    if (!isPrivate) return undefined;
    if (key === undefined) return silent(isHead);
    const access = accessBy(key, playbackPath(livestreamId, publishingId), token, this.deps.clock.now());
    return access === 'open' || access === 'tokened' ? undefined : refusal(access, isHead);
  }

  /** Sends for media that this machine does not have; undefined where nobody else has it. */
  async media(request: Omit<FileRequest, 'header'>): Promise<MediaAnswer | undefined> {
    const place = await this.deps.placeOf(request.livestreamId, request.publishingId);
    if (place === undefined) return undefined;
    const address = 'address' in place ? place.address : place.url;
    return address === undefined ? undefined : redirect(address, request);
  }

  private async devicePlace(livestreamId: number, publishingId: number): Promise<DevicePlace | undefined> {
    const place = await this.deps.placeOf(livestreamId, publishingId);
    return place === undefined || 'address' in place ? undefined : place;
  }
}

function waitsIn(parameters: URLSearchParams): string {
  const waits = WAITS.flatMap((name) => {
    const value = parameters.get(name);
    return value !== null && /^\d{1,15}$/u.test(value) ? [`${name}=${value}`] : [];
  });
  return waits.length === 0 ? '' : `?${waits.join('&')}`;
}

async function listAnswer(
  version: ListVersion,
  { header, isHead }: FileRequest,
  token: string | undefined,
): Promise<MediaAnswer> {
  const { text, etag, changedAt, type } = version;
  const found = { size: text.length, etag, changedAt, type };
  const headers = manifestHeaders(found, token !== undefined);
  if (isUnchanged(header, found, false)) return { status: 304, headers };
  const gzip = acceptsGzip(header('accept-encoding'));
  const content = await inForm(version, { token, gzip });
  const coding = gzip ? { 'content-encoding': 'gzip' } : undefined;
  const all = { ...headers, ...coding, 'content-length': String(content.length) };
  return { status: 200, headers: all, ...(!isHead && { content }) };
}

/** 307 keeps the method; it counts for this time alone. */
function redirect(folder: string, { file, query }: Pick<FileRequest, 'file' | 'query'>): MediaAnswer {
  const location = new URL(query === '' ? file : `${file}?${query}`, folder).href;
  return { status: 307, headers: { ...CORS, ...NO_STORE, location, 'content-length': '0' } };
}

function silent(isHead: boolean): MediaAnswer {
  const error = new AppError('unavailable', 'Which Device serves this broadcast is not known at the moment.');
  return problem(error, { 'retry-after': '1' }, isHead);
}
