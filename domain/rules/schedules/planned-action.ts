import type { z } from 'zod/v3';
import { toIso } from '../../time/clock.ts';
import { AppError, invalidInput, ruleViolated, wrongState, type FieldIssue } from '../../base/errors.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import {
  ACTIONS,
  actionFields,
  actionOutput,
  beginsAtMs,
  isTimed,
  type ActionBody,
  type ActionOffset,
  type ActionStatus,
  type ActionType,
  type PlannedAction,
  type TimedAction,
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
import { afterRun, nextRun, retimed } from './relative-actions.ts';
import { assertRules, referenceIssues } from '../rows/references.ts';
import { mergePatch } from '../../base/schema.ts';
import { called, calledIn } from '../../base/sentence.ts';

export const plannedActionResource = defineResource({
  collection: 'plannedActions',
  noun: 'Planned action',
  idParam: 'actionId',
  shape: actionFields,
  output: actionOutput,
  shortFields: ['id', 'livestreamId', 'type', 'execute_at', 'scheduleId', 'at', 'status', 'error'],
  filters: {},
  present: presentAction,
});

/** The action as callers see it, without what it did at the occurrences of its Schedule. */
export function presentAction(action: Readonly<PlannedAction>): Omit<z.infer<typeof actionOutput>, 'runs'> {
  const { occurrence_start: _, last_occurrence: __, scheduleId = null, at = null, ...row } = action;
  return { ...row, scheduleId, at };
}

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
function aheadOf(nowMs: number, type: ActionType, execute_at: string): string {
  const atMs = Date.parse(execute_at);
  if (atMs > nowMs) return toIso(atMs);
  const now = toIso(nowMs);
  const message = `must be ahead; it is ${now} now. To act at once call ${ACTIONS[type].operation}`;
  throw invalidInput([{ field: 'execute_at', code: 'past', message, now }]);
}

interface When {
  execute_at?: string | undefined;
  scheduleId?: number | null | undefined;
  /** In an edit, what is left out stays. */
  at?: { from?: ActionOffset['from'] | undefined; seconds?: number | undefined } | null | undefined;
}
type Undated = Omit<PlannedAction, 'id'>;

/**
 * The action with the time that was sent: an instant, or an offset at each occurrence of a Schedule of its Live stream; what was not sent
 * stays. Throws AppError invalid_input for both or neither and for an instant that is not ahead, rule_violated for a Schedule that does not
 * fit.
 */
export function timedBy<A extends Undated>(view: View, action: A, sent: When, nowMs: number): A {
  const { execute_at, ...relative } = sent;
  const isRelative = relative.scheduleId != null || relative.at != null;
  if (execute_at !== undefined) {
    if (isRelative)
      throw whenIssue('execute_at', 'not_allowed', 'does not go with scheduleId and at; send one of the two');
    const once = { scheduleId: null, at: null, occurrence_start: null, last_occurrence: null };
    return { ...action, ...once, execute_at: aheadOf(nowMs, action.type, execute_at) };
  }
  const scheduleId = relative.scheduleId === undefined ? action.scheduleId : relative.scheduleId;
  const at = relative.at == null ? (relative.at === null ? null : action.at) : mergePatch(action.at ?? {}, relative.at);
  if (scheduleId == null && at == null) {
    if (action.execute_at !== null && action.scheduleId == null) return action;
    throw whenIssue('execute_at', 'required', 'is required, or scheduleId and at in its place');
  }
  if (scheduleId == null) throw whenIssue('scheduleId', 'required', 'is required with at');
  if (at == null)
    throw whenIssue('at', 'required', 'is required with scheduleId, such as {"from":"start","seconds":60}');
  const { from, seconds = 0 } = at as Partial<ActionOffset>;
  if (from === undefined) throw whenIssue('at.from', 'required', 'is required: start or end of each occurrence');
  return atOccurrences(view, action, { scheduleId, at: { from, seconds } }, nowMs);
}

function atOccurrences<A extends Undated>(
  view: View,
  action: A,
  { scheduleId, at }: { scheduleId: number; at: ActionOffset },
  nowMs: number,
): A {
  const isSame = scheduleId === action.scheduleId && JSON.stringify(at) === JSON.stringify(action.at);
  if (isSame) return action;
  assertRules(scheduleIssues(view, scheduleId, action.livestreamId));
  const last_occurrence = scheduleId === action.scheduleId ? (action.last_occurrence ?? null) : null;
  return { ...action, ...nextRun(view, { scheduleId, at, last_occurrence }, nowMs), scheduleId, at, last_occurrence };
}

