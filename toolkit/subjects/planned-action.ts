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
  type ActionRun,
  type PlannedAction,
} from '../../domain/shapes/schedules/planned-action.ts';
import { mergePatch } from '../../domain/base/schema.ts';
import { assertPlan, plannedActionResource, presentAction } from '../../domain/rules/schedules/planned-action.ts';
import { instantInput } from '../../domain/time/instant.ts';
import type { Query, Tx, View } from '../../domain/ports/store.ts';
import { assertRow, presentIn } from '../crud.ts';
import { runsOf, runsWindow } from './planned-runs.ts';
import { parseInput } from '../input/input.ts';
import {
  dataOf,
  foundBody,
  instantRange,
  listOf,
  pageBody,
  pageFields,
  pageQuery,
  type PageInput,
} from '../output/page.ts';
import type { Answer, ToolContext } from '../tool.ts';

/** What a change answers; a read says what is done at each occurrence, too. */
export const actionAnswer = dataOf(actionOutput.omit({ runs: true }));
export const actionRead = dataOf(actionOutput);
export const actionList = listOf(actionOutput.partial());

export const actionFilters = {
  ...pageFields,
  search: pageFields.search.describe('Substring of the type or of the user who planned it.'),
  status: z.enum(ACTION_STATUSES).optional().describe('Only those in this status.'),
  from: instantInput('Only those at or after it; runs are from then on.').optional(),
  to: instantInput('Only those before it.').optional(),
};

type Filters = PageInput &
  Partial<Pick<PlannedAction, 'livestreamId' | 'status'>> & { from?: string | undefined; to?: string | undefined };

/**
 * One page of planned actions. One that goes with a Schedule is in a window where it is done at an occurrence of it, and is sorted by the
 * first of these times. Throws AppError invalid_input for a window that ends before it begins.
 */
export async function listActions(
  { store, clock }: Pick<ToolContext, 'store' | 'clock'>,
  input: Filters,
): Promise<Answer<z.infer<typeof actionList>>> {
  const { livestreamId, status, from, to } = input;
  if (from && to && Date.parse(to) <= Date.parse(from)) {
    const message = `must be later than from, which is ${toIso(Date.parse(from))}`;
    throw invalidInput([{ field: 'to', code: 'order', message }]);
  }
  const window = runsWindow(clock.now(), from, to);
  const execute_at = instantRange(from, to);
  const query = pageQuery(input, COLLECTIONS.plannedActions.indexed, { livestreamId, status });
  const { offset: _, limit: __, ...whole } = query;
  const relative =
    execute_at === undefined
      ? []
      : (await store.find('plannedActions', { ...whole, where: { ...query.where, scheduleId: { gte: 1 } } })).rows;
  const where = { ...query.where, execute_at, ...(execute_at !== undefined && { scheduleId: null }) };
  const found = await store.find('plannedActions', { ...(relative.length === 0 ? query : whole), where });
  const runs = await runsOf({ store }, [...found.rows, ...relative], window);
  const shown = (row: Readonly<PlannedAction>): z.infer<typeof actionOutput> => withRuns(row, runs);
  if (relative.length === 0) return { body: foundBody(found, input, shown) };
  const within = relative.filter(({ id }) => runs.get(id)?.length !== 0);
  const rows = inOrder([...found.rows, ...within], query.sort, runs);
  const first = (input.page - 1) * input.pageSize;
  return { body: pageBody(rows.slice(first, first + input.pageSize).map(shown), rows.length, input) };
}

/** The action as it is answered. */
export function withRuns(row: Readonly<PlannedAction>, runs: Runs): z.infer<typeof actionOutput> {
  const own = runs.get(row.id);
  return { ...presentAction(row), ...(own !== undefined && { runs: own }) };
}

type Runs = ReadonlyMap<number, ActionRun[]>;

function inOrder(
  rows: readonly Readonly<PlannedAction>[],
  sort: Query['sort'],
  runs: Runs,
): readonly Readonly<PlannedAction>[] {
  const { field, descending } = sort ?? { field: 'id', descending: false };
  const sign = descending ? -1 : 1;
  const valueOf = (row: Readonly<PlannedAction>): unknown =>
    (field === 'execute_at' ? runs.get(row.id)?.[0]?.execute_at : undefined) ??
    (row as unknown as Record<string, unknown>)[field];
  const compared = (one: unknown, other: unknown): number =>
    one === other ? 0 : one == null || (other != null && one < other) ? -1 : 1;
  return [...rows].sort((one, other) => sign * compared(valueOf(one), valueOf(other)) || one.id - other.id);
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
