/** The figures of a run that change with each report, as a row without names: two hundred of them are sent each second. */
import type { EncodingRates, RateRow } from '../../domain/ports/live-watch.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';

export function rateRow(report: RunReport, nowMs: number): RateRow {
  const { livestreamId, source, encodings, peaks } = report;
  const sinceFrame = source.last_frame_at === null ? null : Math.max(0, nowMs - Date.parse(source.last_frame_at));
  const rates = encodings.map(({ encodingId, fps, bitrate_kbps, speed, dropped }): EncodingRates => [
    encodingId,
    fps,
    // Tenths of a kbit/s are a tenth of all bytes of a feed, and of no use to its reader.
    Math.round(bitrate_kbps),
    speed,
    dropped,
  ]);
  const [left, right] = peaks ?? [null, null];
  return [livestreamId, source.fps, Math.round(source.bitrate_kbps), sinceFrame, left, right, flagsOf(report), rates];
}

/** null when the runner reports none. */
export function flagsOf(report: RunReport | undefined): number | null {
  return report?.flags ?? null;
}
