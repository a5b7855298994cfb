/**
 * Measures over the last ten seconds how well an encoder keeps up. ffmpeg's own speed is a mean since its start, which tells nothing after
 * an hour.
 */
import type { Progress } from '../../media/ffmpeg-output/progress.ts';

const WINDOW_MS = 10_000;

export class Throughput {
  private readonly points: { atMs: number; seconds: number }[] = [];

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
