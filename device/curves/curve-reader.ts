/** Reads the curves that runners have noted on this Device, and removes old ones. */
import { open, rm, rmdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ifAbsent } from '../../domain/base/absent.ts';
import { CURVE_NAMES, CURVES, type Curves, type CurvesWanted } from '../../domain/shapes/reports/curves.ts';
import { namesIn } from '../../linux/folder.ts';
import {
  CAPACITY_SECONDS,
  curvesDir,
  curvesRoot,
  HEAD,
  instantAt,
  isCurveFile,
  placeOf,
  RECORD_BYTES,
  valueAt,
} from './curve-file.ts';

/** An hour and eight minutes at once. */
const CHUNK_RECORDS = 4096;
const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
/** The curves of 180 days on air; the oldest files go first. */
const MAX_BYTES = 1e9;

/** Answers the curves of all runs of the Live stream that are kept here, in at most that many steps. */
export async function readCurves(deviceDir: string, livestreamId: number, wanted: CurvesWanted): Promise<Curves> {
  const toSeconds = wanted.toSeconds;
  const fromSeconds = Math.max(wanted.fromSeconds, toSeconds - CAPACITY_SECONDS);
  const stepSeconds = Math.max(1, Math.ceil((toSeconds - fromSeconds) / wanted.points));
  const steps = Math.max(0, Math.ceil((toSeconds - fromSeconds) / stepSeconds));
  const values = Object.fromEntries(
    CURVE_NAMES.map((name) => [name, new Array<number | null>(steps).fill(null)]),
  ) as Curves['values'];
  const curves = { fromSeconds, stepSeconds, values };
  const dir = curvesDir(deviceDir, livestreamId);
  for (const name of (await namesIn(dir)).filter(isCurveFile)) {
    const path = join(dir, name);
    const { mtimeMs } = await stat(path);
    if (mtimeMs / 1000 >= fromSeconds) await addFile(curves, path, toSeconds);
  }
  return curves;
}

async function addFile(curves: Curves, path: string, toSeconds: number): Promise<void> {
  const file = await open(path, 'r').catch(ifAbsent(undefined));
  if (file === undefined) return;
  try {
    const head = Buffer.alloc(HEAD.length);
    await file.read(head, 0, head.length, 0);
    if (head.equals(HEAD)) await addRecords(curves, file, toSeconds);
  } finally {
    await file.close();
  }
}

async function addRecords(curves: Curves, file: FileHandle, toSeconds: number): Promise<void> {
  const records = Buffer.alloc(CHUNK_RECORDS * RECORD_BYTES);
  let at = curves.fromSeconds;
  while (at < toSeconds) {
    const untilWrap = CAPACITY_SECONDS - (at % CAPACITY_SECONDS);
    const count = Math.min(CHUNK_RECORDS, toSeconds - at, untilWrap);
    const { bytesRead } = await file.read(records, 0, count * RECORD_BYTES, placeOf(at));
    for (let index = 0; (index + 1) * RECORD_BYTES <= bytesRead; index += 1) {
      // Another second may lie there: one of a week before, or none at all.
      if (instantAt(records, index * RECORD_BYTES) === at + index) addRecord(curves, at + index, records, index);
    }
    at += count;
  }
}

function addRecord({ fromSeconds, stepSeconds, values }: Curves, at: number, records: Buffer, index: number): void {
  const step = Math.floor((at - fromSeconds) / stepSeconds);
  for (const [place, name] of CURVE_NAMES.entries()) {
    const value = valueAt(records, index * RECORD_BYTES, place);
    const curve = values[name];
    const before = curve[step];
    if (value === undefined) continue;
    if (before == null) curve[step] = value;
    else curve[step] = CURVES[name].merge === 'least' ? Math.min(before, value) : Math.max(before, value);
  }
}

/** Removes files that nobody has written to for a month, and the oldest of more than a gigabyte. Rejects with the error of the filesystem. */
export async function sweepCurves(deviceDir: string, nowMs: number): Promise<void> {
  const root = curvesRoot(deviceDir);
  const files: { path: string; mtimeMs: number; bytes: number }[] = [];
  for (const livestream of await namesIn(root)) {
    const dir = join(root, livestream);
    for (const name of (await namesIn(dir)).filter(isCurveFile)) {
      const path = join(dir, name);
      const { mtimeMs, blocks } = await stat(path);
      files.push({ path, mtimeMs, bytes: blocks * 512 });
    }
    // rmdir(2) removes only an empty folder.
    await rmdir(dir).catch(() => undefined);
  }
  let bytes = 0;
  for (const file of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += file.bytes;
    if (bytes > MAX_BYTES || nowMs - file.mtimeMs > KEPT_MS) await rm(file.path, { force: true });
  }
}
