/** Planned actions: one command on a Live stream at an instant, or at one of each occurrence of a Schedule. */
import { z } from 'zod/v3';
import { livestreamOptions, startFields } from '../broadcasts/livestream.ts';
import type { Run } from '../broadcasts/run.ts';
import { changeRowOf, kindOfAction } from '../changes/change-questions.ts';
import { commandRow, type BodyOf } from '../changes/change-row.ts';
import { CHANGES, type ChangeKind } from '../changes/changes.ts';
import { instantInput } from '../../time/instant.ts';
import { instantField, reference, stampFields, toPartial } from '../../base/schema.ts';

type ChangesByAction = { [K in ChangeKind as (typeof CHANGES)[K]['action']]: (typeof CHANGES)[K] };

/** Each type of planned action: the changes on air, and the other commands. */
export const ACTIONS = {
  start: commandRow({
    body: startFields,
    operation: 'startLivestream',
    spoken: 'start',
    label: { en: 'start', es: 'inicio' },
    title: { en: 'Start', es: 'Iniciar' },
  }),
  stop: commandRow({
    body: {},
    operation: 'stopLivestream',
    spoken: 'stop',
    label: { en: 'stop', es: 'parada' },
    title: { en: 'Stop', es: 'Parar' },
  }),
  ...(Object.fromEntries(Object.values(CHANGES).map((row) => [row.action, row])) as ChangesByAction),
  options: commandRow({
    body: toPartial(livestreamOptions).shape,
    operation: 'updateLivestreamOptions',
    spoken: 'change of options',
    label: { en: 'options', es: 'opciones' },
    title: { en: 'Options', es: 'Opciones' },
  }),
};
export type ActionType = keyof typeof ACTIONS;
export type ActionBody<T extends ActionType> = BodyOf<(typeof ACTIONS)[T]['body']>;
const ACTION_TYPES = Object.keys(ACTIONS) as [ActionType, ...ActionType[]];

export function isActionType(type: string): type is ActionType {
  return Object.hasOwn(ACTIONS, type);
}

/** Times of one action that an answer holds. */
export const MAX_RUNS = 400;

export const ACTION_STATUSES = ['pending', 'disabled', 'executed', 'failed', 'cancelled'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

const operations = ACTION_TYPES.map((type) => `${type} ${ACTIONS[type].operation}`).join(', ');

/** Seven days: an action of a weekly show is nearer to its own occurrence than to any other. */
const MAX_OFFSET_S = 604_800;
const offsetField = z
  .object({
    from: z.enum(['start', 'end']).describe('Of each occurrence.'),
    seconds: z
      .number()
      .int()
      .min(-MAX_OFFSET_S)
      .max(MAX_OFFSET_S)
      .default(0)
      .describe('After it, in seconds; negative: before it.'),
  })
  .strict();
export type ActionOffset = z.infer<typeof offsetField>;

export const actionFields = {
  type: z.enum(ACTION_TYPES).describe('What is done.'),
  payload: z
    .record(z.unknown())
    .describe(`Body of the operation that the type stands for, without livestreamId: ${operations}.`),
  execute_at: instantInput('When it is done, ahead.').optional(),
  scheduleId: reference('Schedule')
    .nullable()
    .optional()
    .describe('In place of execute_at, with at: Schedule of this Live stream; done at each occurrence.'),
  at: offsetField.nullable().optional().describe('With scheduleId: when at each occurrence.'),
};

const actionRun = z
  .object({
    occurrence_start: instantField.describe('Start of the occurrence.'),
    execute_at: instantField.describe('When it is done.'),
    status: z.enum(ACTION_STATUSES).describe('As of the action, at this occurrence.'),
    error: z.string().nullable().describe('Why it failed; null otherwise.'),
  })
  .strict();
export type ActionRun = z.infer<typeof actionRun>;

export const actionOutput = z
  .object({
    ...stampFields,
    livestreamId: reference('Live stream'),
    ...actionFields,
    execute_at: instantField
      .nullable()
      .describe('When it is done; with a Schedule, the next time; null: no occurrence is to come.'),
    scheduleId: actionFields.scheduleId
      .unwrap()
      .default(null)
      .describe('Schedule that it goes with; null: it is done once.'),
    at: offsetField.nullable().default(null).describe('When at each occurrence; null: it is done once.'),
    status: z
      .enum(ACTION_STATUSES)
      .describe('disabled: kept, but not done. cancelled: its Live stream or Schedule was deleted.'),
    error: z.string().nullable().describe('Why it failed or was cancelled; null otherwise.'),
    created_by: z.string().describe('User who planned it.'),
    runs: z
      .array(actionRun)
      .max(MAX_RUNS)
      .optional()
      .describe('With a Schedule: what is done at the occurrences from from to to, by default the next 7 days.'),
  })
  .strict()
  .describe('Planned action: one command on a Live stream at an instant, or at one of each occurrence of a Schedule.');

/** As it is stored. */
export interface PlannedAction extends Omit<z.infer<typeof actionOutput>, 'runs' | 'scheduleId' | 'at'> {
  /** Rows of before there were relative actions have neither. */
  scheduleId?: number | null;
  at?: ActionOffset | null;
  /** A relative action has the start of the occurrence that `execute_at` belongs to; null when none is to come. */
  occurrence_start?: string | null;
  /** Start of the last occurrence at which it was done, or has failed. */
  last_occurrence?: string | null;
}

/** One whose instant is known. */
export type TimedAction = Readonly<PlannedAction> & { readonly execute_at: string };

export function isTimed(action: Readonly<PlannedAction>): action is TimedAction {
  return action.execute_at !== null;
}

/**
 * A cue may be in the stream up to 1 s before its instant, because it lies at a keyframe; splicers want it half a second before that; the
 * rest is for a busy machine.
 */
const LEAD_MS = 2500;

/**
 * The time at which the action begins to be carried out. The encoder gets the cues of breaks before their instant, and also the ad values
 * that they use: those of the same instant must arrive first. Anything else begins at its instant. The scheduler
 * puts all of it off to the instant while the Live stream is not on air.
 */
export function beginsAtMs({
  type,
  payload,
  execute_at,
}: Pick<TimedAction, 'type' | 'payload' | 'execute_at'>): number {
  const kind = kindOfAction(type);
  const isAhead = kind !== undefined && changeRowOf(kind).isAhead(payload);
  return Date.parse(execute_at) - (isAhead ? LEAD_MS : 0);
}

/** A change that viewers would get more than a minute late is not made. */
const MAX_LATE_MS = 60_000;

/**
 * Answers why an action whose time passed unseen is not carried out any more; undefined when it is. A stop is meant for the run that was on
 * air at its time: as long as that one lasts, late is better than never.
 */
export function lapseOf(action: TimedAction, run: Readonly<Run> | undefined, nowMs: number): string | undefined {
  const lateMs = nowMs - Date.parse(action.execute_at);
  if (lateMs <= MAX_LATE_MS) return undefined;
  const isMeant = run?.desired === 'on' && run.started_at !== null && run.started_at < action.execute_at;
  if (action.type === 'stop' && isMeant) return undefined;
  const late = `The service could not act at its time and was able to ${Math.round(lateMs / 1000)} s later`;
  return `${late}; what is more than ${MAX_LATE_MS / 1000} s late is not done. Call ${ACTIONS[action.type].operation} if it is still wanted.`;
}
