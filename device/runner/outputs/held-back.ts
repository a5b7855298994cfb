/** Which paths of a run the gate keeps back. */
import { isGated, OPEN_GATE } from '../../../domain/shapes/broadcasts/run-move.ts';
import type { OutputSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { RECORDING_TYPE } from '../../../domain/types/destination-types.ts';

export function isRecording({ type }: Pick<OutputSpec, 'type'>): boolean {
  return type === RECORDING_TYPE;
}

/**
 * A Recording begins once its run has its place, and goes on until the run ends: for a moment both runs of a move record, so that nothing is
 * missing between them.
 */
export function isHeldBack(
  { gate = OPEN_GATE, wasOnAir }: Pick<RunSpec, 'gate' | 'wasOnAir'>,
  output: Pick<OutputSpec, 'type' | 'settings'>,
  which: 'primary' | 'backup',
): boolean {
  if (isRecording(output)) return !gate.primary && wasOnAir !== true;
  return isGated(output) && !gate[which];
}
