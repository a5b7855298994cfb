import { z } from 'zod/v3';
import { RECURRENCE_TYPES, type Series } from '../../time/recurrence.ts';
import { instantInput } from '../../time/instant.ts';
import { descriptionField, instantField, nameField, reference, stampFields } from '../../base/schema.ts';
import { timeInputs } from './schedule-times.ts';
import { isTimezone } from '../../time/zone.ts';

const rule = {
  type: z.enum(RECURRENCE_TYPES).default('none').describe('workdays: Mon-Fri; weekend: Sat, Sun.'),
  interval: z.number().int().min(1).max(52).default(1).describe('Every n days or weeks.'),
};
const UNTIL = 'End of the series, likewise; null: none.';
export const recurrenceField = z
  .object({ ...rule, until: instantInput('').nullable().default(null).describe(UNTIL) })
  .strict();

export const timezoneField = z
  .string()
  .max(64)
  .refine(isTimezone, 'must be an IANA time zone such as Europe/Zurich')
  .describe('IANA zone whose wall clock the recurrence keeps.');

const subject = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  livestreamId: reference('Live stream').describe('Id of the Live stream.'),
};
const place = {
  idEncoderGroup: reference('Device group')
    .nullable()
    .default(null)
    .describe('Device group to run on; null: as configured.'),
};
const enabled = z.boolean().default(true).describe('false: paused, nothing of it starts.');

/** The service does this at the times of a Schedule; whoever has it done needs the right to do it now. */
export const SCHEDULED_OPERATIONS = ['startLivestream', 'stopLivestream'] as const;

export const scheduleCreate = {
  ...subject,
  ...timeInputs,
  ...place,
  recurrence: recurrenceField.default({}).describe('How it repeats.'),
  enabled,
  timezone: timezoneField.nullable().default(null).describe("IANA zone; null: the service's."),
};

export const scheduleOutput = z
  .object({
    ...stampFields,
    ...subject,
    start: instantField.describe('Start of the first occurrence.'),
    end: instantField.describe('End of the first occurrence.'),
    ...place,
    recurrence: z
      .object({
        ...rule,
        until: instantField.nullable().default(null).describe('No start then or later; null: no end.'),
      })
      .strict()
      .default({})
      .describe('How it repeats.'),
    enabled,
    timezone: timezoneField,
    created_by: z.string().describe('User who made it.'),
  })
  .strict()
  .describe('Schedule: when a Live stream is on air by itself.');
export type ScheduleView = z.infer<typeof scheduleOutput>;

export interface Schedule extends ScheduleView {
  /**
   * Instant from which the Schedule has its present form: occurrences that were over by then were paused, or of another series, and are not
   * recorded.
   */
  effective_from: string;
}

export const OCCURRENCE_STATES = ['planned', 'on_air', 'done', 'skipped', 'missed', 'failed'] as const;
export type OccurrenceState = (typeof OCCURRENCE_STATES)[number];

export const occurrenceOutput = z
  .object({
    scheduleId: z.number().int().describe('Schedule that it is of.'),
    livestreamId: z.number().int().describe('Live stream that it puts on air.'),
    start: instantField,
    end: instantField,
    start_local: z.string().describe('Start by the clock of timezone.'),
    end_local: z.string().describe('End by it.'),
    timezone: z.string().describe('IANA zone of the Schedule.'),
    state: z
      .enum(OCCURRENCE_STATES)
      .describe(
        'planned: also while it is starting; missed: nobody was there to start it; failed: its start came to nothing, and is retried until its end.',
      ),
  })
  .strict()
  .describe('Occurrence of a Schedule.');
export type OccurrenceView = Omit<z.infer<typeof occurrenceOutput>, 'start_local' | 'end_local' | 'timezone'>;

export const skipOutput = z
  .object({
    skipId: z.number().int().describe('Id, allotted by the service.'),
    occurrence_start: instantField.describe('Start of the occurrence that does not happen.'),
    created_by: z.string().describe('User who skipped it.'),
  })
  .strict()
  .describe('Skip: one occurrence that is left out.');

export type SkipView = z.infer<typeof skipOutput>;

export interface ScheduleSkip {
  id: number;
  created_at: string;
  scheduleId: number;
  occurrence_start: string;
  occurrence_end: string;
  created_by: string;
}

/** Record of an occurrence that has been taken up: there is one for each, so that nothing starts twice. */
export interface Firing {
  id: number;
  created_at: string;
  scheduleId: number;
  livestreamId: number;
  occurrence_start: string;
  occurrence_end: string;
  state: Extract<OccurrenceState, 'on_air' | 'done' | 'missed' | 'failed'>;
  /** false when closed for good: nothing starts it again, whatever the clock says. */
  open: boolean;
  /** Whether viewers have seen any of it. */
  aired: boolean;
  /** The run that it started or took over last; null for none. */
  runId: string | null;
  /** Number of failed starts. */
  attempts: number;
  /** Instant of the next attempt; null when none is due. */
  retry_at: string | null;
  /** Reasons that have been reported, each once. */
  reasons: string[];
}

/** A firing that is closed and that no plan needs any more. */
export interface PastFiring extends Omit<Firing, 'open' | 'aired' | 'retry_at'> {
  /** When it became a past firing. */
  at: string;
}

export function seriesOf(row: Readonly<Pick<Schedule, 'start' | 'end' | 'recurrence' | 'timezone'>>): Series {
  const { start, end, recurrence, timezone } = row;
  const { type, interval, until } = recurrence;
  return {
    startMs: Date.parse(start),
    endMs: Date.parse(end),
    type,
    interval,
    timezone,
    // A single occurrence has no end of a series.
    untilMs: until === null || type === 'none' ? null : Date.parse(until),
  };
}
