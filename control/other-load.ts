/** Cores that programs take of each Device which are no broadcasts, by the reports of its runs: of these a start gets nothing. */
import type { RunReport } from '../domain/shapes/broadcasts/run.ts';

/** A figure is a mean of ten seconds. */
const LOOK_EVERY_MS = 10_000;
/** The least of so many counts: what ends within half a minute refuses nothing. */
const LOOKS = 3;
/** Nothing ran there for so long: what was counted before tells nothing. */
const STALE_MS = 6 * LOOK_EVERY_MS;
/** Smaller changes are not worth a commit. */
const STEP = 0.25;

export class OtherLoad {
  private readonly reportsAt: (deviceId: number) => (RunReport | undefined)[];
  private readonly looks = new Map<number, { atMs: number; cores: number[] }>();

  /** `reportsAt` answers a report, or undefined, for each run that starts or runs there. */
  constructor(reportsAt: (deviceId: number) => (RunReport | undefined)[]) {
    this.reportsAt = reportsAt;
  }

  /** It is called with each report of the Device. Answers cores; undefined while they are not known. */
  observe(deviceId: number, { cores_taken: taken }: RunReport, nowMs: number): number | undefined {
    const look = this.looks.get(deviceId) ?? { atMs: -Infinity, cores: [] };
    this.looks.set(deviceId, look);
    if (nowMs - look.atMs > STALE_MS) look.cores = [];
    if (taken !== undefined && nowMs - look.atMs >= LOOK_EVERY_MS) {
      // A run whose own figure is missing would be counted among the others.
      const own = this.reportsAt(deviceId).map((report) => report?.cpu_cores);
      const others = own.reduce((left: number, cores) => left - (cores ?? Number.NaN), taken);
      if (Number.isFinite(others)) Object.assign(look, { atMs: nowMs, cores: [...look.cores, others].slice(-LOOKS) });
    }
    if (look.cores.length < LOOKS) return undefined;
    return Math.max(0, Math.round(Math.min(...look.cores) / STEP) * STEP);
  }
}
