/**
 * The file of a run's curves: a record a second, whose place is its instant, so that a restart goes on where its time is and nothing
 * has to be remembered. After seven days the oldest seconds are written over. A file of another form is not read.
 */
import { join } from 'node:path';
import { CURVE_NAMES, type CurveValues } from '../../domain/shapes/reports/curves.ts';

/** 5.5 MB a day. */
export const RECORD_BYTES = 64;
export const CAPACITY_SECONDS = 7 * 86_400;
/** It has the place of a record. */
export const HEAD = Buffer.from('onair curves 1\n'.padEnd(RECORD_BYTES));
/** Hundredths are kept; a rate of 20 Gbit/s has room. */
const SCALE = 100;
const NONE = -(2 ** 31);
const MAX = 2 ** 31 - 1;
const SUFFIX = '.curves';

export function curvesRoot(deviceDir: string): string {
  return join(deviceDir, 'curves');
}

export function curvesDir(deviceDir: string, livestreamId: number): string {
  return join(curvesRoot(deviceDir), String(livestreamId));
}

export function curveFile(deviceDir: string, { livestreamId, runId }: { livestreamId: number; runId: string }): string {
  return join(curvesDir(deviceDir, livestreamId), `${runId}${SUFFIX}`);
}

export function isCurveFile(name: string): boolean {
  return name.endsWith(SUFFIX);
}

/** The place of a second in the file, in bytes. */
export function placeOf(atSeconds: number): number {
  return RECORD_BYTES * (1 + (atSeconds % CAPACITY_SECONDS));
}

export function writeRecord(record: Buffer, atSeconds: number, values: CurveValues): void {
  record.writeUInt32LE(atSeconds, 0);
  for (const [index, name] of CURVE_NAMES.entries()) {
    const value = values[name];
    const scaled = value === undefined || !Number.isFinite(value) ? NONE : Math.round(value * SCALE);
    record.writeInt32LE(Math.min(Math.max(scaled, NONE), MAX), 4 * (index + 1));
  }
}

/** The instant of the record at this place, in seconds since 1970; 0 where none was written. */
export function instantAt(records: Buffer, at: number): number {
  return records.readUInt32LE(at);
}

export function valueAt(records: Buffer, at: number, index: number): number | undefined {
  const scaled = records.readInt32LE(at + 4 * (index + 1));
  return scaled === NONE ? undefined : scaled / SCALE;
}
