/** Whose pictures are in a folder of a Destination. */
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { isInTransportStream } from '../../../domain/types/destination-questions.ts';
import { FIRST_PID } from '../../media/ladder/ladder-plan.ts';

/** The Encoding; null for sound, texts, and what no Encoding of the run makes. */
export function renditionOf({ outputs, renditions }: RunSpec, publishingId: number, folder: string): number | null {
  const number = /^\d+$/u.test(folder) ? Number(folder) : NaN;
  const output = outputs.find((each) => each.publishingId === publishingId);
  if (output === undefined) return null;
  const withVideo = renditions.filter(({ video }) => video !== null).map(({ encodingId }) => encodingId);
  if (isInTransportStream(output)) return withVideo.includes(number) ? number : null;
  // Folders of fragmented media are named by the PIDs of their tracks, of which those with pictures come first.
  return withVideo[number - FIRST_PID] ?? null;
}
