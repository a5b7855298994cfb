import { z } from 'zod/v3';
import { toIso } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Livestream } from '../domain/livestream.ts';
import { draftSchedule } from '../domain/resources/schedule.ts';
import { freeName } from '../domain/resources/schedule-name.ts';
import { recurrenceField, seriesOf, timezoneField, type Schedule } from '../domain/schedule.ts';
import { nameField } from '../domain/schema.ts';
import type { View } from '../domain/store.ts';
import { resolveRow } from '../toolkit/input/resolve.ts';
import { clockTime, instantFrom, nextOccurrences, occurrenceTold, timeField } from '../toolkit/subjects/schedule.ts';
import { groupField, resolveGroup } from '../toolkit/subjects/start.ts';
import { defineTool, type ToolContext } from '../toolkit/tool.ts';
import { clockFields, clockOf, dryRunField, livestreamField, messageField, say } from '../toolkit/subjects/workflow.ts';

const input = z
  .object({
    livestream: livestreamField,
    name: nameField.optional().describe('Left out: one is made.'),
    start: timeField.describe('First start, ISO 8601; no offset: local to timezone.'),
    end: timeField.describe('First end, likewise.'),
    recurrence: recurrenceField.default({}).describe('Left out: once.'),
    timezone: timezoneField.optional().describe("IANA zone; left out: the service's."),
    idEncoderGroup: groupField.describe('Device group id or name; left out: as configured.'),
    dry_run: dryRunField,
  })
  .strict();
type Input = Omit<z.infer<typeof input>, 'idEncoderGroup'> & { idEncoderGroup?: number | undefined };

const output = z
  .object({
    scheduleId: z.number().int().nullable().describe('null: dry_run.'),
    livestreamId: z.number().int(),
    name: z.string(),
    occurrences: z.array(occurrenceTold).describe('The next three.'),
    message: messageField,
    ...clockFields,
    changed: z.boolean().describe('false: dry_run.'),
    conflict: z.string().nullable().describe('dry_run: what is in the way.'),
  })
  .strict();
type Output = z.infer<typeof output>;
type Stream = Readonly<Livestream>;
type Draft = Omit<Schedule, 'id'>;

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
  input,
  output,
  async handle(ctx, input) {
    const stream = await resolveRow(ctx.store, 'livestreams', 'Live stream', input.livestream);
    const request = { ...input, idEncoderGroup: await resolveGroup(ctx, input.idEncoderGroup) };
    if (request.dry_run) return { body: await ctx.store.view((view) => plan(ctx, view, stream, request)) };
    return ctx.commit((tx, now) => {
      const draft = draftOf(ctx, tx, stream, request, now);
      const { id } = tx.insert('schedules', draft);
      return { body: { ...answer(ctx, stream, draft, 'is to be'), scheduleId: id, changed: true } };
    });
  },
});

function draftOf(ctx: ToolContext, view: View, stream: Stream, request: Input, now: string): Draft {
  return draftSchedule(view, fieldsOf(ctx, view, stream, request), {
    now,
    timezone: ctx.control.timezone,
    created_by: ctx.caller.username,
  });
}

function fieldsOf(
  { control }: ToolContext,
  view: View,
  stream: Stream,
  request: Input,
): Parameters<typeof draftSchedule>[1] {
  const { name, recurrence, timezone = control.timezone, idEncoderGroup = null } = request;
  const [start, end] = [instantFrom(request.start, timezone), instantFrom(request.end, timezone)];
  const made = name ?? freeName(view, stream.name, { start, recurrence, timezone });
  const times = { start, end, recurrence, timezone };
  return { name: made, description: null, livestreamId: stream.id, ...times, idEncoderGroup, enabled: true };
}

function plan(ctx: ToolContext, view: View, stream: Stream, request: Input): Output {
  try {
    const body = answer(ctx, stream, draftOf(ctx, view, stream, request, toIso(ctx.clock.now())), 'would be');
    return { ...body, message: `${body.message} Nothing is planned yet.` };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    const body = answer(ctx, stream, { ...fieldsOf(ctx, view, stream, request) } as Draft, 'would be');
    return {
      ...body,
      message: `${say(stream.name)} cannot be scheduled then. ${error.message}`,
      conflict: error.message,
    };
  }
}

function answer(ctx: ToolContext, stream: Stream, draft: Draft, verb: 'is to be' | 'would be'): Output {
  const { name, end, timezone } = draft;
  const occurrences = nextOccurrences(seriesOf(draft), ctx.clock.now(), 3);
  const [first, ...others] = occurrences.map(({ local }) => local);
  const until = clockTime(Date.parse(occurrences[0]?.end ?? end), timezone);
  const then = others.length === 0 ? '' : `, then on ${others.join(' and on ')}`;
  const message = `${say(stream.name)} ${verb} on air on ${first} until ${until}${then}, by the clock of ${timezone}.`;
  const about = { scheduleId: null, livestreamId: stream.id, name };
  return { ...about, occurrences, message, ...clockOf(ctx), changed: false, conflict: null };
}
