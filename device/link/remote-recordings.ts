/** Recordings of an agent on another machine: their files are brought to this machine before they are read. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../domain/time/clock.ts';
import type { DeviceRecordings } from '../../domain/ports/device-link.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { OpenRecording, RecordingKey } from '../../domain/shapes/media/recording.ts';
import { IncomingRoom } from '../incoming-space.ts';
import { recordingPath, type AgentRecordings, type FileAtDevice } from './recording-link.ts';
import { overWire, readBody, toAppError, wireHeaders, type Wire } from '../socket-http.ts';

export interface RemoteRecordingsOptions {
  wire: Wire;
  /** A folder of this machine, large enough for the Recordings that are read at the same time. */
  dir: string;
  clock: Clock;
}

/** A player or a resumed download reads in ranges, and comes back within this time. */
const KEPT_MS = 10 * 60_000;
const SILENCE_MS = 60_000;
/** A connection that breaks is tried again from the byte where it broke. */
const ATTEMPTS = 5;

interface LocalCopy {
  files: string[];
  users: number;
  /** Cancels the removal that is due once nobody reads the copy. */
  cancel: () => void;
}

/** Hears of bytes before they are written; rejects when there is no room for them. */
type OnBytes = (bytes: number) => Promise<void>;

export function remoteRecordings(agent: AgentRecordings, options: RemoteRecordingsOptions): DeviceRecordings {
  const copies = new LocalCopies(agent.filesOf, options);
  return { ...agent.recordings, open: (key, signal, progress) => copies.open(key, signal, progress) };
}

class LocalCopies {
  private readonly filesOf: AgentRecordings['filesOf'];
  private readonly options: RemoteRecordingsOptions;
  private readonly copies = new Map<string, Promise<LocalCopy>>();

  constructor(filesOf: AgentRecordings['filesOf'], options: RemoteRecordingsOptions) {
    this.filesOf = filesOf;
    this.options = options;
  }

  async open(
    key: RecordingKey,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<OpenRecording> {
    const files = await this.filesOf(key);
    const name = nameOf(key, files);
    const total = bytesOf(files);
    let done = 0;
    const onBytes = (bytes: number): void => progress?.((done += bytes), total);
    const copy = await this.share(name, () => this.bring(key, files, signal, onBytes));
    copy.users += 1;
    copy.cancel();
    let isReleased = false;
    const release = async (): Promise<void> => {
      if (isReleased) return;
      isReleased = true;
      copy.users -= 1;
      if (copy.users === 0) copy.cancel = this.options.clock.after(KEPT_MS, () => void this.drop(name));
    };
    return { files: copy.files, release };
  }

  private async drop(name: string): Promise<void> {
    this.copies.delete(name);
    await rm(join(this.options.dir, name), { recursive: true, force: true });
  }

  /** Two readers of the same Recording wait for one transfer; when its reader gives up, the next one goes on with what has come. */
  private async share(name: string, fetchAll: () => Promise<LocalCopy>): Promise<LocalCopy> {
    for (let other = this.copies.get(name); other !== undefined; other = this.copies.get(name)) {
      // The reader of that transfer gets its error; this one tries by itself.
      const copy = await other.catch(() => undefined);
      if (copy !== undefined) return copy;
    }
    const own = fetchAll();
    this.copies.set(name, own);
    try {
      return await own;
    } catch (error) {
      this.copies.delete(name);
      throw error;
    }
  }

  private async bring(
    key: RecordingKey,
    files: readonly FileAtDevice[],
    signal: AbortSignal,
    onBytes: (bytes: number) => void,
  ): Promise<LocalCopy> {
    const { dir, wire } = this.options;
    const folder = join(dir, nameOf(key, files));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const room = await IncomingRoom.of(folder, bytesOf(files));
    const admit = async (bytes: number): Promise<void> => {
      await room.take(bytes);
      onBytes(bytes);
    };
    const paths: string[] = [];
    try {
      for (const file of files) {
        const path = join(folder, file.name);
        const source = `${recordingPath(key)}/${encodeURIComponent(file.name)}`;
        await fetchFile(wire, source, { bytes: file.bytes, target: path, signal, onBytes: admit });
        paths.push(path);
      }
    } catch (error) {
      // A part of a transfer is kept for the next attempt, but not on a disk that has no room.
      if (error instanceof AppError && error.extras.facts?.['reason'] === 'disk')
        await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return { files: paths, users: 0, cancel: () => undefined };
  }
}

function bytesOf(files: readonly FileAtDevice[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The name changes as soon as the Recording has grown or was joined. */
function nameOf(key: RecordingKey, files: readonly FileAtDevice[]): string {
  return createHash('sha256')
    .update(JSON.stringify([key, files]))
    .digest('hex')
    .slice(0, 32);
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
