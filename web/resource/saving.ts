/** Saving an open form: one key for one body until an answer came, findings at their fields, the conflict with somebody else's change. */
import { signal } from '@preact/signals';
import { newKey } from '../api/client.ts';
import type { BodyOf, DataOf, ParamsOf } from '../api/operation-types.ts';
import type { ProblemError } from '../api/problems.ts';
import type { SaveOutcome } from '../api/save-outcome.ts';
import { save } from '../api/saves.ts';
import type { OperationId } from '../../client/request.ts';
import type { Draft } from '../ui/form/draft.ts';

export interface Conflict {
  theirs: object;
  etag: string | undefined;
  by: string | undefined;
}

/** Holds the last attempt to save a form. */
export function createSaving<O extends OperationId>(operation: O, params: ParamsOf<O> | undefined) {
  const isBusy = signal(false);
  const problem = signal<ProblemError | undefined>(undefined);
  const shownFields = signal<readonly string[]>([]);
  const conflict = signal<Conflict | undefined>(undefined);
  let attempt = { text: '', key: '' };

  /** Answers the data once it is saved, and the path of the field to mend where it is not. */
  async function send(
    draft: Draft,
    body: object,
    etag: string | undefined,
  ): Promise<{ saved?: { data: DataOf<O> }; first?: string | undefined }> {
    if (isBusy.peek()) return {};
    const text = JSON.stringify([body, etag]);
    // Without an answer nobody knows whether it was saved: the same is sent under the same key.
    if (attempt.text !== text) attempt = { text, key: newKey() };
    isBusy.value = true;
    try {
      const outcome = await save({ operation, params, body: body as BodyOf<O>, etag, idempotencyKey: attempt.key });
      return take(outcome, draft);
    } finally {
      isBusy.value = false;
    }
  }

  function take(
    outcome: SaveOutcome<DataOf<O>>,
    draft: Draft,
  ): { saved?: { data: DataOf<O> }; first?: string | undefined } {
    conflict.value = undefined;
    problem.value = undefined;
    if (outcome.kind !== 'refused' || (outcome.error.status > 0 && outcome.error.status < 500))
      attempt = { text: '', key: '' };
    if (outcome.kind === 'saved') return { saved: { data: outcome.data } };
    if (outcome.kind === 'changed') {
      conflict.value = { theirs: outcome.theirs as object, etag: outcome.etag, by: outcome.by };
      return {};
    }
    const { errors, field, detail } = outcome.error.fields;
    const conflicting =
      field === undefined ? [] : [{ field, code: 'duplicate', message: detail ?? outcome.error.message }];
    const placed = draft.take(errors ?? conflicting);
    problem.value = outcome.error;
    shownFields.value = placed.shown;
    return { first: placed.first };
  }
  return { isBusy, problem, shownFields, conflict, send };
}
