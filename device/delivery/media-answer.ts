/**
 * Answers to requests for a Destination's playlists, manifests and segments: read-only, with CORS for everyone. The agent's port and the
 * control plane's give the same answers.
 */
import { close, constants, fstat, open, readFile } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isShortage } from '../../domain/base/absent.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { isUnchanged, rangeOf, type FileVersion, type HeaderReader } from '../../domain/network/http-conditions.ts';
import {
  MEDIA_FILE,
  playbackPath,
  PLAYBACK_TOKEN_HEADER,
  TIME_FILE,
} from '../../domain/shapes/destinations/playback.ts';
import { liveDir } from '../run-dir.ts';
import { accessBy, accessOf } from './access.ts';
import {
  acceptsGzip,
  busyAnswer,
  CORS,
  KINDS,
  manifestHeaders,
  notFound,
  PREFLIGHT,
  refusal,
  REPORT_PREFLIGHT,
  textAnswer,
  type MediaAnswer,
} from './answers.ts';
import { isReportTarget, type Report } from './audience/cmcd-report.ts';
import { comingMedia } from './live/coming-media.ts';
import { LiveEdge } from './live/live-edge.ts';
import { asksForReload, parseReload, reloaded } from './live/reload.ts';
import { formed, madeManifest, type Form } from './made-manifests.ts';
import type { OtherDevices } from './others/other-devices.ts';
import { reportAnswer } from './report-answer.ts';

export interface MediaRequest {
  method: string;
  /** Path and query as they were sent. */
  target: string;
  header: HeaderReader;
  /** Undefined for what is no report of a player. */
  report?: Report | undefined;
}

/** Ids as the store gives them. A path without a file means the playlist. */
const PATH = new RegExp(`^/live/([1-9][0-9]{0,14})/([1-9][0-9]{0,14})/(${MEDIA_FILE})?$`, 'u');

const openFd = promisify(open);
const statFd = promisify(fstat);
const readAll = promisify<number, Buffer>(readFile);

export function closeFd(fd: number): void {
  // The file was only read: an error of close loses nothing.
  close(fd, () => undefined);
}

/** Tells whether a request's target is media. */
export function isMediaTarget(target: string): boolean {
  return target.startsWith('/live/');
}

export interface MediaPlaces {
  deviceDir: string;
  clock: Clock;
  /** Left out at a Device, which serves its own files alone. */
  others?: Pick<OtherDevices, 'manifest' | 'media'> | undefined;
}

export function mediaAnswer(places: MediaPlaces, request: MediaRequest): Promise<MediaAnswer> {
  return answerAt(places, request).catch((error: unknown) => {
    // "Not found" would end a player, and a cache would remember it.
    if (isShortage(error)) return busyAnswer('The Device has no free descriptor.');
    throw error;
  });
}

const OFF_AIR = 'This broadcast is not on air, or its address is wrong.';

/** Lists are of the run of now, and this machine may have those of an earlier one. Media that it has is what its name says. */
async function answerAt({ deviceDir, clock, others }: MediaPlaces, request: MediaRequest): Promise<MediaAnswer> {
  const { method, target, header } = request;
  const [mediaTarget = '', query = ''] = target.split(/\?(.*)/su);
  const [path, livestream, publishing, file] = PATH.exec(mediaTarget) ?? [];
  const isFile = method === 'GET' || method === 'HEAD';
  if (others === undefined || path === undefined || (!isFile && request.report === undefined))
    return answerOf(deviceDir, request, clock);
  const ids = { livestreamId: Number(livestream), publishingId: Number(publishing) };
  const wanted = { ...ids, file: file ?? '', query, header, isHead: method === 'HEAD' };
  if (isFile && (file === undefined || /\.(?:m3u8|mpd)$/u.test(file))) {
    const list = { ...wanted, file: file ?? 'index.m3u8' };
    const answer = (await others.manifest(list)) ?? (await answerOf(deviceDir, request, clock));
    return answer.status === 404 ? textAnswer(404, OFF_AIR, { 'cache-control': 'no-store' }, wanted.isHead) : answer;
  }
  const answer = await answerOf(deviceDir, request, clock);
  return answer.status === 404 ? ((await others.media(wanted)) ?? answer) : answer;
}

