/** The port to the curves and the pictures that Devices keep of their runs. */
import type { Curves, CurvesWanted } from '../shapes/reports/curves.ts';
import type { KeptPicture, PicturesWanted } from '../shapes/reports/kept-pictures.ts';

export interface RunFigures {
  /** Those of the Live stream on all of these Devices, laid over each other; undefined where none of them answers. */
  curves(livestreamId: number, deviceIds: readonly number[], wanted: CurvesWanted): Promise<Curves | undefined>;
  /** Those of the Live stream on all of these Devices, the earliest first; undefined where none of them answers. */
  keptPictures(
    livestreamId: number,
    deviceIds: readonly number[],
    wanted: PicturesWanted,
  ): Promise<KeptPicture[] | undefined>;
}
