/** The files of Recordings on this Device's disk. */
import { rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeldRecording, RecordingKey, RecordingTrack } from '../../../domain/recording.ts';
import { readJson, writeJson } from '../../atomic-file.ts';
import { namesIn } from '../../folder.ts';
import { factsName, parseRecordingFile, type RecordingFile } from '../../recording-names.ts';
import { recordingsDir } from '../../run-dir.ts';

export interface StoredFile extends RecordingFile {
  path: string;
  bytes: number;
  /** When it was begun, and when it was written to last. */
  bornMs: number;
  changedMs: number;
}

/** A Recording as it lies there; at least one file. */
export interface StoredRecording extends RecordingKey {
  dir: string;
  container: RecordingFile['container'];
  /** In the order of the media; what is in a joined file already is left out. */
  files: StoredFile[];
  /** The last part of all. */
  upTo: number;
  /** Parts that a joined file has made superfluous. */
  spent: StoredFile[];
}

/** What was found out once the run was over; it counts while no newer part is there. */
export interface Facts extends Pick<HeldRecording, 'reason' | 'started_at' | 'ended_at'> {
  state: 'finished' | 'failed';
  upTo: number;
  duration_seconds: number;
  tracks: RecordingTrack[];
}

/** Being made by this agent, or left by one that died. */
export const UNFINISHED = '.joining-';
/** A part that no program can read: kept for a person, counted by nobody. */
const DAMAGED = '.damaged';

function rootOf(deviceDir: string): string {
  return join(deviceDir, 'recordings');
}

export async function listRecordings(deviceDir: string): Promise<StoredRecording[]> {
  const names = (await namesIn(rootOf(deviceDir))).filter((name) => /^\d+$/u.test(name));
  const found: StoredRecording[] = [];
  for (const name of names) found.push(...(await listFolder(deviceDir, Number(name))));
  return found;
}

export async function findStored(deviceDir: string, key: RecordingKey): Promise<StoredRecording | undefined> {
  const { runId, publishingId } = key;
  const held = await listFolder(deviceDir, key.livestreamId);
  return held.find((stored) => stored.runId === runId && stored.publishingId === publishingId);
}

async function listFolder(deviceDir: string, livestreamId: number): Promise<StoredRecording[]> {
  const dir = recordingsDir(deviceDir, livestreamId);
  const groups = new Map<string, RecordingFile[]>();
  for (const file of (await namesIn(dir)).flatMap((name) => parseRecordingFile(name) ?? [])) {
    const key = factsName(file);
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  const stored = [...groups.values()].map((files) => storedRecording(dir, livestreamId, files));
  return (await Promise.all(stored)).filter((held) => held !== undefined);
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

/** Undefined when it has gone meanwhile. */
async function look(dir: string, file: RecordingFile): Promise<StoredFile | undefined> {
  const path = join(dir, file.name);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  // A filesystem without times of birth says 0; what was written last is then the best that is known.
  const bornMs = found.birthtimeMs > 0 ? Math.min(found.birthtimeMs, found.mtimeMs) : found.mtimeMs;
  return { ...file, path, bytes: found.size, bornMs, changedMs: found.mtimeMs };
}

/** Undefined while there is something newer that they do not speak of. */
export function readFacts(stored: StoredRecording): Facts | undefined {
  const facts = readJson(join(stored.dir, factsName(stored))) as Facts | undefined;
  return facts?.upTo === stored.upTo && Array.isArray(facts.tracks) ? facts : undefined;
}

export function writeFacts(stored: StoredRecording, facts: Facts): Promise<void> {
  return writeJson(join(stored.dir, factsName(stored)), facts);
}

export async function quarantine({ path }: StoredFile): Promise<void> {
  await rename(path, `${path}${DAMAGED}`);
}

export async function removeStored(deviceDir: string, key: RecordingKey): Promise<void> {
  const dir = recordingsDir(deviceDir, key.livestreamId);
  const own = (name: string): boolean => {
    const file = parseRecordingFile(name.endsWith(DAMAGED) ? name.slice(0, -DAMAGED.length) : name);
    return file?.runId === key.runId && file.publishingId === key.publishingId;
  };
  for (const name of await namesIn(dir)) if (own(name)) await rm(join(dir, name), { force: true });
  await rm(join(dir, factsName(key)), { force: true });
  // Only an empty one goes.
  await rmdir(dir).catch(() => undefined);
}

/** What an agent that died had not finished. */
export async function sweepUnfinished(deviceDir: string): Promise<void> {
  for (const folder of await namesIn(rootOf(deviceDir))) {
    const dir = join(rootOf(deviceDir), folder);
    for (const name of await namesIn(dir)) if (name.startsWith(UNFINISHED)) await rm(join(dir, name), { force: true });
  }
}
