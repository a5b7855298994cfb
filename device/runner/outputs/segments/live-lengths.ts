/** The lengths of parts and segments of a copy with low latency, which nobody knows before its first segment is whole. */
import { keyframeSlack } from '../../../media/manifests/segment-rule.ts';
import { partTarget } from '../../../media/manifests/part-rule.ts';
import type { CmafPart, PartSegmenter } from '../../../media/manifests/part-segmenter.ts';
import type { LiveParts } from './live-parts.ts';

/** Those of audio are whole units. */
export function learnLengths(
  live: LiveParts,
  { last, tracks }: CmafPart,
  { length, keyframeSeconds }: Pick<PartSegmenter, 'length' | 'keyframeSeconds'>,
  { segmentSeconds, hasVideo }: { segmentSeconds: number; hasVideo: boolean },
): void {
  if (live.segmentSeconds > 0) return;
  if (!hasVideo) {
    const { unitSeconds } = [...tracks.values()][0]!;
    live.segmentSeconds = Math.ceil(segmentSeconds / unitSeconds - 0.001) * unitSeconds;
  } else if (last && keyframeSeconds !== undefined && length !== undefined) {
    const slack = keyframeSlack(keyframeSeconds);
    live.segmentSeconds = Math.max(1, Math.floor((segmentSeconds + slack) / keyframeSeconds)) * keyframeSeconds;
    live.partTargetSeconds = partTarget(length);
  }
}
