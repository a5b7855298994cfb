/** The files of Recordings on this Device's disk. */
import { rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifAbsent } from '../../../domain/base/absent.ts';
import type { HeldRecording, RecordingKey, RecordingTrack } from '../../../domain/shapes/media/recording.ts';
import { readCached, writeJson } from '../../atomic-file.ts';
import { namesIn } from '../../../linux/folder.ts';
import { factsName, parseRecordingFile, type RecordingFile } from '../../recording-names.ts';
import { recordingsDir, recordingsRoot } from '../../run-dir.ts';

export interface StoredFile extends RecordingFile {
  path: string;
  bytes: number;
  /** Milliseconds since the epoch at which the file was begun, and at which it was last written to. */
  bornMs: number;
  changedMs: number;
}

/** The files of a Recording on this disk; there is at least one. */
export interface StoredRecording extends RecordingKey {
  dir: string;
  container: RecordingFile['container'];
  /** Files in the order of their media, without parts that a joined file contains. */
  files: StoredFile[];
  /** Number of the last part of all. */
  upTo: number;
  /** Parts that a joined file has made superfluous. */
  spent: StoredFile[];
}

/** Result of a join or a probe once the run is over; it is valid until a newer part appears. */
export interface Facts extends Pick<HeldRecording, 'reason' | 'started_at' | 'ended_at'> {
  state: 'finished' | 'failed';
  upTo: number;
  duration_seconds: number;
  tracks: RecordingTrack[];
}

/** Prefix of a file that this agent is writing, or that an agent that died has left. */
export const UNFINISHED = '.joining-';
/** Suffix of a part that no program can read: it is kept for a person, and counted nowhere. */
const DAMAGED = '.damaged';

export async function listRecordings(deviceDir: string): Promise<StoredRecording[]> {
  const names = (await namesIn(recordingsRoot(deviceDir))).filter((name) => /^\d+$/u.test(name));
  const recordings: StoredRecording[] = [];
  for (const name of names) recordings.push(...(await listFolder(deviceDir, Number(name))));
  return recordings;
}

export async function findStored(deviceDir: string, key: RecordingKey): Promise<StoredRecording | undefined> {
  const { runId, publishingId } = key;
  const recordings = await listFolder(deviceDir, key.livestreamId);
  return recordings.find((recording) => recording.runId === runId && recording.publishingId === publishingId);
}

async function listFolder(deviceDir: string, livestreamId: number): Promise<StoredRecording[]> {
  const dir = recordingsDir(deviceDir, livestreamId);
  const groups = new Map<string, RecordingFile[]>();
  for (const file of (await namesIn(dir)).flatMap((name) => parseRecordingFile(name) ?? [])) {
    const key = factsName(file);
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  const recordings = [...groups.values()].map((files) => storedRecording(dir, livestreamId, files));
  return (await Promise.all(recordings)).filter((recording) => recording !== undefined);
}

async function storedRecording(
  dir: string,
  livestreamId: number,
  names: RecordingFile[],
): Promise<StoredRecording | undefined> {
  const all = (await Promise.all(names.map((file) => look(dir, file)))).filter((file) => file !== undefined);
  const joinedUpTo = Math.max(0, ...all.filter(({ isJoined }) => isJoined).map(({ upTo }) => upTo));
  const isSpent = ({ isJoined, upTo }: StoredFile): boolean => upTo < joinedUpTo || (upTo === joinedUpTo && !isJoined);
  const files = all.filter((file) => !isSpent(file)).sort((a, b) => a.upTo - b.upTo);
  const [first] = files;
  if (first === undefined) return undefined;
  const { runId, publishingId, container } = first;
  const upTo = files.at(-1)!.upTo;
  return { livestreamId, runId, publishingId, container, dir, files, upTo, spent: all.filter(isSpent) };
}

/** Undefined when the file has gone meanwhile. */
async function look(dir: string, file: RecordingFile): Promise<StoredFile | undefined> {
  const path = join(dir, file.name);
  // A deletion may have removed the file since its folder was listed.
  const stats = await stat(path).catch(ifAbsent(undefined));
  if (stats === undefined) return undefined;
  // A filesystem without times of birth answers 0; the time of the last write is then the best that is known.
  const bornMs = stats.birthtimeMs > 0 ? Math.min(stats.birthtimeMs, stats.mtimeMs) : stats.mtimeMs;
  return { ...file, path, bytes: stats.size, bornMs, changedMs: stats.mtimeMs };
}

/** Undefined while there is a newer part that the stored facts do not cover. */
export function readFacts(recording: StoredRecording): Facts | undefined {
  const facts = readCached(join(recording.dir, factsName(recording))) as Facts | undefined;
  return facts?.upTo === recording.upTo && Array.isArray(facts.tracks) ? facts : undefined;
}

export function writeFacts(recording: StoredRecording, facts: Facts): Promise<void> {
  return writeJson(join(recording.dir, factsName(recording)), facts);
}

export async function quarantine({ path }: StoredFile): Promise<void> {
  await rename(path, `${path}${DAMAGED}`);
}

export async function removeStored(deviceDir: string, key: RecordingKey): Promise<void> {
  const dir = recordingsDir(deviceDir, key.livestreamId);
  const isOwn = (name: string): boolean => {
    const file = parseRecordingFile(name.endsWith(DAMAGED) ? name.slice(0, -DAMAGED.length) : name);
    return file?.runId === key.runId && file.publishingId === key.publishingId;
  };
  for (const name of await namesIn(dir)) if (isOwn(name)) await rm(join(dir, name), { force: true });
  await rm(join(dir, factsName(key)), { force: true });
  // rmdir(2) removes only an empty folder; one that other Recordings are in stays.
  await rmdir(dir).catch(() => undefined);
}

/** Removes files that an agent that died had not finished. */
export async function sweepUnfinished(deviceDir: string): Promise<void> {
  for (const folder of await namesIn(recordingsRoot(deviceDir))) {
    const dir = join(recordingsRoot(deviceDir), folder);
    for (const name of await namesIn(dir)) if (name.startsWith(UNFINISHED)) await rm(join(dir, name), { force: true });
  }
}
