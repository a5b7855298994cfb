/**
 * Measures over the last ten seconds how well an encoder keeps up. ffmpeg's own speed is a mean since its start, which tells nothing after
 * an hour.
 */
import type { Progress } from '../../media/ffmpeg-output/progress.ts';

const WINDOW_MS = 10_000;
const BUCKET_MS = 500;

interface Bucket {
  atMs: number;
  taken: number;
  offered: number;
}

export class Throughput {
  private buckets: Bucket[] = [];
  private readonly points: { atMs: number; seconds: number }[] = [];
  private beganAt: number | undefined;

  /** A frame was offered to the encoder. */
  offered(taken: boolean, nowMs: number): void {
    this.beganAt ??= nowMs;
    let last = this.buckets.at(-1);
    if (last === undefined || nowMs - last.atMs >= BUCKET_MS) {
      last = { atMs: nowMs, taken: 0, offered: 0 };
      this.buckets.push(last);
      this.buckets = this.buckets.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
    }
    last.offered += 1;
    if (taken) last.taken += 1;
  }

  /** Share of the frames that were taken; undefined until a whole window has passed. */
  takenShare(nowMs: number): number | undefined {
    if (this.beganAt === undefined || nowMs - this.beganAt < WINDOW_MS) return undefined;
    const sum = (of: 'taken' | 'offered'): number => this.buckets.reduce((total, bucket) => total + bucket[of], 0);
    const offered = sum('offered');
    return offered === 0 ? undefined : sum('taken') / offered;
  }

  /** Returns media seconds a second of the clock. */
  progressed({ outSeconds, speed }: Pick<Progress, 'outSeconds' | 'speed'>, nowMs: number): number {
    const { points } = this;
    points.push({ atMs: nowMs, seconds: outSeconds });
    while (points.length > 2 && nowMs - points[0]!.atMs > WINDOW_MS) points.shift();
    const [first] = points as [(typeof points)[number]];
    const passed = (nowMs - first.atMs) / 1000;
    // The first reports come while the encoder's buffers fill.
    return passed < 2 ? speed : Math.max(0, (outSeconds - first.seconds) / passed);
  }
}
