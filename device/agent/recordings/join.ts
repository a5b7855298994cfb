/**
 * Makes the parts of a Recording one file, once its run is over. No part is touched before the new file is whole, proven to be so, and on
 * the disk under its name: an agent that is killed at any point leaves the parts or the file, and its successor goes on.
 */
import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isShortage } from '../../../domain/base/absent.ts';
import { toIso } from '../../../domain/time/clock.ts';
import type { RecordingTrack } from '../../../domain/shapes/media/recording.ts';
import { diskSpaceOf } from '../../../linux/disk-space.ts';
import { syncFolder } from '../../../linux/folder.ts';
import { joinedName } from '../../recording-names.ts';
import { reserveOf } from '../../disk-reserve.ts';
import { probeMedia, type ProbedMedia } from '../../ffmpeg/media-probe.ts';
import { ffconcat, DiskFull, runJoin, type Part } from './join-ffmpeg.ts';
import { isFastStart, readInit, trimPart } from './part-end.ts';
import { completedInit } from '../../media/fmp4/aac-config.ts';
import { quarantine, UNFINISHED, type Facts, type StoredRecording, type StoredFile } from './stored-recordings.ts';

/** Seconds that a part may add to or take from the sum of lengths: its last frame has the distance to the first of the next part. */
const SEAM_SECONDS = 0.25;
/** A multiple of the reserve of Recordings on air: with less free space those are paused, and a join must not bring that about. */
const RESERVE_FACTOR = 1.5;
/**
 * Resolves with undefined when the parts have no media at all; their files are removed. Rejects with DiskFull, and with Error when ffmpeg
 * fails.
 */
export async function joinRecording(recording: StoredRecording, signal: AbortSignal): Promise<Facts | undefined> {
  const { parts, damaged } = await readParts(recording);
  if (parts.length === 0 && damaged.length === 0) {
    await Promise.all(recording.files.map(({ path }) => rm(path, { force: true })));
    return undefined;
  }
  if (parts.length === 0) return failure(recording, 'None of its parts can be read; they are kept on the Device.');
  const lost = damaged.length === 0 ? null : `${damaged.length} of its parts could not be read and were left out.`;
  const different = parts.find((part) => !follows(part, parts[0]!));
  if (different !== undefined) {
    const why = `${different.file.name} is set up differently from what came before it, so its parts stay as they are.`;
    return factsOf(recording, parts, tracksOf(parts[0]!.media), [why, lost].filter((text) => text !== null).join(' '));
  }
  const media = isWhole(parts) ? parts[0]!.media : await writeJoined(recording, parts, signal);
  // Unreadable parts are put aside only now: the joined file counts for all parts from here on.
  for (const file of damaged) await quarantine(file);
  return { ...factsOf(recording, parts, tracksOf(media), lost), duration_seconds: roundMs(media.seconds) };
}

/** Facts about parts that stay as they are because they cannot become one file. */
export async function factsOfParts(recording: StoredRecording, reason: string): Promise<Facts> {
  const { parts } = await readParts(recording);
  const [first] = parts;
  return first === undefined ? failure(recording, reason) : factsOf(recording, parts, tracksOf(first.media), reason);
}

async function readParts({ files }: StoredRecording): Promise<{ parts: Part[]; damaged: StoredFile[] }> {
  const parts: Part[] = [];
  const damaged: StoredFile[] = [];
  for (const file of files) {
    const bytes = file.isJoined ? file.bytes : await trimPart(file.path, file.container);
    // The file is a header alone, of a run that ended before its first fragment.
    if (bytes === 0) continue;
    await probeMedia(file.path).then(
      (media) => parts.push({ file: { ...file, bytes }, media }),
      (error: unknown) => {
        // A part that nobody has looked at is not damaged.
        if (isShortage(error)) throw error;
        damaged.push(file);
      },
    );
  }
  return { parts, damaged };
}

function follows({ file, media }: Part, first: Part): boolean {
  const setUps = ({ tracks }: ProbedMedia): string => tracks.map(({ setUp }) => setUp).join();
  return file.container === first.file.container && setUps(media) === setUps(first.media);
}

/** A single joined file is whole. So is a single MPEG-TS part, which needs no index, but it still has to be renamed. */
function isWhole([first, ...others]: readonly Part[]): boolean {
  return others.length === 0 && first!.file.isJoined;
}