async function answerOf(deviceDir: string, request: MediaRequest, clock: Clock): Promise<MediaAnswer> {
  const { method, target, header } = request;
  if (method === 'OPTIONS') return { status: 204, headers: isReportTarget(target) ? REPORT_PREFLIGHT : PREFLIGHT };
  if (request.report !== undefined) return reportAnswer(deviceDir, target, request.report, clock);
  if (method !== 'GET' && method !== 'HEAD')
    return textAnswer(405, 'Only GET and HEAD.', { allow: 'GET, HEAD, OPTIONS' }, false);
  const isHead = method === 'HEAD';
  const [mediaTarget = '', query = ''] = target.split(/\?(.*)/su);
  const [mediaPath, livestream, publishing, file = 'index.m3u8'] = PATH.exec(mediaTarget) ?? [];
  const kind = KINDS[file.slice(file.lastIndexOf('.') + 1)];
  const isTime = file === TIME_FILE;
  if (mediaPath === undefined || (kind === undefined && !isTime)) return notFound(isHead);
  const dir = liveDir(deviceDir, Number(livestream), Number(publishing));
  const parameters = new URLSearchParams(query);
  const queryToken = parameters.get('token');
  const token = queryToken ?? header(PLAYBACK_TOKEN_HEADER) ?? null;
  const playback = playbackPath(Number(livestream), Number(publishing));
  const isReload = asksForReload(query) && file.endsWith('/index.m3u8');
  const edge = isReload ? LiveEdge.find(dir, clock) : undefined;
  const access =
    edge === undefined
      ? await accessOf(dir, playback, token, clock.now())
      : accessBy(edge.accessKey, playback, token, clock.now());
  if (access !== 'open' && access !== 'tokened') return refusal(access, isHead);
  if (kind === undefined) return textAnswer(200, toIso(clock.now()), { 'cache-control': 'no-store' }, isHead);
  const isTokened = access === 'tokened';
  const form = { isTokened, token: isTokened ? (queryToken ?? undefined) : undefined };
  if (edge !== undefined)
    return reloadAnswer(edge, { path: join(dir, file), query: parameters, header, viewing: form, isHead });
  const path = join(dir, file);
  let fd = await openMedia(path);
  if (fd === undefined) {
    const coming = await comingMedia(LiveEdge.find(dir, clock), dir, file);
    if (coming === undefined) return notFound(isHead);
    if (coming !== 'there') return growingAnswer(coming.stream, kind.type, isTokened, isHead);
    fd = await openMedia(path);
    if (fd === undefined) return notFound(isHead);
  }
  let isKept = false;
  try {
    const found = await statOf(fd, kind.type);
    if (found === undefined) return notFound(isHead);
    const answer = kind.manifest
      ? await manifestAnswer(found, header, form, isHead)
      : segmentAnswer(found, header, isTokened, isHead);
    isKept = answer.file !== undefined;
    return answer;
  } finally {
    if (!isKept) closeFd(fd);
  }
}

