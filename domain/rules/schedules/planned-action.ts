import { toIso } from '../../time/clock.ts';
import { AppError, invalidInput, ruleViolated, wrongState, type FieldIssue } from '../../base/errors.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import {
  ACTIONS,
  actionFields,
  actionOutput,
  beginsAtMs,
  type ActionBody,
  type ActionStatus,
  type ActionType,
  type PlannedAction,
} from '../../shapes/schedules/planned-action.ts';
import { changeRowOf, kindOfAction } from '../../shapes/changes/change-questions.ts';
import { defineResource } from '../../ports/resource.ts';
import type { Tx, View } from '../../ports/store.ts';
import { boundEncodings, boundPublishings } from '../broadcasts/bindings.ts';
import {
  bodyIssues,
  encodingObstacle,
  pathIssues,
  placeReferenceIssues,
  startConfigIssues,
  startShapeIssues,
  switchIssues,
} from '../broadcasts/command-rules.ts';
import { pictureIssues } from '../broadcasts/livestream.ts';
import { addEvent } from '../rows/event-log.ts';
import { assertRules } from '../rows/references.ts';
import { mergePatch } from '../../base/schema.ts';
import { calledIn } from '../../base/sentence.ts';

export const plannedActionResource = defineResource({
  collection: 'plannedActions',
  noun: 'Planned action',
  idParam: 'actionId',
  shape: actionFields,
  output: actionOutput,
  shortFields: ['id', 'livestreamId', 'type', 'execute_at', 'status', 'error'],
  filters: {},
  present: (row) => row,
});

type Plan = Pick<PlannedAction, 'type' | 'payload'>;

/** Checks against the present state of types that have more to say than their rows. */
const RULES: {
  [T in ActionType]?: (view: View, livestream: Readonly<Livestream>, body: ActionBody<T>) => FieldIssue[];
} = {
  start: startIssues,
  sourceSwitch: (view, _, body) => switchIssues(view, body),
  publishings: (view, livestream, body) => pathIssues(view, body, switchable(view, livestream)),
  options: (view, livestream, body) => pictureIssues(mergePatch(livestream, body), view),
};

/** `payload` is a valid body of its operation. Throws AppError invalid_input or rule_violated, with the fields under `payload`. */
export function assertPlan(view: View, livestream: Readonly<Livestream>, { type, payload }: Plan): void {
  const kind = kindOfAction(type);
  const row = kind && changeRowOf(kind);
  const mistakes = type === 'start' ? startShapeIssues(payload as never) : (row?.mistakes(payload) ?? []);
  if (mistakes.length > 0) throw invalidInput(mistakes.map(inPayload));
  const issues = [
    ...(kind === undefined ? [] : bodyIssues(view, kind, payload as never)),
    ...(RULES[type]?.(view, livestream, payload as never) ?? []),
  ];
  assertRules(issues.map(inPayload));
  if (row?.needs == null) return;
  const { what, of } = row.needs;
  const obstacle = encodingObstacle(boundEncodings(view, livestream), livestream.name, what, of);
  if (obstacle !== undefined) throw new AppError('rule_violated', obstacle);
}

function inPayload(issue: FieldIssue): FieldIssue {
  return { ...issue, field: `payload.${issue.field}` };
}

function startIssues(view: View, livestream: Readonly<Livestream>, body: ActionBody<'start'>): FieldIssue[] {
  const ladder = boundEncodings(view, livestream).map(({ id }) => id);
  return [
    ...placeReferenceIssues(view, body),
    ...startConfigIssues(view, boundPublishings(view, livestream), ladder, body.startConfig ?? []),
  ];
}

/** Destinations that are bound now, or to the run on air: either may count at the action's time. */
function switchable(view: View, livestream: Readonly<Livestream>): number[] {
  const run = view.get('runs', livestream.id);
  const started = run?.status === 1 || run?.status === 2 ? run.boundPublishings : [];
  return [...new Set([...boundPublishings(view, livestream).map(({ id }) => id), ...started])];
}

/** The instant as it is stored. Throws AppError invalid_input for one that is not ahead. */
export function aheadOf(nowMs: number, type: ActionType, execute_at: string): string {
  const atMs = Date.parse(execute_at);
  if (atMs > nowMs) return toIso(atMs);
  const now = toIso(nowMs);
  const message = `must be ahead; it is ${now} now. To act at once call ${ACTIONS[type].operation}`;
  throw invalidInput([{ field: 'execute_at', code: 'past', message, now }]);
}

