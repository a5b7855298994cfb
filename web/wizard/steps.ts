/** The steps of a first broadcast as they are shown: what the answer says of them, or what is under way before it. */

export const OPERATIONS = [
  'uploadAsset',
  'addChannel',
  'addEncoding',
  'addEncodingGroup',
  'addPublishing',
  'addLivestream',
  'start_livestream',
] as const;
export type StepOperation = (typeof OPERATIONS)[number];

export interface Step {
  operationId: StepOperation;
  state: 'done' | 'failed' | 'skipped' | 'now' | 'waiting';
  name?: string | null;
  detail?: string;
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
