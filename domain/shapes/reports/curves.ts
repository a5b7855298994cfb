/** Curves of a broadcast: figures that its runner notes each second, and keeps on its Device. */
import { z } from 'zod/v3';
import { instantField } from '../../base/schema.ts';

/** How one value stands for several seconds: a fault is an extreme, and is to be seen whatever the step. */
type Merge = 'least' | 'most';

interface Curve {
  merge: Merge;
  description: string;
}

/** In the order in which they lie in a record: a new one goes behind the others. */
export const CURVES = {
  source_fps: { merge: 'least', description: 'Pictures a second of the source.' },
  source_kbps: { merge: 'least', description: 'Rate of the source in kbit/s.' },
  fps: { merge: 'least', description: 'Pictures a second of the slowest rendition.' },
  kbps: { merge: 'least', description: 'Rate of all renditions in kbit/s.' },
  speed: { merge: 'least', description: 'Encoding speed against real time.' },
  dropped: { merge: 'most', description: 'Number of pictures dropped since the start of the run.' },
  peak_left_dbfs: { merge: 'most', description: 'Peak of the left channel, in dBFS.' },
  peak_right_dbfs: { merge: 'most', description: 'Peak of the right channel, in dBFS.' },
  momentary_lufs: { merge: 'most', description: 'Loudness of 400 ms of the first track, in LUFS.' },
  short_term_lufs: { merge: 'most', description: 'Loudness of 3 s, in LUFS.' },
  integrated_lufs: { merge: 'most', description: 'Loudness since the start, in LUFS.' },
  cpu_cores: { merge: 'most', description: 'Number of cores that the run takes.' },
  paths_up: { merge: 'least', description: 'Number of paths of Destinations that take the stream.' },
} as const satisfies Record<string, Curve>;
export type CurveName = keyof typeof CURVES;
export const CURVE_NAMES = Object.keys(CURVES) as CurveName[];

/** A value a second for a day. */
export const MAX_POINTS = 86_400;

/** undefined where nothing is known of it. */
export type CurveValues = Record<CurveName, number | undefined>;

/** A value a step, from `fromSeconds` since 1970 on; null where there is none. */
export interface Curves {
  fromSeconds: number;
  stepSeconds: number;
  values: Record<CurveName, (number | null)[]>;
}

export interface CurvesWanted {
  /** Seconds since 1970; the end is not in it. */
  fromSeconds: number;
  toSeconds: number;
  /** The most values of a curve. */
  points: number;
}

const points = (name: CurveName): z.ZodArray<z.ZodNullable<z.ZodNumber>> =>
  z.array(z.number().nullable()).describe(CURVES[name].description);

export const curvesOutput = z
  .object({
    from: instantField,
    step_seconds: z.number().int().describe('Seconds between two values; a longer step has the worst of them.'),
    values: z
      .object(
        Object.fromEntries(CURVE_NAMES.map((name) => [name, points(name)])) as Record<
          CurveName,
          ReturnType<typeof points>
        >,
      )
      .strict()
      .describe('A list for each curve; null: nothing was noted then.'),
  })
  .strict()
  .nullable()
  .describe('Figures of each second, of the last seven days of a run; null: its Device has none, or does not answer.');
export type ReportCurves = z.infer<typeof curvesOutput>;
