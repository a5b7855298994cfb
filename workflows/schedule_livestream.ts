import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import type { Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import { draftSchedule } from '../domain/rules/schedules/schedule.ts';
import { freeName } from '../domain/rules/schedules/schedule-name.ts';
import { recurrenceField, SCHEDULED_OPERATIONS, seriesOf, timezoneField } from '../domain/shapes/schedules/schedule.ts';
import type { Schedule } from '../domain/shapes/schedules/schedule.ts';
import { timeInputs, timesNeeded, type Timed } from '../domain/shapes/schedules/schedule-times.ts';
import { nameField } from '../domain/base/schema.ts';
import type { View } from '../domain/ports/store.ts';
import { textInZone } from '../toolkit/input/instants.ts';
import { clockTime, nextOccurrences, occurrenceOutput } from '../toolkit/subjects/schedule.ts';
import { groupField, takeId } from '../toolkit/subjects/reference.ts';
import { say, sentence } from '../toolkit/sentence.ts';
import { defineTool, type Answer, type ToolContext } from '../toolkit/tool.ts';
import {
  clockFields,
  clockOf,
  dryRunField,
  livestreamField,
  messageField,
  takeLivestream,
} from '../toolkit/subjects/workflow.ts';

const input = z
  .object({
    livestream: livestreamField,
    name: nameField.optional().describe('Left out: one is made.'),
    ...timeInputs,
    recurrence: recurrenceField.default({}).describe('Left out: once.'),
    timezone: timezoneField.optional().describe("IANA zone; left out: the service's."),
    idEncoderGroup: groupField.describe('Device group; left out: as configured.'),
    dry_run: dryRunField,
  })
  .strict();
type Input = Omit<Timed<z.infer<typeof input>>, 'idEncoderGroup'> & { idEncoderGroup?: number | undefined };

const output = z
  .object({
    scheduleId: z.number().int().nullable().describe('null: dry_run.'),
    livestreamId: z.number().int(),
    name: z.string(),
    occurrences: z.array(occurrenceOutput).describe('The next three.'),
    message: messageField,
    ...clockFields,
    changed: z.boolean().describe('false: dry_run.'),
    conflict: z.string().nullable().describe('dry_run: what is in the way.'),
  })
  .strict();
type Output = z.infer<typeof output>;
type Stream = Readonly<Livestream>;
type Draft = Omit<Schedule, 'id'>;
type Fields = Parameters<typeof draftSchedule>[1];

export const schedule_livestream = defineTool({
  name: 'schedule_livestream',
  summary: 'Schedule a Live stream: it starts and stops by the clock, once or again and again.',
  description:
    'Use it for later; for now use start_livestream, to move or pause one updateSchedule. Each call makes another Schedule. ' +
    'Refused where another has it on air then. Answers the next three occurrences.',
  tag: 'Workflows',
  aliases: ['plan', 'book', 'go live later', 'every weekday', 'series', 'recurring', 'tomorrow', 'tonight', 'timer'],
  access: 'operator',
  effect: 'create',
  performs: ['addSchedule', ...SCHEDULED_OPERATIONS],
  input,
  output,
  async handle(ctx, { idEncoderGroup: group, ...request }) {
    const stream = await takeLivestream(ctx, request.livestream);
    const schedule = { ...timesNeeded(request), idEncoderGroup: await takeId(ctx, 'deviceGroups', group) };
    if (schedule.dry_run) return ctx.store.view((view) => plan(ctx, view, stream, schedule));
    return ctx.commit((tx, now) => {
      const draft = draftOf(ctx, tx, stream, schedule, now);
      const { id } = tx.insert('schedules', draft);
      const { body, names } = answer(ctx, stream, draft, 'is to be');
      return { body: { ...body, scheduleId: id, changed: true }, names };
    });
  },
});

function draftOf(ctx: ToolContext, view: View, stream: Stream, schedule: Input, now: string): Draft {
  const by = { now, timezone: ctx.control.timezone, created_by: ctx.caller.username };
  return draftSchedule(view, fieldsOf(ctx, view, stream, schedule), by);
}

function fieldsOf({ control }: ToolContext, view: View, stream: Stream, schedule: Input): Fields {
  const { name, recurrence, start, end, timezone = control.timezone, idEncoderGroup = null } = schedule;
  const made = name ?? freeName(view, stream.name, { start, recurrence, timezone });
  const times = { start, end, recurrence, timezone };
  return { name: made, description: null, livestreamId: stream.id, ...times, idEncoderGroup, enabled: true };
}

function plan(ctx: ToolContext, view: View, stream: Stream, schedule: Input): Answer<Output> {
  try {
    const draft = draftOf(ctx, view, stream, schedule, toIso(ctx.clock.now()));
    const { body, names } = answer(ctx, stream, draft, 'would be');
    return { body: { ...body, message: `${body.message} Nothing is planned yet.` }, names };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    const conflict = textInZone(error.message, schedule.timezone ?? ctx.control.timezone);
    const { text, names } = sentence`${say(stream.name)} cannot be scheduled then. ${conflict}`;
    const { body } = answer(ctx, stream, { ...fieldsOf(ctx, view, stream, schedule) } as Draft, 'would be');
    return { body: { ...body, message: text, conflict }, names };
  }
}

function answer(ctx: ToolContext, stream: Stream, draft: Draft, verb: 'is to be' | 'would be'): Answer<Output> {
  const { name, end, timezone } = draft;
  const occurrences = nextOccurrences(seriesOf(draft), ctx.clock.now(), 3);
  const [first, ...others] = occurrences.map(({ local }) => local);
  const until = clockTime(Date.parse(occurrences[0]?.end ?? end), timezone);
  const then = others.length === 0 ? '' : `, then on ${others.join(' and on ')}`;
  const when = `on ${first} until ${until}${then}, by the clock of ${timezone}`;
  const { text: message, names } = sentence`${say(stream.name)} ${verb} on air ${when}.`;
  const about = { scheduleId: null, livestreamId: stream.id, name };
  return { body: { ...about, occurrences, message, ...clockOf(ctx), changed: false, conflict: null }, names };
}
