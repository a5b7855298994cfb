/** Reads the line that ffmpeg writes for the first samples that go into the filters of a track (ashowinfo@<number of the track>). */

export interface SoundForm {
  /** Hz. */
  sample_rate: number;
  channels: number;
}

export interface SoundBegin {
  /** Number of the track among those that are taken. */
  track: number;
  /** Time of the source. */
  seconds: number;
  form: SoundForm;
}

const LINE = /\[ashowinfo@(\d+) @ .*? pts_time:(-?[\d.]+) .*?channels:(\d+) .*?rate:(\d+) /u;

export function soundBegin(line: string): SoundBegin | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [track, seconds, channels, sample_rate] = match.slice(1).map(Number) as [number, number, number, number];
  return { track, seconds, form: { sample_rate, channels } };
}
