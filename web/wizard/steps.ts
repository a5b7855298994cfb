/** The steps of a first broadcast as they are shown: what the answer says of them, or what is under way before it. */
import type { DataOf } from '../api/operation-types.ts';

type AnsweredStep = DataOf<'setUpBroadcast'>['steps'][number];
export type StepOperation = AnsweredStep['operationId'];

export const OPERATIONS = [
  'uploadAsset',
  'addChannel',
  'addEncoding',
  'addEncodingGroup',
  'addPublishing',
  'addLivestream',
  'start_livestream',
] as const satisfies readonly StepOperation[];

export interface Step extends Partial<Pick<AnsweredStep, 'name' | 'detail'>>, Pick<AnsweredStep, 'operationId'> {
  state: AnsweredStep['state'] | 'now' | 'waiting';
}

/**
 * Before the answer only one thing is known: how much of the file has left. The others are one commit of the server, so that they are under
 * way together and none is shown as done.
 */
export function stepsUnderWay(progress: number | undefined): Step[] {
  const isSending = progress !== undefined && progress < 1;
  return OPERATIONS.map((operationId): Step => {
    if (operationId === 'uploadAsset') return { operationId, state: progress === undefined ? 'skipped' : 'now' };
    return { operationId, state: isSending ? 'waiting' : 'now' };
  });
}

/** The steps that a refusal names; it names none where the request itself was wrong. */
export function stepsOfRefusal(fields: object): Step[] | undefined {
  const { steps } = fields as { steps?: unknown };
  return Array.isArray(steps) ? (steps as Step[]) : undefined;
}
