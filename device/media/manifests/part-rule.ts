/** The length of parts: pieces of a segment that viewers get while the rest of it is still being made (RFC 8216bis §3.1). */
import { fpsOf } from '../ladder/frame-rate.ts';
import type { LadderPlan } from '../ladder/ladder-plan.ts';

/** Players are three parts behind the newest one: a second. Shorter parts cost more requests and headers than they save time. */
const WANTED_SECONDS = 1 / 3;
const MIN_SECONDS = 0.2;
const MAX_SECONDS = 0.4;
/** Audio ends within half a unit of the video; the longest unit, that of AC-3, has 32 ms. */
const AUDIO_SLACK_SECONDS = 0.032;

/**
 * Returns seconds, a whole number of frames: such that the keyframe distance is a whole number of parts, if there is such a length. Players
 * begin with a part that begins with a keyframe.
 */
export function partSeconds(keyframeSeconds: number, frameSeconds: number): number {
  const frames = Math.round(keyframeSeconds / frameSeconds);
  const wanted = Math.max(1, Math.round(WANTED_SECONDS / frameSeconds));
  const divisors = Array.from({ length: frames }, (_, i) => i + 1).filter((count) => {
    const seconds = count * frameSeconds;
    return frames % count === 0 && seconds > MIN_SECONDS - 0.001 && seconds < MAX_SECONDS + 0.001;
  });
  const [nearest = wanted] = divisors.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  return nearest * frameSeconds;
}

/** Returns the length for a plan, or undefined: only the source of a copy knows its frames. */
export function plannedPartSeconds(plan: LadderPlan): number | undefined {
  if (plan.copy) return undefined;
  if (!plan.hasVideo) return WANTED_SECONDS;
  // A part begins with a frame in each rendition, those of lower rates included.
  return partSeconds(plan.keyframeSeconds, plan.commonFrames / fpsOf(plan.rate));
}

/** Returns PART-TARGET: no part of any track is longer. */
export function partTarget(seconds: number): number {
  return Math.ceil((seconds + AUDIO_SLACK_SECONDS) * 1000) / 1000;
}
