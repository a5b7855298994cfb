import { z } from 'zod/v3';
import { START_REFUSALS, type StartRequest } from '../domain/control.ts';
import type { Run } from '../domain/run.ts';
import { statusField, type Livestream } from '../domain/livestream.ts';
import { sayOnAir, waitForOthers } from '../toolkit/subjects/on-air.ts';
import { resolveRow } from '../toolkit/input/resolve.ts';
import { assertStarted, placeFields, resolvePlace, sayPlan } from '../toolkit/subjects/start.ts';
import { defineTool, type ToolContext } from '../toolkit/tool.ts';
import {
  dryRunField,
  livestreamField,
  messageField,
  say,
  waitForRun,
  waitSecondsField,
  watchField,
} from '../toolkit/subjects/workflow.ts';

const input = z
  .object({
    livestream: livestreamField,
    ...placeFields,
    wait_seconds: waitSecondsField,
    dry_run: dryRunField,
  })
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
    reasons: z.array(z.object({ code: z.enum(START_REFUSALS), message: z.string() }).strict()).optional(),
  })
  .strict();
type Output = z.infer<typeof output>;
type Outcome = Pick<Output, 'message' | 'changed' | 'seconds'>;
type Stream = Readonly<Livestream>;

export const start_livestream = defineTool({
  name: 'start_livestream',
  summary: 'Start a Live stream and wait until it is on air.',
  description:
    'Viewers see it at once; on air already, it stays so. For later use schedule_livestream. Cancelling ends the wait alone: ' +
    'stop_livestream takes the start back. Answers where to watch.',
  tag: 'Workflows',
  aliases: ['go live', 'put on air', 'launch', 'begin broadcast', 'run', 'roll'],
  access: 'operator',
  effect: 'control',
  input,
  output,
  async handle(ctx, { livestream: wanted, wait_seconds, dry_run, ...where }) {
    const stream = await resolveRow(ctx.store, 'livestreams', 'Live stream', wanted);
    const request = await resolvePlace(ctx, where);
    if (dry_run) return { body: await planOf(ctx, stream, request) };
    const begunMs = ctx.clock.now();
    const ordered = await ctx.commit((tx, now) => {
      const { accepted, run } = ctx.control.orderStart(tx, now, stream.id, request, { username: ctx.caller.username });
      const verb = accepted ? 'is starting' : running(run);
      const outcome = { message: `${say(stream.name)} ${verb}.`, changed: accepted, seconds: 0 };
      return { body: answer(ctx, stream, run, outcome), status: accepted ? 202 : 200 };
    });
    if (ordered.body.on_air) return ordered;
    const begun = await waitForRun(ctx, stream.id, [0, 2, 3], wait_seconds, `${say(stream.name)} is starting.`);
    const run = await waitForOthers(ctx, stream, begun, begunMs + wait_seconds * 1000 - ctx.clock.now());
    const seconds = Math.round((ctx.clock.now() - begunMs) / 1000);
    assertStarted(stream, run, seconds);
    const outcome = { message: sentence(ctx, stream, run), changed: ordered.body.changed, seconds };
    return { body: answer(ctx, stream, run, outcome), status: ordered.status ?? 202 };
  },
});

async function planOf(ctx: ToolContext, stream: Stream, request: StartRequest): Promise<Output> {
  const { check, run, plan } = await ctx.store.view((view) => {
    const checked = ctx.control.checkStart(view, stream.id, request);
    const planMessage = sayPlan(view, ctx.control, stream.id, checked, request);
    return { check: checked, run: view.get('runs', stream.id), plan: planMessage };
  });
  const { startAllowed, reasons } = check;
  const why = reasons.map((reason) => reason.message).join(' ');
  const message = isWanted(run)
    ? `${say(stream.name)} ${running(run)}; a start would change nothing.`
    : startAllowed
      ? `${say(stream.name)} can start now, to ${plan}.`
      : `${say(stream.name)} cannot start now. ${why}`;
  return { ...answer(ctx, stream, run, { message, changed: false, seconds: 0 }), startAllowed, reasons };
}

/** The run is wanted and stays on, so a start leaves it as it is. */
function isWanted(run: Readonly<Run> | undefined): boolean {
  return run?.desired === 'on' && (run.status === 1 || run.status === 2);
}

function running(run: Readonly<Run> | undefined): string {
  return run?.status === 2 ? 'is on air already' : 'is starting already';
}

function answer(ctx: ToolContext, { id, name }: Stream, run: Readonly<Run> | undefined, outcome: Outcome): Output {
  const { status, on_air, errorstatus, deviceId } = ctx.control.status({ id, name }, run);
  const watch = ctx.control.watchAddresses(id);
  return { livestreamId: id, name, status, on_air, ...outcome, errorstatus, deviceId, watch };
}

function sentence(ctx: ToolContext, { id, name }: Stream, run: Readonly<Run> | undefined): string {
  const status = ctx.control.status({ id, name }, run);
  return status.on_air ? sayOnAir(status) : `${say(name)} is still starting. Ask for its status in a moment.`;
}
