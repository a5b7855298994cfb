/** The machine that keeps the data folder: its space and its clock. */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import { diskSpaceOf, megabytes } from '../../linux/disk-space.ts';
import { isClockKept } from '../../linux/time-service.ts';

/** One Recording of an hour at 6 Mbit/s takes 2.7 GB. */
const LOW_BYTES = 5e9;
/** The store refuses what creates something at about this. */
const FULL_BYTES = 2e8;
/** Before the first release there was no program to run: the clock is at its beginning, as after a flat battery. */
const FIRST_RELEASE = Date.parse('2026-01-01T00:00:00Z');
/** Files are written by this machine, whose clock counts. */
const AHEAD_MS = 60_000;
/** Machines whose clocks are kept differ by milliseconds, and a busy one answers late by a second or two. */
const APART_MS = 5000;

export function isLow(free: number, size: number): boolean {
  return free < LOW_BYTES || free < size / 20;
}

/** The disk of the folder, or of the nearest one above it that is there. */
export async function disk(data: string): Promise<Finding<'disk'>> {
  let dir = data;
  while (dirname(dir) !== dir && (await stat(dir).catch(() => undefined)) === undefined) dir = dirname(dir);
  const { free_bytes, size_bytes } = await diskSpaceOf(dir);
  const detail = `${megabytes(free_bytes)} of ${megabytes(size_bytes)} are free on the disk of ${data}.`;
  const remedy = 'Delete Assets or Recordings that are not needed, or give the data folder a larger disk.';
  if (free_bytes < FULL_BYTES) return failure('disk', detail, remedy);
  return isLow(free_bytes, size_bytes) ? warning('disk', detail, remedy) : ok('disk', detail);
}

/** `data` is the folder whose newest file says until when the clock has been; `storeMs` the time of a store that servers share. */
export async function clock(data: string, timezone: string, nowMs: number, storeMs = nowMs): Promise<Finding<'clock'>> {
  const now = new Date(nowMs).toISOString();
  const remedy = 'Set the clock, and let a time service keep it: apt-get install chrony, or timedatectl set-ntp true.';
  if (nowMs < FIRST_RELEASE) return failure('clock', `It says ${now}, which is over.`, remedy);
  const newest = await newestMs(join(data, 'store'));
  if (newest > nowMs + AHEAD_MS)
    return warning('clock', `It says ${now}, but the store was written at ${new Date(newest).toISOString()}.`, remedy);
  if (Math.abs(storeMs - nowMs) > APART_MS)
    return warning('clock', `It says ${now}, and the store goes by ${new Date(storeMs).toISOString()}.`, remedy);
  const isKept = await isClockKept();
  if (isKept === false) return warning('clock', `It says ${now}, zone ${timezone}; no time service keeps it.`, remedy);
  const kept = isKept === true ? 'a time service keeps it' : 'nothing here tells whether a time service keeps it';
  return ok('clock', `It says ${now}, zone ${timezone}; ${kept}.`);
}

async function newestMs(dir: string): Promise<number> {
  const names = await readdir(dir).catch(() => []);
  const times = await Promise.all(
    names.map(async (name) => (await stat(join(dir, name)).catch(() => undefined))?.mtimeMs ?? 0),
  );
  return Math.max(0, ...times);
}
