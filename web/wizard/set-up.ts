/** The order of a first broadcast. It outlives the view, because the list that showed the wizard is empty no more once a row is made. */
import { computed, signal } from '@preact/signals';
import { call, dataIn } from '../api/call.ts';
import { newKey } from '../api/client.ts';
import type { DataOf } from '../api/operation-types.ts';
import { ProblemError } from '../api/problems.ts';
import { upload } from '../api/uploads.ts';
import { stepsOfRefusal, stepsUnderWay, type Step } from './steps.ts';

export interface Wanted {
  file: File | undefined;
  address: string;
  /** How an encoder pushes it; empty: none does. */
  ingest: '' | 'rtmp-push' | 'srt-listen';
  name: string;
  /** Further arguments of the set-up. */
  more: Readonly<Record<string, unknown>>;
  /** Only the plan is asked for. */
  isTrial: boolean;
}

type SetUp = DataOf<'setUpBroadcast'>;

export const isBusy = signal(false);
export const problem = signal<ProblemError | undefined>(undefined);
export const result = signal<SetUp | undefined>(undefined);
/** The result is a plan, of which nothing is made. */
export const isPlan = signal(false);
/** How an encoder that needs an address and a key pushes its source; empty: none does. */
export const pushedBy = signal<Wanted['ingest']>('');
/** From 0 to 1; undefined where no file is sent. */
export const progress = signal<number | undefined>(undefined);
let refused: Step[] | undefined;
let underWay: Readonly<Record<string, unknown>> = {};
let cancelUpload: (() => void) | undefined;
let attempt = { text: '', key: '' };

export const steps = computed((): readonly Step[] => {
  // Of a plan nothing is under way.
  if (isBusy.value) return isPlan.value ? [] : stepsUnderWay(progress.value, underWay);
  if (result.value !== undefined) return result.value.steps;
  return problem.value === undefined ? [] : (refused ?? []);
});

/** An order is under way, or its outcome has not been closed yet. */
export const isFirstBroadcastOpen = computed(
  () => isBusy.value || result.value !== undefined || problem.value !== undefined,
);

export function closeFirstBroadcast(): void {
  problem.value = undefined;
  result.value = undefined;
}

/** Ends the sending of the file; once the server has it, the set-up goes on. */
export function cancelSending(): void {
  cancelUpload?.();
}

async function send(
  { file, address, ingest, name, isTrial, ...wanted }: Wanted,
  idempotencyKey: string,
): Promise<SetUp> {
  // An encoder needs address and key before anything can come from it: the outcome of the start is not waited for.
  const more = {
    ...wanted.more,
    ...(isTrial && { dry_run: true }),
    ...(ingest !== '' && !isTrial && { wait_seconds: 0 }),
  };
  if (file === undefined) {
    const body = { ...(ingest === '' ? { address } : { ingest }), ...(name !== '' && { name }), ...more };
    return dataIn((await call('setUpBroadcast', { body, idempotencyKey })).body) as SetUp;
  }
  const texts = Object.entries({ ...(name !== '' && { name }), ...more }).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const fields = Object.fromEntries(texts) as Record<string, string>;
  const sending = upload({ operation: 'setUpBroadcast', fields, file, idempotencyKey });
  const follow = sending.progress.subscribe((share) => (progress.value = share));
  cancelUpload = sending.cancel;
  try {
    return await sending.done;
  } finally {
    follow();
    cancelUpload = undefined;
  }
}

export async function setUp(wanted: Wanted): Promise<void> {
  if (isBusy.peek()) return;
  const { file } = wanted;
  const text = JSON.stringify([file?.name, file?.size, file?.lastModified, { ...wanted, file: undefined }]);
  // Without an answer nobody knows whether it was made: the same is sent under the same key.
  if (attempt.text !== text) attempt = { text, key: newKey() };
  closeFirstBroadcast();
  underWay = wanted.more;
  isPlan.value = wanted.isTrial;
  pushedBy.value = wanted.ingest;
  progress.value = file === undefined ? undefined : 0;
  isBusy.value = true;
  try {
    result.value = await send(wanted, attempt.key);
    attempt = { text: '', key: '' };
  } catch (error) {
    const refusal = error instanceof ProblemError ? error : new ProblemError(0, {});
    if (refusal.status > 0 && refusal.status < 500) attempt = { text: '', key: '' };
    refused = stepsOfRefusal(refusal.fields);
    problem.value = refusal;
  } finally {
    isBusy.value = false;
  }
}
