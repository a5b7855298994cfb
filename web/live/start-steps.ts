/** How far a start has come, by what the server says of the Live stream while its status is 1. */
import type { LivestreamStatus } from './status.ts';

const START_STEPS = ['capacity', 'source', 'encoder', 'destination'] as const;
type StartStep = (typeof START_STEPS)[number];

export interface StepState {
  step: StartStep;
  state: 'done' | 'now' | 'waiting';
}

/** The server gives a start on a Device up after this. */
const BOUND_MS = 30_000;

/** The first step that is not done is under way, and those after it wait. */
export function startSteps(
  status: Pick<LivestreamStatus, 'deviceId' | 'source' | 'encodings' | 'publishings'>,
): StepState[] {
  const isUp = (path: { state: string } | null): boolean => path?.state === 'up';
  const reached: Record<StartStep, boolean> = {
    capacity: status.deviceId !== null,
    source: status.source?.state === 'up',
    encoder: status.encodings.some(({ fps }) => fps > 0),
    destination: status.publishings.some(({ primary, backup }) => isUp(primary) || isUp(backup)),
  };
  // A later step that is done has needed those before it, whatever an older report says of them.
  const last = START_STEPS.findLastIndex((step) => reached[step]);
  return START_STEPS.map((step, place) => ({
    step,
    state: place <= last ? 'done' : place === last + 1 ? 'now' : 'waiting',
  }));
}

/** Whole seconds until a start that began then is given up; undefined where the server has not said when it began. */
export function secondsLeft(since: string | null, now: number): number | undefined {
  if (since === null) return undefined;
  return Math.max(0, Math.ceil((Date.parse(since) + BOUND_MS - now) / 1000));
}
