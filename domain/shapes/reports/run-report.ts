/** The report of a run, or of the time between two instants, for people. */
import { z } from 'zod/v3';
import { instantField, reference } from '../../base/schema.ts';
import { curvesOutput } from './curves.ts';
import { EVENT_KINDS, SEVERITIES } from '../installation/event.ts';
import { VIAS } from '../installation/security.ts';
import { ACTION_STATUSES } from '../schedules/planned-action.ts';
import { OCCURRENCE_STATES } from '../schedules/schedule.ts';
import { RECORDING_STATUSES } from '../media/recording.ts';

export const REPORT_FORMATS = ['json', 'markdown', 'html'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The things that viewers had in place of the programme. */
const MISSED = [
  'nothing',
  'fallback',
  'black',
  'frozen',
  'silence',
  'few_pictures',
  'not_known',
  'ordered_black',
] as const;

const missed = z
  .object({
    from: instantField,
    to: instantField,
    seconds: z.number().describe('Seconds of it between from and to of the report.'),
    what: z
      .enum(MISSED)
      .describe('nothing: no media came; fallback: in place of the source; not_known: its Device was silent.'),
    cause: z.string().describe('Kind of the event that tells of it.'),
    pictures: z.number().int().nullable().describe('Pictures lost; null: not counted.'),
    publishingId: reference('Publishing').nullable().describe('Its viewers alone; null: all viewers.'),
    path: z.enum(['primary', 'backup']).nullable().describe('primary or backup of that Publishing.'),
    viewers: z.number().int().nullable().describe('Most viewers meanwhile; null: nobody, or not counted.'),
    is_over: z.boolean().describe('false: it went on at the end of the report.'),
    message: z.string().describe('The reason, in a sentence.'),
  })
  .strict();
export type Missed = z.infer<typeof missed>;

const order = z
  .object({
    at: instantField,
    user: z.string().describe('Who it was.'),
    via: z.enum(VIAS).describe('API that it came by; oauth: MCP, by an assistant that OAuth let in.'),
    client: z.string().nullable().describe('Name of that assistant; null for others.'),
    operation: z.string(),
    outcome: z.string().describe('ok, or the code of the error.'),
    changed: z.array(z.string()).describe('Names of the fields that were sent.'),
  })
  .strict();

const destination = z
  .object({
    publishingId: reference('Publishing'),
    name: z.string().nullable().describe('null: it is gone.'),
    outages: z.number().int().describe('Number of times that no path of it took the stream.'),
    down_seconds: z.number().describe('Seconds of them together.'),
  })
  .strict();

const REPORT_PARTS = [
  'order',
  'source',
  'encoder',
  'destination',
  'cue',
  'change',
  'recording',
  'schedule',
  'device',
] as const;

const entry = z
  .object({
    at: instantField,
    since: instantField.nullable().describe('When it began, of what is told later; null: at once.'),
    part: z.enum(REPORT_PARTS).describe('Part of the broadcast, such as source.'),
    kind: z.enum(EVENT_KINDS),
    severity: z.enum(SEVERITIES),
    message: z.string(),
  })
  .strict();

const action = z
  .object({
    actionId: reference('Planned action'),
    at: instantField,
    type: z.string(),
    status: z.enum(ACTION_STATUSES).describe('pending: not yet due.'),
    error: z.string().nullable().describe('Why it failed or was cancelled; null otherwise.'),
  })
  .strict();

const occurrence = z
  .object({
    scheduleId: reference('Schedule'),
    start: instantField,
    end: instantField,
    state: z.enum(OCCURRENCE_STATES),
  })
  .strict();

const recording = z
  .object({
    recordingId: reference('Recording'),
    name: z.string(),
    status: z.enum(RECORDING_STATUSES).describe('recording: still written; failed: its media is lost.'),
    duration_seconds: z.number().describe('Length of its media in seconds.'),
  })
  .strict();

/** Lists of the report, in the order in which they are shown. */
const reportLists = {
  missed: z.array(missed).describe('What viewers missed, in its order.'),
  orders: z.array(order).describe('Calls on it and on what it is bound to.'),
  destinations: z.array(destination).describe('Destinations that tell of themselves.'),
  timeline: z.array(entry).describe('The events.'),
  actions: z.array(action).describe('Planned actions that were due.'),
  occurrences: z.array(occurrence).describe('Occurrences of Schedules that began or ended.'),
  recordings: z.array(recording).describe('Recordings of that time.'),
};
export type ReportList = keyof typeof reportLists;
export const REPORT_LISTS = Object.keys(reportLists) as ReportList[];

const reportedRun = z
  .object({
    runId: z.string().describe('Its name in events.'),
    started_at: instantField,
    on_air_at: instantField.nullable().describe('null: it never was.'),
    ended_at: instantField.nullable().describe('null: it goes on.'),
  })
  .strict();
export type ReportedRun = z.infer<typeof reportedRun>;

export const runReportOutput = z
  .object({
    livestreamId: reference('Live stream'),
    name: z.string().describe('Name of the Live stream.'),
    verdict: z.string().describe('What happened, in words.'),
    run: reportedRun.nullable().describe('The run, or the last one that began before to; null: there is none.'),
    from: instantField,
    to: instantField,
    missed_seconds: z.number().describe('Seconds in which all viewers had something else, or nothing.'),
    ...reportLists,
    curves: curvesOutput,
    more: z.array(z.string()).describe('Lists that are cut, each with how to get the rest.'),
    text: z.string().nullable().describe('The document, in whose place the lists are empty; null for json.'),
  })
  .strict()
  .describe('What happened to a broadcast.');

type Lists = { [L in ReportList]: z.infer<(typeof reportLists)[L]> };
/** The lists of a report that has them in its text. */
export const NO_LISTS: Lists = {
  missed: [],
  orders: [],
  destinations: [],
  timeline: [],
  actions: [],
  occurrences: [],
  recordings: [],
};
/** The whole report, before its lists are cut. */
export interface WholeReport
  extends Lists, Omit<z.infer<typeof runReportOutput>, ReportList | 'curves' | 'more' | 'text'> {
  /** Zone of the times in `verdict`. */
  zone: string;
}
