/** Curves and pictures that the runs of this Device have kept: read for reports, and removed when they are old. */
import type { Log } from '../../../domain/base/log.ts';
import type { Curves, CurvesWanted } from '../../../domain/shapes/reports/curves.ts';
import type { KeptPicture, PicturesWanted } from '../../../domain/shapes/reports/kept-pictures.ts';
import { readCurves, sweepCurves } from '../../curves/curve-reader.ts';
import { readPictures, sweepPictures } from '../../pictures/picture-reader.ts';
import { decodedPictures } from '../../probe/kept-keyframes.ts';

export class KeptFigures {
  private readonly deviceDir: string;
  private readonly log: Log;

  constructor(deviceDir: string, log: Log) {
    this.deviceDir = deviceDir;
    this.log = log;
  }

  curves(livestreamId: number, wanted: CurvesWanted): Promise<Curves> {
    return readCurves(this.deviceDir, livestreamId, wanted);
  }

  pictures(livestreamId: number, wanted: PicturesWanted): Promise<KeptPicture[]> {
    const { deviceDir } = this;
    return readPictures(deviceDir, livestreamId, wanted, (keyframes) => decodedPictures(deviceDir, keyframes));
  }

  /** Nobody waits for it: a large folder takes seconds. */
  sweep(nowMs: number): void {
    const failed = (what: string) => (error: unknown) =>
      this.log.warn({ err: error }, `Old ${what} could not be removed; tried again within the hour.`);
    sweepCurves(this.deviceDir, nowMs).catch(failed('curves'));
    sweepPictures(this.deviceDir, nowMs).catch(failed('pictures'));
  }
}
