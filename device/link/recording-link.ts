/** The control plane's side of the Recordings that an agent has. */
import { basename, isAbsolute } from 'node:path';
import type { DeviceRecordings } from '../../domain/ports/device-link.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { RecordingKey } from '../../domain/shapes/media/recording.ts';
import { filesAnswer, recordingsAnswer, sentAnswer } from '../../domain/reported/answers.ts';
import { parseRecordingFile } from '../recording-names.ts';
import { answered } from './answered.ts';

export interface FileAtDevice {
  name: string;
  /** The path on the Device. */
  path: string;
  bytes: number;
}

export type CallAgent = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  timeoutMs: number,
  body?: unknown,
) => Promise<unknown>;

/** The agent looks at each file of a disk that may be slow. */
const LIST_MS = 20_000;
const CALL_MS = 5000;
/** Removing waits until a joining of the same Recording has ended, and a filesystem takes a second for some ten gigabytes. */
const REMOVE_MS = 15_000;
/** The Device itself gives up what stands still; an hour is the life of the address. */
const SEND_MS = 3_600_000;

export function recordingPath({ livestreamId, runId, publishingId }: RecordingKey): string {
  return `/recordings/${livestreamId}/${encodeURIComponent(runId)}/${publishingId}`;
}

export interface AgentRecordings {
  /** Recordings of an agent on this machine: their files are opened where they are. */
  readonly recordings: DeviceRecordings;
  /** Paths are those on the Device. Rejects with AppError not_found. */
  filesOf(key: RecordingKey): Promise<FileAtDevice[]>;
}

export function agentRecordings(call: CallAgent): AgentRecordings {
  const filesOf = async (key: RecordingKey): Promise<FileAtDevice[]> => {
    const { files } = answered('recording', filesAnswer, await call('GET', recordingPath(key), CALL_MS));
    assertFilesOf(key, files);
    return files;
  };
  const recordings: DeviceRecordings = {
    async list() {
      return answered('recordings', recordingsAnswer, await call('GET', '/recordings', LIST_MS)).recordings;
    },
    async open(key) {
      const files = await filesOf(key);
      return { files: files.map(({ path }) => path), release: () => Promise.resolve() };
    },
    async remove(key) {
      await call('DELETE', recordingPath(key), REMOVE_MS);
    },
    filesOf: async (key) => (await filesOf(key)).map(({ name, bytes }) => ({ name, bytes })),
    async send(key, { name, ...range }) {
      const path = `${recordingPath(key)}/${encodeURIComponent(name)}`;
      return answered('sent range', sentAnswer, await call('POST', path, SEND_MS, range)).tag;
    },
  };
  return { recordings, filesOf };
}

/** Names become those of files of this machine, so that each is one that a file of this Recording has. Throws AppError upstream_failed. */
function assertFilesOf({ runId, publishingId }: RecordingKey, files: readonly FileAtDevice[]): void {
  const isOwn = ({ name, path }: FileAtDevice): boolean => {
    const parsed = parseRecordingFile(name);
    const isItsName = parsed?.runId === runId && parsed.publishingId === publishingId;
    return isItsName && isAbsolute(path) && basename(path) === name;
  };
  const names = new Set(files.map(({ name }) => name));
  if (names.size === files.length && files.every(isOwn)) return;
  throw new AppError('upstream_failed', 'The Device names files that are none of this Recording; nothing is read.');
}
