/** The reports of a broadcast on air, as long as those of a real one: levels of its sound, a ladder, its Destinations. */
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';

const FPS = 25;

/** Facts that hold from the first picture on. */
export function onAirReport(first: RunReport, at: string): Partial<RunReport> {
  const up = (path: PathStatus): PathStatus => (path.enabled ? { ...path, state: 'up', since: at } : path);
  return {
    on_air_at: at,
    publishings: first.publishings.map((each) => ({
      ...each,
      primary: up(each.primary),
      backup: each.backup && up(each.backup),
    })),
    conditions: [],
    source_watched: true,
    flags: 0,
    watch: first.publishings
      .filter(({ type }) => type === 'HLS / TS')
      .map(({ publishingId }) => ({ publishingId, path: `/live/${first.livestreamId}/${publishingId}/index.m3u8` })),
    ...figuresAt(first, at, () => 0.5),
  };
}

/** Figures that change from one second to the next. */
export function figuresAt(last: RunReport, at: string, random: () => number): Partial<RunReport> {
  const near = (value: number): number => Number((value * (0.98 + random() * 0.04)).toFixed(2));
  const loudness = { momentary_lufs: near(-23), short_term_lufs: near(-23), integrated_lufs: near(-23) };
  const levels = [{ track: 0, peak_dbfs: [near(-6), near(-6)], rms_dbfs: [near(-20), near(-20)], ...loudness }];
  const source = {
    ...last.source,
    state: 'up' as const,
    fps: FPS,
    bitrate_kbps: near(5000),
    last_frame_at: at,
    levels,
  };
  return {
    source,
    encodings: last.encodings.map((each) => ({ ...each, fps: FPS, bitrate_kbps: near(2500), speed: 1 })),
    peaks: [near(-6), near(-6)],
    cpu_cores: near(0.6),
    cores_taken: near(6),
    disk: { free_bytes: Math.round(9e11 - random() * 1e9), size_bytes: 1e12 },
  };
}
