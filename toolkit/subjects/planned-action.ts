/** The shared parts of the operations on planned actions. */
import { z } from 'zod/v3';
import { toIso } from '../../domain/time/clock.ts';
import { COLLECTIONS } from '../../domain/ports/collections.ts';
import { invalidInput } from '../../domain/base/errors.ts';
import { livestreamOptions, type Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import {
  ACTIONS,
  ACTION_STATUSES,
  actionOutput,
  type PlannedAction,
} from '../../domain/shapes/schedules/planned-action.ts';
import { mergePatch } from '../../domain/base/schema.ts';
import { assertPlan, plannedActionResource } from '../../domain/rules/schedules/planned-action.ts';
import { instantInput } from '../../domain/time/instant.ts';
import type { Tx, View } from '../../domain/ports/store.ts';
import { assertRow, presentIn } from '../crud.ts';
import { parseInput } from '../input/input.ts';
import { dataOf, foundBody, listOf, pageFields, pageQuery, type PageInput } from '../output/page.ts';
import type { Answer, ToolContext } from '../tool.ts';

export const actionAnswer = dataOf(actionOutput);
export const actionList = listOf(actionOutput.partial());

export const actionFilters = {
  ...pageFields,
  search: pageFields.search.describe('Substring of the type or of the user who planned it.'),
  status: z.enum(ACTION_STATUSES).optional().describe('Only those in this status.'),
  from: instantInput('Only those at or after it.').optional(),
  to: instantInput('Only those before it.').optional(),
};

type Filters = PageInput &
  Partial<Pick<PlannedAction, 'livestreamId' | 'status'>> & { from?: string | undefined; to?: string | undefined };

/** One page of planned actions. Throws AppError invalid_input for a window that ends before it begins. */
export async function listActions(
  { store }: Pick<ToolContext, 'store'>,
  input: Filters,
): Promise<Answer<z.infer<typeof actionList>>> {
  const { livestreamId, status, from, to } = input;
  // Stored instants have milliseconds; text without them would sort after those that have.
  const normal = (instant: string): string => toIso(Date.parse(instant));
  if (from && to && Date.parse(to) <= Date.parse(from)) {
    const message = `must be later than from, which is ${normal(from)}`;
    throw invalidInput([{ field: 'to', code: 'order', message }]);
  }
  const execute_at = { ...(from && { gte: normal(from) }), ...(to && { lt: normal(to) }) };
  const where = { livestreamId, status, execute_at: from || to ? execute_at : undefined };
  const query = pageQuery(input, COLLECTIONS.plannedActions.indexed, where);
  return { body: foundBody(await store.find('plannedActions', query), input, (row) => row) };
}

/** Throws AppError invalid_input or rule_violated for a payload, with its fields under `payload`. */
export function assertPlanned(
  view: View,
  livestream: Readonly<Livestream>,
  plan: Pick<PlannedAction, 'type' | 'payload'>,
): void {
  const schema = z.object({ payload: z.object(ACTIONS[plan.type].body).strict() });
  const { payload } = parseInput(schema, { payload: plan.payload });
  // Options are a part of a whole, which has rules of its own: a text that is not there yet needs its words.
  if (plan.type === 'options')
    parseInput(z.object({ payload: z.object(livestreamOptions) }), { payload: mergePatch(livestream, payload) });
  assertPlan(view, livestream, { ...plan, payload });
}

/** Changes an existing action, for callers who may call what it does. `edit` throws for a change that cannot be made; its `nowMs` is that of the commit, as the scheduler's is. */
export function editAction(
  { clock, commit, request }: Pick<ToolContext, 'clock' | 'commit' | 'request'>,
  actionId: number,
  edit: (action: Readonly<PlannedAction>, nowMs: number, tx: Tx) => PlannedAction,
): Promise<Answer<z.infer<typeof actionAnswer>>> {
  return commit((tx, now) => {
    const present = assertRow(tx, plannedActionResource, actionId, request.expectedVersions);
    const row = { ...edit(present, clock.now(), tx), updated_at: now };
    if (row.status === 'pending') request.rights.assertMayCall(ACTIONS[row.type].operation);
    tx.put('plannedActions', row);
    return presentIn(tx, plannedActionResource, row);
  });
}
