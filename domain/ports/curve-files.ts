/** The port to the curves that Devices keep of their runs. */
import type { Curves, CurvesWanted } from '../shapes/reports/curves.ts';

export interface CurveFiles {
  /** Those of the Live stream on all of these Devices, laid over each other; undefined where none of them answers. */
  curves(livestreamId: number, deviceIds: readonly number[], wanted: CurvesWanted): Promise<Curves | undefined>;
}