function whenIssue(field: string, code: string, message: string): AppError {
  return invalidInput([{ field, code, message }]);
}

function scheduleIssues(view: View, scheduleId: number, livestreamId: number): FieldIssue[] {
  const missing = referenceIssues(view, 'schedules', 'Schedule', 'scheduleId', scheduleId);
  const schedule = view.get('schedules', scheduleId);
  if (schedule === undefined || schedule.livestreamId === livestreamId) return missing;
  const others = calledIn(view, 'Live stream', schedule.livestreamId);
  const message = `${called('Schedule', schedule)} is of ${others}; plan the action for that one, or name another Schedule`;
  return [{ field: 'scheduleId', code: 'other_livestream', message }];
}

/** Throws AppError wrong_state, or conflict for an action whose time has come and that is being carried out. */
export function assertPending(action: Readonly<PlannedAction>, nowMs: number): void {
  assertStatus(action, 'pending');
  if (!isTimed(action)) return;
  const begunMs = beginsAtMs(action);
  if (begunMs > nowMs) return;
  const detail = `Planned action ${action.id} is being carried out since ${toIso(begunMs)}; read it for its outcome.`;
  throw new AppError('conflict', detail, { retryAfterSeconds: 1 });
}

/**
 * The disabled action as it is enabled; one that goes with a Schedule is done from its next occurrence on. Throws AppError wrong_state, or
 * rule_violated when its time has passed.
 */
export function rearmed(view: View, action: Readonly<PlannedAction>, nowMs: number): PlannedAction {
  assertStatus(action, 'disabled');
  const next = retimed(view, action, nowMs);
  const isAhead = next.scheduleId == null ? Date.parse(next.execute_at ?? '') > nowMs : next.execute_at !== null;
  if (isAhead) return { ...next, status: 'pending' };
  const passed = action.scheduleId == null ? `its time ${action.execute_at} has passed` : 'no occurrence is to come';
  const message = `${passed}; plan it anew with addLivestreamAction`;
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

/** Runs inside the commit that deletes their Live stream or Schedule. */
export function cancelActions(tx: Tx, now: string, of: { livestreamId: number } | { scheduleId: number }): void {
  const { rows } = tx.find('plannedActions', { where: { ...of, status: { in: ['pending', 'disabled'] } } });
  const what =
    'livestreamId' in of ? calledIn(tx, 'Live stream', of.livestreamId) : calledIn(tx, 'Schedule', of.scheduleId);
  const error = `${what} was deleted.`;
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
export function settleAction(tx: Tx, now: string, action: TimedAction): void {
  const present = tx.get('plannedActions', action.id);
  if (!isSame(present, action))
    throw new AppError('conflict', `Planned action ${action.id} was changed while it was carried out.`);
  tx.put('plannedActions', { ...afterRun(tx, present, 'executed', null), updated_at: now });
  const { livestreamId, type } = action;
  const message = `Planned action ${action.id} (${type}) was carried out.`;
  addEvent(tx, now, livestreamId, { kind: 'action_executed', severity: 'info', message, data: factsOf(action, now) });
}

/** Runs inside a commit of its own; an action that was cancelled meanwhile stays cancelled. */
export function failAction(tx: Tx, now: string, action: TimedAction, reason: AppError): void {
  const present = tx.get('plannedActions', action.id);
  if (!isSame(present, action)) return;
  tx.put('plannedActions', { ...afterRun(tx, present, 'failed', reason.message), updated_at: now });
  const { livestreamId, type } = action;
  const message = `Planned action ${action.id} (${type}) has failed: ${reason.message}`;
  const facts = { ...factsOf(action, now), code: reason.code, reason: reason.message };
  addEvent(tx, now, livestreamId, { kind: 'action_failed', severity: 'warning', message, data: facts });
}

function isSame(
  present: Readonly<PlannedAction> | undefined,
  { execute_at }: TimedAction,
): present is Readonly<PlannedAction> {
  return present?.status === 'pending' && present.execute_at === execute_at;
}

function factsOf(action: TimedAction, now: string): Record<string, unknown> {
  const { id, type, execute_at, scheduleId, occurrence_start } = action;
  const of = scheduleId == null ? {} : { scheduleId, occurrence_start };
  return { actionId: id, type, execute_at, ...of, late_ms: Date.parse(now) - Date.parse(execute_at) };
}