/** Throws AppError wrong_state, or conflict for an action whose time has come and that is being carried out. */
export function assertPending(action: Readonly<PlannedAction>, nowMs: number): void {
  assertStatus(action, 'pending');
  const begunMs = beginsAtMs(action);
  if (begunMs > nowMs) return;
  const detail = `Planned action ${action.id} is being carried out since ${toIso(begunMs)}; read it for its outcome.`;
  throw new AppError('conflict', detail, { retryAfterSeconds: 1 });
}

/** Checks a disabled action that is to be enabled. Throws AppError wrong_state, or rule_violated when its time has passed. */
export function assertRearmable(action: Readonly<PlannedAction>, nowMs: number): void {
  assertStatus(action, 'disabled');
  if (Date.parse(action.execute_at) > nowMs) return;
  const message = `its time ${action.execute_at} has passed; plan it anew with addLivestreamAction`;
  throw ruleViolated(`Planned action ${action.id} cannot be enabled: ${message}.`, [
    { field: 'execute_at', code: 'past', message },
  ]);
}

function assertStatus({ id, status }: Readonly<PlannedAction>, wanted: ActionStatus): void {
  if (status === wanted) return;
  throw wrongState(
    `Planned action ${id} is ${status}; this can be done while it is ${wanted} only.`,
    status,
    [wanted],
    'Plan it anew instead.',
  );
}

/** Runs inside the commit that deletes their Live stream. */
export function cancelActions(tx: Tx, now: string, livestreamId: number): void {
  const { rows } = tx.find('plannedActions', { where: { livestreamId, status: { in: ['pending', 'disabled'] } } });
  const error = `${calledIn(tx, 'Live stream', livestreamId)} was deleted.`;
  for (const row of rows) tx.put('plannedActions', { ...row, status: 'cancelled', error, updated_at: now });
}

const KEPT_MS = 365 * 86_400_000;
const SWEEP_LIMIT = 4;

/** Each new action removes a few that have been over for a year. */
export function sweepActions(tx: Tx, nowMs: number): void {
  const old = { execute_at: { lt: toIso(nowMs - KEPT_MS) } };
  for (const { id } of tx.find('plannedActions', { where: old, limit: SWEEP_LIMIT }).rows)
    tx.delete('plannedActions', id);
}

/**
 * Runs inside the commit of the action's operation. Throws AppError conflict when the action is not to be carried out any more, so that
 * nothing of it is stored.
 */
export function settleAction(tx: Tx, now: string, action: Readonly<PlannedAction>): void {
  const present = tx.get('plannedActions', action.id);
  if (!isSame(present, action))
    throw new AppError('conflict', `Planned action ${action.id} was changed while it was carried out.`);
  tx.put('plannedActions', { ...present, status: 'executed', updated_at: now });
  const { livestreamId, type } = action;
  const message = `Planned action ${action.id} (${type}) was carried out.`;
  addEvent(tx, now, livestreamId, { kind: 'action_executed', severity: 'info', message, data: factsOf(action, now) });
}

/** Runs inside a commit of its own; an action that was cancelled meanwhile stays cancelled. */
export function failAction(tx: Tx, now: string, action: Readonly<PlannedAction>, reason: AppError): void {
  const present = tx.get('plannedActions', action.id);
  if (!isSame(present, action)) return;
  tx.put('plannedActions', { ...present, status: 'failed', error: reason.message, updated_at: now });
  const { livestreamId, type } = action;
  const message = `Planned action ${action.id} (${type}) has failed: ${reason.message}`;
  const facts = { ...factsOf(action, now), code: reason.code, reason: reason.message };
  addEvent(tx, now, livestreamId, { kind: 'action_failed', severity: 'warning', message, data: facts });
}

function isSame(
  present: Readonly<PlannedAction> | undefined,
  { execute_at }: Readonly<PlannedAction>,
): present is Readonly<PlannedAction> {
  return present?.status === 'pending' && present.execute_at === execute_at;
}

function factsOf({ id, type, execute_at }: Readonly<PlannedAction>, now: string): Record<string, unknown> {
  return { actionId: id, type, execute_at, late_ms: Date.parse(now) - Date.parse(execute_at) };
}
