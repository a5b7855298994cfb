import { z } from 'zod/v3';
import { START_REFUSALS, type StartRequest } from '../domain/ports/control.ts';
import { knownSource, knownSourceOutput } from '../domain/rules/sources/known-source.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import { statusField, type Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import { watchField } from '../domain/shapes/broadcasts/livestream-status.ts';
import { sayOnAir, waitForOthers } from '../toolkit/subjects/on-air.ts';
import { assertStarted, placeFields, resolvePlace } from '../toolkit/subjects/start.ts';
import { knownBackup, sayPlan, saySource } from '../toolkit/subjects/start.ts';
import { say, sentence, type Sentence } from '../toolkit/sentence.ts';
import { briefWarningsField, sayWarning, warningsOfStart } from '../toolkit/subjects/template-warnings.ts';
import { defineTool, type Answer, type ToolContext } from '../toolkit/tool.ts';
import {
  dryRunField,
  livestreamField,
  messageField,
  takeLivestream,
  waitForRun,
  waitSecondsField,
} from '../toolkit/subjects/workflow.ts';

const input = z
  .object({ livestream: livestreamField, ...placeFields, wait_seconds: waitSecondsField, dry_run: dryRunField })
  .strict();

const output = z
  .object({
    livestreamId: z.number().int(),
    name: z.string(),
    status: statusField,
    on_air: z.boolean(),
    message: messageField,
    changed: z.boolean().describe('false: it was starting or on air already, or dry_run.'),
    errorstatus: z.string().nullable(),
    deviceId: z.number().int().nullable(),
    seconds: z.number().describe('Seconds waited.'),
    watch: watchField,
    startAllowed: z.boolean().optional().describe('dry_run: whether a start would be accepted now.'),
    warnings: briefWarningsField,
    reasons: z.array(z.object({ code: z.enum(START_REFUSALS), message: z.string() }).strict()).optional(),
    source: knownSourceOutput.nullable().optional().describe('dry_run: what is known of the source.'),
  })
  .strict();
type Output = z.infer<typeof output>;
type Outcome = Pick<Output, 'changed' | 'seconds' | 'warnings'> & { message: Sentence };
type Stream = Readonly<Livestream>;
type StoredRun = Readonly<Run> | undefined;

export const start_livestream = defineTool({
  name: 'start_livestream',
  summary: 'Start a Live stream and wait until it is on air.',
  description:
    'Viewers see it at once; already on air, it stays. For later use schedule_livestream. Cancelling ends the wait alone: ' +
    'stop_livestream takes it back. Answers where to watch.',
  tag: 'Workflows',
  aliases: ['go live', 'put on air', 'launch', 'begin broadcast', 'run', 'roll'],
  access: 'operator',
  effect: 'control',
  performs: ['startLivestream'],
  input,
  output,
  async handle(ctx, { livestream: wanted, wait_seconds, dry_run, ...where }) {
    const stream = await takeLivestream(ctx, wanted);
    const request = await resolvePlace(ctx, where);
    if (dry_run) return planOf(ctx, stream, request);
    const begunMs = ctx.clock.now();
    const ordered = await ctx.commit((tx, now) => {
      const warnings = warningsOfStart(tx, stream, ctx.control.checkStart(tx, stream.id, request));
      const { accepted, run } = ctx.control.orderStart(tx, now, stream.id, request, { username: ctx.caller.username });
      const verb = accepted ? 'is starting' : running(run);
      const outcome = { message: sentence`${say(stream.name)} ${verb}.`, changed: accepted, seconds: 0, warnings };
      return { ...answer(ctx, stream, run, outcome), status: accepted ? 202 : 200 };
    });
    if (ordered.body.on_air) return ordered;
    const begun = await waitForRun(ctx, stream.id, [0, 2, 3], wait_seconds, sentence`${say(stream.name)} is starting.`);
    const run = await waitForOthers(ctx, stream, begun, begunMs + wait_seconds * 1000 - ctx.clock.now());
    const seconds = Math.round((ctx.clock.now() - begunMs) / 1000);
    assertStarted(stream, run, seconds);
    const { changed, warnings } = ordered.body;
    const outcome = { message: messageOf(ctx, stream, run), changed, seconds, warnings };
    return { ...answer(ctx, stream, run, outcome), status: ordered.status ?? 202 };
  },
});

async function planOf(ctx: ToolContext, stream: Stream, request: StartRequest): Promise<Answer<Output>> {
  const { startAllowed, reasons, run, plan, source, backup, warnings } = await ctx.store.view((view) => {
    const checked = ctx.control.checkStart(view, stream.id, request);
    return {
      ...checked,
      run: view.get('runs', stream.id),
      plan: sayPlan(view, ctx.control, stream.id, checked, request),
      source: knownSource(view, ctx.control, stream.channelId),
      backup: knownBackup(view, ctx.control, stream),
      warnings: warningsOfStart(view, stream, checked),
    };
  });
  const staysOn = run?.desired === 'on' && reasons.some(({ code }) => code === 'already_running');
  const message = staysOn
    ? sentence`${say(stream.name)} ${running(run)}; a start would change nothing.`
    : startAllowed
      ? sentence`${say(stream.name)} can start now, to ${plan}.${saySource(stream, source, backup)}${sayWarning(warnings)}`
      : sentence`${say(stream.name)} cannot start now. ${reasons.map((reason) => reason.message).join(' ')}`;
  const { body, names } = answer(ctx, stream, run, { message, changed: false, seconds: 0, warnings });
  return { body: { ...body, startAllowed, reasons, source }, names };
}

const running = (run: StoredRun): string => (run?.status === 2 ? 'is on air already' : 'is starting already');

function answer(ctx: ToolContext, { id, name }: Stream, run: StoredRun, outcome: Outcome): Answer<Output> {
  const { text: message, names } = outcome.message;
  const { status, on_air, errorstatus, deviceId } = ctx.control.status({ id, name }, run);
  const watch = ctx.control.watchAddresses(id);
  const state = { status, on_air, errorstatus, deviceId };
  return { body: { livestreamId: id, name, ...state, ...outcome, message, watch }, names };
}

function messageOf(ctx: ToolContext, { id, name }: Stream, run: StoredRun): Sentence {
  const status = ctx.control.status({ id, name }, run);
  return status.on_air ? sayOnAir(status) : sentence`${say(name)} is still starting. Ask for its status in a moment.`;
}
