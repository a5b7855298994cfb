/** Recordings of an agent on another machine: their files are brought to this machine before they are read. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { DeviceRecordings } from '../../domain/ports/device-link.ts';
import { AppError } from '../../domain/base/errors.ts';
import { LocalCopies, type LocalCopiesOptions } from './local-copies.ts';
import { recordingPath, type AgentRecordings, type FileAtDevice } from './recording-link.ts';
import { overWire, readBody, toAppError, wireHeaders, type Wire } from '../socket-http.ts';

export interface RemoteRecordingsOptions extends LocalCopiesOptions {
  wire: Wire;
}

const SILENCE_MS = 60_000;
/** A connection that breaks is tried again from the byte where it broke. */
const ATTEMPTS = 5;

/** Hears of bytes before they are written; rejects when there is no room for them. */
type OnBytes = (bytes: number) => Promise<void>;

export function remoteRecordings(
  agent: AgentRecordings,
  { wire, ...options }: RemoteRecordingsOptions,
): DeviceRecordings {
  const copies = new LocalCopies(options);
  return {
    ...agent.recordings,
    async open(key, signal, progress) {
      const files = await agent.filesOf(key);
      const fetch = (file: FileAtDevice, target: string, until: AbortSignal, onBytes: OnBytes): Promise<void> => {
        const source = `${recordingPath(key)}/${encodeURIComponent(file.name)}`;
        return fetchFile(wire, source, { bytes: file.bytes, target, signal: until, onBytes });
      };
      return copies.open(key, files, fetch, { signal, progress });
    },
  };
}

interface FetchFileOptions {
  bytes: number;
  target: string;
  signal: AbortSignal;
  onBytes: OnBytes;
}

/** Goes on where an earlier attempt was cut off, up to `bytes`. Rejects with AppError unavailable. */
async function fetchFile(
  wire: Wire,
  path: string,
  { bytes, target, signal, onBytes }: FetchFileOptions,
): Promise<void> {
  let have = await sizeOf(target);
  for (let attempt = 1; have !== bytes; attempt += 1) {
    if (have !== undefined && have > bytes) throw brokenOff(new Error('The Device has sent more than it announced.'));
    let fault: unknown = new Error('The Device has sent less than it announced.');
    try {
      await fetchRest(wire, `${path}?from=${have ?? 0}`, { path: target, have, bytes }, signal, onBytes);
    } catch (error) {
      fault = error;
    }
    have = await sizeOf(target);
    const isOver = fault instanceof AppError || signal.aborted || attempt >= ATTEMPTS;
    if (isOver && have !== bytes) throw brokenOff(fault);
  }
}

/** Undefined where there is no file: the transfer begins at its first byte then. What is there and is no file is none of ours. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isFile()) return found?.size;
  throw brokenOff(new Error('Its place is taken by what is no file.'));
}

interface Target {
  path: string;
  /** Bytes of an earlier attempt; undefined before the first. */
  have: number | undefined;
  /** Bytes that were announced: no more is written. */
  bytes: number;
}

async function fetchRest(
  wire: Wire,
  path: string,
  { path: target, have, bytes }: Target,
  signal: AbortSignal,
  onBytes: OnBytes,
): Promise<void> {
  // A file of our own: one that is there goes on only where an earlier attempt has begun it.
  const flags = have === undefined ? 'wx' : constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
  const file = await open(target, flags, 0o600);
  try {
    const reply = await askForRest(wire, path, signal);
    let left = bytes - (have ?? 0);
    const admitted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        if ((left -= chunk.length) < 0) throw brokenOff(new Error('The Device sends more than it announced.'));
        await onBytes(chunk.length);
        yield chunk;
      }
    };
    await pipeline(reply, admitted, file.createWriteStream(), { signal });
  } finally {
    await file.close();
  }
}

async function askForRest(wire: Wire, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const outgoing = request({ ...overWire(wire), method: 'GET', path, headers: wireHeaders(wire), signal });
  outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error('The Device sends nothing.')));
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    // A request that is given up later has its error too.
    outgoing.on('error', reject);
    outgoing.end();
  });
  if (reply.statusCode !== 200) throw toAppError((await readBody(reply)).body);
  return reply;
}

function brokenOff(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('unavailable', 'The Recording could not be brought from its Device; try again.', { cause });
}