/** A viewer learns no more than that there is no such file: segments go as new ones come. */
async function openMedia(path: string): Promise<number | undefined> {
  try {
    // O_NOFOLLOW: no link in the folder is one of ours. O_NONBLOCK: opening a FIFO must not wait for its writer.
    return await openFd(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}

/** Undefined for what is no file. */
async function statOf(fd: number, type: string): Promise<Found | undefined> {
  const stat = await statFd(fd);
  if (!stat.isFile()) return undefined;
  const etag = `"${stat.ino.toString(36)}-${stat.size.toString(36)}-${Math.floor(stat.mtimeMs).toString(36)}"`;
  return { fd, type, size: stat.size, etag, changedAt: stat.mtime };
}

/** How a viewer was let in: `token` is in the address, and is written into all that manifests name. */
interface Viewing {
  isTokened: boolean;
  token: string | undefined;
}

interface Found extends FileVersion {
  fd: number;
  type: string;
}

interface PlaylistRequest {
  path: string;
  query: URLSearchParams;
  header: HeaderReader;
  viewing: Viewing;
  isHead: boolean;
}

/** A playlist of low latency, once it has what is asked for. All who wait for the same get the same bytes. */
async function reloadAnswer(
  edge: LiveEdge,
  { path, query, header, viewing: { isTokened, token }, isHead }: PlaylistRequest,
): Promise<MediaAnswer> {
  const reload = parseReload(query);
  if (typeof reload === 'string') return textAnswer(400, reload, { 'cache-control': 'no-store' }, isHead);
  const failure = await reloaded(edge, reload);
  if (failure !== undefined) return textAnswer(failure.status, failure.text, { 'cache-control': 'no-store' }, isHead);
  const form = { token, gzip: acceptsGzip(header('accept-encoding')), skip: reload.skip };
  const name = `${path} ${form.gzip} ${form.skip} ${token ?? ''}`;
  const made = await edge.once(name, () => makePlaylist(path, isTokened, form));
  if (made === undefined) return notFound(isHead);
  const { content, headers, found } = made;
  if (isUnchanged(header, found, false)) return { status: 304, headers: manifestHeaders(found, isTokened) };
  return { status: 200, headers, ...(!isHead && { content }) };
}

async function makePlaylist(
  path: string,
  isTokened: boolean,
  form: Form,
): Promise<{ content: Buffer; headers: Record<string, string>; found: Found } | undefined> {
  const fd = await openMedia(path);
  if (fd === undefined) return undefined;
  try {
    const found = await statOf(fd, KINDS['m3u8']!.type);
    if (found === undefined) return undefined;
    const content = await formed(await readAll(fd), found.type, form);
    const coding = form.gzip ? { 'content-encoding': 'gzip' } : undefined;
    const headers = { ...manifestHeaders(found, isTokened), ...coding, 'content-length': String(content.length) };
    return { content, headers, found };
  } finally {
    closeFd(fd);
  }
}

/** A segment that is being made: what it will be is immutable, too. */
function growingAnswer(stream: AsyncIterable<Buffer>, type: string, isTokened: boolean, isHead: boolean): MediaAnswer {
  const headers = { ...CORS, 'content-type': type, 'cache-control': immutable(isTokened) };
  return { status: 200, headers, ...(!isHead && { stream }) };
}

function immutable(isTokened: boolean): string {
  // Only the viewer's own player may cache media that is not public.
  return `${isTokened ? 'private' : 'public'}, max-age=31536000, immutable`;
}

/** A live manifest changes with every segment: caches always ask again, which is cheap when it has not changed, and small with gzip. */
async function manifestAnswer(
  found: Found,
  header: HeaderReader,
  { isTokened, token }: Viewing,
  isHead: boolean,
): Promise<MediaAnswer> {
  const gzip = acceptsGzip(header('accept-encoding'));
  const headers = manifestHeaders(found, isTokened);
  if (isUnchanged(header, found, false)) return { status: 304, headers };
  const coding = gzip ? { 'content-encoding': 'gzip' } : undefined;
  if (!gzip && token === undefined) return wholeFile({ status: 200, headers }, found, isHead);
  const content = await madeManifest(found, { token, gzip });
  const length = { 'content-length': String(content.length) };
  return { status: 200, headers: { ...headers, ...coding, ...length }, ...(!isHead && { content }) };
}

/** A segment never changes once a playlist names it, and its name is never used again. */
function segmentAnswer(found: Found, header: HeaderReader, isTokened: boolean, isHead: boolean): MediaAnswer {
  const { size } = found;
  const headers = {
    ...CORS,
    'content-type': found.type,
    'cache-control': immutable(isTokened),
    'accept-ranges': 'bytes',
    etag: found.etag,
    'last-modified': found.changedAt.toUTCString(),
  };
  if (isUnchanged(header, found, true)) return { status: 304, headers };
  const range = rangeOf(header, found);
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}`, 'content-length': '0' } };
  if (range === undefined) return wholeFile({ status: 200, headers }, found, isHead);
  const [first, last] = range;
  const partial = { 'content-range': `bytes ${first}-${last}/${size}`, 'content-length': String(last - first + 1) };
  const file = isHead ? undefined : { file: { fd: found.fd, first, last } };
  return { status: 206, headers: { ...headers, ...partial }, ...file };
}

function wholeFile({ status, headers }: MediaAnswer, { fd, size }: Found, isHead: boolean): MediaAnswer {
  const file = isHead || size === 0 ? undefined : { file: { fd, first: 0, last: size - 1 } };
  return { status, headers: { ...headers, 'content-length': String(size) }, ...file };
}
