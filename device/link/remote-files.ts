/**
 * The media that a run needs on a Device with a disk of its own. A Device fetches it by itself from the storage that the servers share, so that
 * nothing passes through a server; where it cannot, or where there is none, this server sends its own file.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../domain/time/clock.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import type { FetchableMedia } from '../../domain/ports/media-bucket.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { placedAnswer } from '../../domain/reported/answers.ts';
import {
  callSocket,
  overWire,
  readBody,
  toAppError,
  wireHeaders,
  type SocketReply,
  type Wire,
} from '../socket-http.ts';
import { answered } from './answered.ts';

const ASK_MS = 5000;
/** It is below the 25 s that a run has for its first evidence (control/start/run-spec.ts). A larger file goes on being sent. */
const SEND_WAIT_MS = 20_000;
/** A connection without a byte for so long is dead. The longest regular silence is at the end, when the Device's disk flushes the file. */
const SEND_SILENCE_MS = 60_000;
/** The Device itself gives up a transfer that stands still; an hour is the life of the address. */
const FETCH_MS = 3_600_000;
/** Reason of a refusal after which this server sends the file. */
const UNFETCHED = 'unfetched';

export type MediaFiles = Pick<AssetFiles, 'path' | 'bring' | 'fetchable'>;

export interface PlacerDeps {
  wire: Wire;
  /** Left out: every path is that of a file of this machine. */
  media?: MediaFiles | undefined;
  clock: Clock;
  log: Log;
}

/** Answers a function that brings a file to the Device and resolves with its path there. It rejects with AppError. */
export function filePlacer(deps: PlacerDeps): (path: string) => Promise<string> {
  /** Transfers under way, by tag: a second start with the same file waits for the first. */
  const sending = new Map<string, Promise<string>>();

  function once(tag: string, path: string, bring: () => Promise<string>): Promise<string> {
    let transfer = sending.get(tag);
    if (transfer === undefined) {
      transfer = bring().finally(() => sending.delete(tag));
      // Each start that waits for the transfer gets its error; one that comes when all have given up must not end the process.
      transfer.catch(() => undefined);
      sending.set(tag, transfer);
    }
    const late = `${basename(path)} is still being sent to the Device; start again when it is there.`;
    return within(transfer, deps.clock, late);
  }

  async function sendOwn(path: string): Promise<string> {
    const asset = assetAt(deps.media, path);
    if (asset !== undefined) await deps.media?.bring?.(...asset);
    const tag = await tagOf(path);
    return once(tag, path, () => bring(deps.wire, tag, path));
  }

  return async (path) => {
    const asset = assetAt(deps.media, path);
    const shared = asset && (await deps.media?.fetchable?.(...asset));
    if (shared === undefined) return sendOwn(path);
    const tag = `${shared.bytes}-${shortHash(shared.key)}`;
    const fetched = await once(tag, path, () => fetchThere(deps.wire, tag, path, shared)).catch((error: unknown) => {
      if (!mayBeSent(error)) throw error;
      deps.log.warn(
        { err: error, file: basename(path) },
        'A Device cannot fetch from the bucket: this server sends the file.',
      );
      return undefined;
    });
    return fetched ?? sendOwn(path);
  };
}

/** Whether the Device has no way to the bucket, or is of an earlier version and knows no such call. */
function mayBeSent(error: unknown): boolean {
  return error instanceof AppError && error.extras.facts?.['reason'] === UNFETCHED;
}

/** Bucket and name of the Asset whose file has this path. */
function assetAt(media: MediaFiles | undefined, path: string): [bucket: string, filename: string] | undefined {
  const asset: [string, string] = [basename(dirname(path)), basename(path)];
  return media?.path(...asset) === path ? asset : undefined;
}

/** Resolves with the file's path on the Device, which fetches it unless it has it already. */
async function fetchThere(wire: Wire, tag: string, path: string, { url }: FetchableMedia): Promise<string> {
  const target = targetOf(tag, path);
  try {
    const found = await callSocket({ socket: wire, method: 'GET', path: target, timeoutMs: ASK_MS });
    if (found.status !== 404) return pathIn(found);
    const reply = await callSocket({ socket: wire, method: 'POST', path: target, body: { url }, timeoutMs: FETCH_MS });
    if (reply.status === 200) return pathIn(reply);
    const refusal = toAppError(reply.body);
    if (refusal.code !== 'upstream_failed' && refusal.code !== 'not_found') throw refusal;
    throw new AppError(refusal.code, refusal.message, { cause: refusal, facts: { reason: UNFETCHED } });
  } catch (error) {
    throw error instanceof AppError ? error : unsent(path, error);
  }
}

/** An Asset is never written again under its name: size, inode and time of change tell one content from another. */
async function tagOf(path: string): Promise<string> {
  const { size, ino, mtimeNs } = await stat(path, { bigint: true }).catch((cause: unknown) => {
    throw new AppError('not_found', `The file ${basename(path)} is missing in the asset folder of this server.`, {
      cause,
    });
  });
  return `${size}-${shortHash(`${path}\0${ino}\0${mtimeNs}`)}`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function targetOf(tag: string, path: string): string {
  return `/assets/${tag}/${encodeURIComponent(basename(path))}`;
}

function unsent(path: string, cause: unknown): AppError {
  return new AppError('unavailable', `${basename(path)} could not be sent to the Device.`, { cause });
}

/** Resolves with the file's path on the Device; the file is sent unless it is there already. */
async function bring(wire: Wire, tag: string, path: string): Promise<string> {
  const target = targetOf(tag, path);
  try {
    const reply = await callSocket({ socket: wire, method: 'GET', path: target, timeoutMs: ASK_MS });
    return reply.status === 404 ? await send(wire, target, tag, path) : pathIn(reply);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unsent(path, error);
  }
}

async function send(wire: Wire, target: string, tag: string, path: string): Promise<string> {
  const length = Number(tag.split('-')[0]);
  const outgoing = request({
    ...overWire(wire),
    method: 'PUT',
    path: target,
    // A Device that refuses early would close the connection while more is being sent, and its answer would be lost.
    headers: { ...wireHeaders(wire), 'content-length': length, connection: 'keep-alive' },
  });
  outgoing.setTimeout(SEND_SILENCE_MS, () => outgoing.destroy(new Error('The Device takes nothing.')));
  const answer = new Promise<SocketReply>((resolve, reject) => {
    outgoing.once('response', (reply) => void readBody(reply).then(resolve, reject));
    outgoing.on('error', reject);
  });
  // A file that grew meanwhile must not exceed the length that was announced.
  const content = createReadStream(path, length === 0 ? {} : { end: length - 1 });
  // A broken pipe breaks the request too, unless the Device has answered before: then the answer counts.
  pipeline(content, outgoing).catch(() => undefined);
  try {
    return pathIn(await answer);
  } finally {
    outgoing.destroy();
  }
}

function pathIn({ status, body }: SocketReply): string {
  if (status !== 200) throw toAppError(body);
  return answered('file', placedAnswer, body).path;
}

function within<T>(task: Promise<T>, clock: Clock, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(SEND_WAIT_MS, () => reject(new AppError('upstream_failed', late)));
    void task.then(resolve, reject).finally(cancel);
  });
}
