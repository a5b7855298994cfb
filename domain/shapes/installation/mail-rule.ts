/** Rules by which people get a mail when something is wrong, and the notices that come of them. */
import { z } from 'zod/v3';
import { idField, instantField, nameField, stampFields } from '../../base/schema.ts';
import { tagsField } from '../../base/tags.ts';
import { timezoneField } from '../schedules/schedule.ts';
import { EVENT_KINDS, type EventKind } from './event.ts';

const MAX_STREAMS = 100;
const MAX_RECIPIENTS = 20;
const DAY_SECONDS = 86_400;

/** Hours and minutes of a clock, 00:00 to 23:59. */
const clockField = z
  .string()
  .max(5)
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, 'must be a time of day such as 22:30');

const quietHours = z
  .object({
    from: clockField.describe('22:00 (ISO 8601).'),
    to: clockField.describe('07:00, likewise.'),
    timezone: timezoneField.describe('IANA zone.'),
  })
  .strict()
  .refine(({ from, to }) => from !== to, {
    message: 'must differ from `from`; set null for no quiet hours',
    path: ['to'],
  });

/** Unless people choose, they are told of all that keeps viewers from a picture, a plan from its time, or a Recording from its copy. */
const USUAL_CONDITIONS = [
  'start_failed',
  'source_lost',
  'destination_failed',
  'black',
  'frozen',
  'silence',
  'behind',
  'device_lost',
  'schedule_missed',
  'action_failed',
  'recording_backup_failed',
] as const satisfies readonly EventKind[];

export const mailRuleCreate = {
  name: nameField,
  enabled: z.boolean().default(true).describe('false: no mails.'),
  livestreamIds: z
    .array(idField)
    .max(MAX_STREAMS)
    .default([])
    .describe('Only of these; no tags either: all and Devices.'),
  tags: tagsField.describe('Or with one of these tags.'),
  conditions: z
    .array(z.enum(EVENT_KINDS))
    .min(1)
    .max(EVENT_KINDS.length)
    .default([...USUAL_CONDITIONS])
    .describe('Event kinds.'),
  after_seconds: z.number().int().min(0).max(DAY_SECONDS).default(60).describe('So long it must last.'),
  quiet_hours: quietHours.nullable().default(null).describe('No mails then.'),
  recipients: z
    .array(z.string().trim().max(254).email('must be an e-mail address'))
    .min(1)
    .max(MAX_RECIPIENTS)
    .describe('E-mail addresses.'),
  digest: z.enum(['none', 'daily']).default('none').describe('daily: one.'),
};

export const mailRuleOutput = z
  .object({
    ...stampFields,
    ...mailRuleCreate,
    last_sent_at: instantField.nullable().describe('When its last mail was taken by the mail server.'),
    last_error: z.string().nullable().describe('Why its last mail could not be sent; null: it was.'),
  })
  .strict()
  .describe('Mail rule: who gets a mail, of what, and when.');
export type MailRule = Omit<z.infer<typeof mailRuleOutput>, 'tags'> & {
  /** Rows from before there were tags have none. */
  tags?: string[];
};

const noticeCondition = z
  .object({
    eventId: idField,
    kind: z.enum(EVENT_KINDS),
    at: instantField,
    message: z.string(),
    /** Several Destinations or Devices may have the same condition at once. */
    of: z.string(),
    /** null: it lasts, or has no end. */
    ended_at: instantField.nullable(),
  })
  .strict();
export type NoticeCondition = z.infer<typeof noticeCondition>;

/** One fault, as one rule sees it: all that is wrong with a Live stream, or with none of them, until all of it is over. */
export const storedNotice = z
  .object({
    id: idField,
    ruleId: idField,
    livestreamId: idField.nullable(),
    conditions: z.array(noticeCondition),
    /** When the mail is to go out; null: it was sent, or all of it was over before. */
    due_at: instantField.nullable(),
    sent_at: instantField.nullable(),
    /** All conditions that have an end are over. It is kept for a day, so that no event makes it again. */
    ended_at: instantField.nullable(),
    acknowledged: z.object({ at: instantField, by: z.string() }).strict().nullable(),
    /** Attempts that failed, one after the other. */
    failures: z.number().int().nonnegative(),
  })
  .strict();
export type MailNotice = z.infer<typeof storedNotice>;
