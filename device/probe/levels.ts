/** Levels of raw sound: 32-bit floats in little endian, all channels of a track together. */
import { SILENCE_DBFS } from '../../domain/shapes/sources/probe.ts';
import { rounded } from './packet-facts.ts';

export interface Levels {
  peak_dbfs: number | null;
  rms_dbfs: number | null;
}

/** Both are null when there are no samples. A full-scale sine has an RMS of -3.01. */
export function levelsOf(samples: Buffer): Levels {
  const count = Math.floor(samples.length / 4);
  if (count === 0) return { peak_dbfs: null, rms_dbfs: null };
  let peak = 0;
  let squares = 0;
  for (let at = 0; at < count; at += 1) {
    const sample = samples.readFloatLE(at * 4);
    peak = Math.max(peak, Math.abs(sample));
    squares += sample * sample;
  }
  return { peak_dbfs: decibels(peak), rms_dbfs: decibels(Math.sqrt(squares / count)) };
}

function decibels(amplitude: number): number {
  return amplitude <= 0 ? SILENCE_DBFS : Math.max(SILENCE_DBFS, rounded(20 * Math.log10(amplitude), 2));
}
