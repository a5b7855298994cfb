/** Recordings of an agent on another machine: what is to be read of them is brought to this one first. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceRecordings } from '../../domain/device-link.ts';
import { AppError } from '../../domain/errors.ts';
import type { OpenRecording, RecordingKey } from '../../domain/recording.ts';
import { IncomingRoom } from '../incoming-space.ts';
import { toAppError } from './agent-link.ts';
import { recordingPath, type AgentRecordings, type FileAtDevice } from './recording-link.ts';
import { overWire, readBody, type Wire } from '../socket-http.ts';

export interface RemoteRecordingsOptions {
  wire: Wire;
  /** Of this machine; large enough for the Recordings that are read at once. */
  dir: string;
  clock: Clock;
}

/** Who reads in ranges, as a player or a resumed download does, comes back within this time. */
const KEPT_MS = 10 * 60_000;
const SILENCE_MS = 60_000;
/** A line that breaks is tried again from where it was. */
const ATTEMPTS = 5;

interface Brought {
  files: string[];
  users: number;
  cancel: () => void;
}

type Progress = (bytes: number) => void;
/** Before so many bytes are written; rejects when there is no room for them. */
type Taken = (bytes: number) => Promise<void>;

export function remoteRecordings(
  { recordings, filesOf }: AgentRecordings,
  { wire, dir, clock }: RemoteRecordingsOptions,
): DeviceRecordings {
  const kept = new Map<string, Promise<Brought>>();

  async function bring(
    key: RecordingKey,
    files: FileAtDevice[],
    signal: AbortSignal,
    onBytes: Progress,
  ): Promise<Brought> {
    const folder = join(dir, nameOf(key, files));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const room = await IncomingRoom.of(folder, total);
    const taken = async (bytes: number): Promise<void> => {
      await room.take(bytes);
      onBytes(bytes);
    };
    const paths: string[] = [];
    try {
      for (const file of files) {
        const path = join(folder, file.name);
        const source = `${recordingPath(key)}/${encodeURIComponent(file.name)}`;
        await fetchFile(wire, source, file.bytes, path, signal, taken);
        paths.push(path);
      }
    } catch (error) {
      // What came of it is kept for the next attempt, but not on a disk that has no room.
      if (error instanceof AppError && error.extras.facts?.['reason'] === 'disk')
        await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return { files: paths, users: 0, cancel: () => undefined };
  }

  /** Two readers of the same wait for one transfer; when its reader gives up, the next one goes on with what has come. */
  async function share(name: string, fetchAll: () => Promise<Brought>): Promise<Brought> {
    for (let other = kept.get(name); other !== undefined; other = kept.get(name)) {
      const brought = await other.catch(() => undefined);
      if (brought !== undefined) return brought;
    }
    const own = fetchAll();
    kept.set(name, own);
    try {
      return await own;
    } catch (error) {
      kept.delete(name);
      throw error;
    }
  }

  async function open(
    key: RecordingKey,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<OpenRecording> {
    const files = await filesOf(key);
    const name = nameOf(key, files);
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    const onBytes = (bytes: number): void => progress?.((done += bytes), total);
    const brought = await share(name, () => bring(key, files, signal, onBytes));
    brought.users += 1;
    brought.cancel();
    const drop = async (): Promise<void> => {
      kept.delete(name);
      await rm(join(dir, name), { recursive: true, force: true });
    };
    let released = false;
    return {
      files: brought.files,
      async release() {
        if (released) return;
        released = true;
        brought.users -= 1;
        if (brought.users === 0) brought.cancel = clock.after(KEPT_MS, () => void drop());
      },
    };
  }

  return { ...recordings, open };
}

/** Another one as soon as the Recording has grown or was joined. */
function nameOf(key: RecordingKey, files: readonly FileAtDevice[]): string {
  return createHash('sha256')
    .update(JSON.stringify([key, files]))
    .digest('hex')
    .slice(0, 32);
}

/** Goes on where an earlier attempt was cut off, up to `bytes`. Rejects with AppError unavailable. */
async function fetchFile(
  wire: Wire,
  path: string,
  bytes: number,
  target: string,
  signal: AbortSignal,
  taken: Taken,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const have = (await stat(target).catch(() => undefined))?.size ?? 0;
    if (have === bytes) return;
    try {
      await fetchRest(wire, `${path}?from=${have}`, target, signal, taken);
    } catch (error) {
      if (error instanceof AppError || signal.aborted || attempt === ATTEMPTS) throw brokenOff(error);
    }
  }
}

async function fetchRest(wire: Wire, path: string, target: string, signal: AbortSignal, taken: Taken): Promise<void> {
  const outgoing = request({ ...overWire(wire), method: 'GET', path, signal });
  outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error('The Device sends nothing.')));
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.end();
  });
  if (reply.statusCode !== 200) throw toAppError((await readBody(reply)).body);
  const admitted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      await taken(chunk.length);
      yield chunk;
    }
  };
  await pipeline(reply, admitted, createWriteStream(target, { flags: 'a', mode: 0o600 }), { signal });
}

function brokenOff(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('unavailable', 'The Recording could not be brought from its Device; try again.', { cause });
}
