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
  'addPublishingGroup',
  'addLivestream',
  'addSchedule',
  'start_livestream',
] as const satisfies readonly StepOperation[];

export interface Step extends Partial<Pick<AnsweredStep, 'name' | 'detail'>>, Pick<AnsweredStep, 'operationId'> {
  state: AnsweredStep['state'] | 'now' | 'waiting';
}

/**
 * Before the answer only one thing is known: how much of the file has left. The others are one commit of the server, so that they are under
 * way together and none is shown as done.
 */
export function stepsUnderWay(progress: number | undefined, wanted: Readonly<Record<string, unknown>>): Step[] {
  const isSending = progress !== undefined && progress < 1;
  const isLeftOut: Partial<Record<StepOperation, boolean>> = {
    addPublishingGroup: wanted['record'] !== true && wanted['destinations'] === undefined,
    addSchedule: wanted['start_at'] === undefined,
    start_livestream: wanted['start_at'] !== undefined || wanted['start'] === false,
  };
  return OPERATIONS.filter((operationId) => isLeftOut[operationId] !== true).map((operationId): Step => {
    if (operationId === 'uploadAsset') return { operationId, state: progress === undefined ? 'skipped' : 'now' };
    return { operationId, state: isSending ? 'waiting' : 'now' };
  });
}

/** The steps that a refusal names; it names none where the request itself was wrong. */
export function stepsOfRefusal(fields: object): Step[] | undefined {
  const { steps } = fields as { steps?: unknown };
  return Array.isArray(steps) ? (steps as Step[]) : undefined;
}
