/** Notes the figures of a run once a second. A disk that refuses, or is slow, costs curves and nothing else. */
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, write, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { CURVE_NAMES, type CurveValues } from '../../domain/shapes/reports/curves.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { curveFile, HEAD, instantAt, placeOf, RECORD_BYTES, valueAt, writeRecord } from './curve-file.ts';

const SECOND_MS = 1000;
const PATHS_UP = CURVE_NAMES.indexOf('paths_up');
/** A run that was away for longer has other things to tell than a gap. */
const MAX_LOOK_BACK = 600;

export class CurveWriter {
  private readonly clock: Clock;
  private readonly record = Buffer.alloc(RECORD_BYTES);
  private fd: number | undefined;
  /** The disk has not taken the last record yet: a slow one holds nothing up. */
  private isBusy = false;
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;
  /** The last instant, in seconds since 1970, at which an earlier process of the run is known to have delivered; undefined without one. */
  readonly deliveredUntil: number | undefined;

  constructor(deviceDir: string, spec: Pick<RunSpec, 'livestreamId' | 'runId'>, clock: Clock) {
    this.clock = clock;
    const path = curveFile(deviceDir, spec);
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      this.deliveredUntil = this.lookBack(this.fd);
      writeSync(this.fd, HEAD, 0, HEAD.length, 0);
    } catch {
      this.fd = undefined;
    }
  }

  start(report: () => RunReport): void {
    this.timer = setInterval(() => this.note(report()), SECOND_MS);
  }

  close(): void {
    clearInterval(this.timer);
    this.isClosing = true;
    if (!this.isBusy) this.end();
  }

  private end(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  note(report: RunReport): void {
    const { fd, record } = this;
    if (fd === undefined || this.isBusy) return;
    const atSeconds = Math.floor(this.clock.now() / SECOND_MS);
    writeRecord(record, atSeconds, curveValues(report));
    this.isBusy = true;
    write(fd, record, 0, RECORD_BYTES, placeOf(atSeconds), () => {
      this.isBusy = false;
      if (this.isClosing) this.end();
    });
  }

  private lookBack(fd: number): number | undefined {
    const notedAt = fstatSync(fd).mtimeMs / SECOND_MS;
    const now = Math.floor(this.clock.now() / SECOND_MS);
    for (let at = now; at > now - MAX_LOOK_BACK; at -= 1) {
      const size = readSync(fd, this.record, 0, RECORD_BYTES, placeOf(at));
      const isOfThen = size === RECORD_BYTES && instantAt(this.record, 0) === at;
      // The file tells when its last record was written; any other lies somewhere within its second.
      if (isOfThen && (valueAt(this.record, 0, PATHS_UP) ?? 0) > 0)
        return Math.floor(notedAt) === at ? notedAt : at + 0.5;
    }
    return undefined;
  }
}

function curveValues({ source, encodings, publishings, peaks, cpu_cores }: RunReport): CurveValues {
  const pictures = encodings.filter(({ fps }) => fps > 0);
  const levels = source.levels?.[0];
  const paths = publishings.flatMap(({ primary, backup }) => (backup === null ? [primary] : [primary, backup]));
  const least = (values: number[]): number | undefined => (values.length === 0 ? undefined : Math.min(...values));
  return {
    source_fps: source.fps,
    source_kbps: source.bitrate_kbps,
    fps: least(pictures.map(({ fps }) => fps)) ?? 0,
    kbps: encodings.reduce((sum, { bitrate_kbps }) => sum + bitrate_kbps, 0),
    speed: least(pictures.map(({ speed }) => speed)),
    dropped: Math.max(0, ...encodings.map(({ dropped }) => dropped)),
    peak_left_dbfs: peaks?.[0],
    peak_right_dbfs: peaks?.[1],
    momentary_lufs: levels?.momentary_lufs ?? undefined,
    short_term_lufs: levels?.short_term_lufs ?? undefined,
    integrated_lufs: levels?.integrated_lufs ?? undefined,
    cpu_cores,
    paths_up: paths.filter(({ state }) => state === 'up').length,
  };
}
