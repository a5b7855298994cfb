/** Where the segments of a Destination may end. */
import type { LadderPlan } from '../ladder/ladder-plan.ts';

export interface SegmentTimes {
  segmentSeconds: number;
  /** Length of the first segment: short, so that viewers can begin early. */
  firstSeconds: number;
  /** Expected distance of keyframes; undefined: only the source knows it. */
  keyframeSeconds: number | undefined;
}

/** Whole keyframe distances: a segment can only end where a keyframe begins. */
export function segmentTimes({ copy, hasVideo, keyframeSeconds }: LadderPlan, wantedSeconds: number): SegmentTimes {
  const whole = Math.max(1, Math.round(wantedSeconds / keyframeSeconds)) * keyframeSeconds;
  const segmentSeconds = copy || !hasVideo ? wantedSeconds : whole;
  const firstSeconds = Math.min(keyframeSeconds, segmentSeconds);
  return { segmentSeconds, firstSeconds, keyframeSeconds: copy ? undefined : keyframeSeconds };
}
