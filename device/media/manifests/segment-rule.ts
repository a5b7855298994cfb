/** The rule by which segments end, for every packager: transport stream and fragmented MP4 cut at the same times. */
import type { LadderPlan } from '../ladder/ladder-plan.ts';

export interface SegmentTimes {
  segmentSeconds: number;
  /** Length of the first segment: short, so that viewers can begin early. */
  firstSeconds: number;
  /** Expected distance of keyframes; undefined: it is learnt from the first ones, since only the source of a copy knows it. */
  keyframeSeconds: number | undefined;
}

export interface SegmentRule extends SegmentTimes {
  /** Tells whether a break begins or ends after the first time and by the second, in seconds: a segment has to end there. */
  isCut?(fromSeconds: number, toSeconds: number): boolean;
}

/** Returns whole keyframe distances: a segment can only end where a keyframe begins. */
export function segmentTimes({ copy, hasVideo, keyframeSeconds }: LadderPlan, wantedSeconds: number): SegmentTimes {
  const whole = Math.max(1, Math.round(wantedSeconds / keyframeSeconds)) * keyframeSeconds;
  const segmentSeconds = copy || !hasVideo ? wantedSeconds : whole;
  // Only the source of a copy knows its keyframes: the first segment ends at the second of them.
  const firstSeconds = copy && hasVideo ? 0 : Math.min(keyframeSeconds, segmentSeconds);
  return { segmentSeconds, firstSeconds, keyframeSeconds: copy ? undefined : keyframeSeconds };
}

/** Returns how far a keyframe may be off its time, in seconds. `keyframeSeconds` is 0 for audio. */
export function keyframeSlack(keyframeSeconds: number): number {
  return Math.min(0.25, keyframeSeconds / 4);
}

/**
 * Tells whether a segment of so many seconds ends at this keyframe: it is long enough, or would be too long by the next one (a restarted
 * encoder begins off the grid, and no segment may exceed the target duration). The rule knows times alone, so all renditions of a ladder
 * cut at the same place. `keyframeSeconds` is 0 for audio.
 */
export function isSegmentDue(
  { segmentSeconds, firstSeconds }: SegmentTimes,
  seconds: number,
  keyframeSeconds: number,
  isFirst: boolean,
): boolean {
  const slack = keyframeSlack(keyframeSeconds);
  if (isFirst) return seconds >= firstSeconds - slack;
  return seconds >= segmentSeconds - slack || (seconds > slack && seconds + keyframeSeconds > segmentSeconds + slack);
}
