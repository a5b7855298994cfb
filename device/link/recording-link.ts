/** The control plane's side of the Recordings that an agent has. */
import type { DeviceRecordings } from '../../domain/device-link.ts';
import type { HeldRecording, RecordingKey } from '../../domain/recording.ts';

export interface FileAtDevice {
  name: string;
  /** The path on the Device. */
  path: string;
  bytes: number;
}

export type CallAgent = (method: 'GET' | 'DELETE', path: string, timeoutMs: number) => Promise<unknown>;

/** The agent looks at each file of a disk that may be slow. */
const LIST_MS = 20_000;
const CALL_MS = 5000;
/** Removing waits until a joining of the same Recording has ended, and a filesystem takes a second for some ten gigabytes. */
const REMOVE_MS = 15_000;

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
    const { files } = (await call('GET', recordingPath(key), CALL_MS)) as { files: FileAtDevice[] };
    return files;
  };
  const recordings: DeviceRecordings = {
    async list() {
      const { recordings } = (await call('GET', '/recordings', LIST_MS)) as { recordings: HeldRecording[] };
      return recordings;
    },
    async open(key) {
      const files = await filesOf(key);
      return { files: files.map(({ path }) => path), release: () => Promise.resolve() };
    },
    async remove(key) {
      await call('DELETE', recordingPath(key), REMOVE_MS);
    },
  };
  return { recordings, filesOf };
}