async function writeJoined(
  recording: StoredRecording,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<ProbedMedia> {
  const { dir, container, upTo } = recording;
  const last = parts.at(-1)!.file;
  const target = join(dir, joinedName(recording, upTo));
  if (container === 'ts' && parts.length === 1) {
    await rename(last.path, target);
    await syncFolder(dir);
    return parts[0]!.media;
  }
  await assertRoom(dir, parts);
  const temporary = join(dir, `${UNFINISHED}${randomUUID()}.${container}`);
  const [list, head] = [`${temporary}.ffconcat`, `${temporary}.head`];
  try {
    const isCompleted = container === 'mp4' && (await writeHead(parts[0]!.file.path, head));
    const first = isCompleted ? head : undefined;
    await writeFile(list, ffconcat(parts, first), { mode: 0o600 });
    await runJoin({ container, parts, head: first, list, target: temporary }, signal);
    const media = await probeMedia(temporary);
    await assertWhole(temporary, media, parts);
    await sync(temporary);
    // The file's time says when the last of the media was written, whatever happens to the facts beside it.
    await utimes(temporary, new Date(last.changedMs), new Date(last.changedMs));
    await rename(temporary, target);
    await syncFolder(dir);
    return media;
  } finally {
    await Promise.all([temporary, list, head].map((path) => rm(path, { force: true })));
  }
}

/**
 * Parts of earlier versions do not describe their AAC; a head that does makes the joined file right. Resolves with whether one was written.
 */
async function writeHead(part: string, head: string): Promise<boolean> {
  const init = await readInit(part);
  const completed = init && completedInit(init);
  if (completed !== undefined) await writeFile(head, completed, { mode: 0o600 });
  return completed !== undefined;
}

async function assertRoom(dir: string, parts: readonly Part[]): Promise<void> {
  const { free_bytes: freeBytes, size_bytes: sizeBytes } = await diskSpaceOf(dir);
  const neededBytes = bytesOf(parts) + reserveOf(sizeBytes).record * RESERVE_FACTOR;
  if (freeBytes >= neededBytes) return;
  const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  throw new DiskFull(
    `The Device's disk has no room to make it one file: ${inMegabytes(freeBytes)} are free, ${inMegabytes(neededBytes)} needed. Its parts are kept.`,
  );
}

/** Rejects when the new file is not all of the parts. */
async function assertWhole(path: string, media: ProbedMedia, parts: readonly Part[]): Promise<void> {
  const [first] = parts;
  const toleranceSeconds = SEAM_SECONDS * (parts.length + 1);
  if (media.tracks.length !== first!.media.tracks.length) throw new Error('The joined file lacks a track.');
  media.tracks.forEach(({ codec, seconds }, at) => {
    const sum = parts.reduce((total, part) => total + part.media.tracks[at]!.seconds, 0);
    if (codec !== first!.media.tracks[at]!.codec || Math.abs(seconds - sum) > toleranceSeconds)
      throw new Error(`Track ${at + 1} of the joined file has ${seconds} s, its parts ${sum.toFixed(1)} s.`);
  });
  if (path.endsWith('.mp4') && !(await isFastStart(path))) throw new Error('The joined file has its index at the end.');
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
    if ((await stat(path)).size === 0) throw new Error('The joined file is empty.');
  } finally {
    await file.close();
  }
}

function bytesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { file }) => sum + file.bytes, 0);
}

function factsOf(
  recording: StoredRecording,
  parts: readonly Part[],
  tracks: RecordingTrack[],
  reason: string | null,
): Facts {
  const seconds = parts.reduce((sum, { media }) => sum + media.seconds, 0);
  const endedMs = Math.max(...parts.map(({ file }) => file.changedMs));
  const { file, media } = parts[0]!;
  // The birth time of a joined file is that of the join.
  const startedMs = file.isJoined ? file.changedMs - media.seconds * 1000 : file.bornMs;
  return {
    state: 'finished',
    upTo: recording.upTo,
    reason,
    tracks,
    duration_seconds: roundMs(seconds),
    started_at: toIso(startedMs),
    ended_at: toIso(endedMs),
  };
}

function failure({ files, upTo }: StoredRecording, reason: string): Facts {
  return {
    state: 'failed',
    upTo,
    reason,
    tracks: [],
    duration_seconds: 0,
    started_at: toIso(files[0]!.bornMs),
    ended_at: toIso(files.at(-1)!.changedMs),
  };
}

function tracksOf({ tracks }: ProbedMedia): RecordingTrack[] {
  return tracks.map(({ trackId, kind, codec, language, bitrate_kbps, width, height }) => {
    return { trackId, kind, codec, language, bitrate_kbps, width, height };
  });
}

function roundMs(seconds: number): number {
  return Number(seconds.toFixed(3));
}
