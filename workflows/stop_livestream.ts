import { z } from 'zod/v3';
import { statusField, type Livestream } from '../domain/livestream.ts';
import type { Run } from '../domain/run.ts';
import { resolveRow } from '../toolkit/resolve.ts';
import { defineTool, type ToolContext } from '../toolkit/tool.ts';
import {
  count,
  dryRunField,
  duration,
  livestreamField,
  messageField,
  say,
  waitForRun,
  waitSecondsField,
} from '../toolkit/workflow.ts';

const output = z
  .object({
    livestreamId: z.number().int(),
    name: z.string(),
    status: statusField,
    on_air: z.boolean(),
    message: messageField,
    changed: z.boolean().describe('false: it was off air already, or dry_run.'),
    seconds: z.number().describe('Seconds waited.'),
  })
  .strict();
type Output = z.infer<typeof output>;
type Stream = Readonly<Livestream>;

export const stop_livestream = defineTool({
  name: 'stop_livestream',
  summary: 'Stop a Live stream and wait until it is off air.',
  description:
    'Takes a broadcast off air for its viewers: all outputs end and the Recording is closed. One that is off air already stays as it is. ' +
    'It is not a pause: a later start begins a new run.',
  tag: 'Workflows',
  aliases: ['take off air', 'end broadcast', 'cut', 'go off air', 'shut down'],
  access: 'operator',
  effect: 'control',
  input: z.object({ livestream: livestreamField, wait_seconds: waitSecondsField, dry_run: dryRunField }).strict(),
  output,
  async handle(ctx, { livestream: wanted, wait_seconds, dry_run }) {
    const stream = await resolveRow(ctx.store, 'livestreams', 'Live stream', wanted);
    if (dry_run) {
      const run = (await ctx.store.get('runs', stream.id))?.row;
      return { body: answer(stream, run, false, 0, consequence(ctx, stream, run)) };
    }
    const begunMs = ctx.clock.now();
    const ordered = await ctx.commit((tx, now) => {
      const { accepted, run } = ctx.control.orderStop(tx, now, stream.id, { username: ctx.caller.username });
      return { body: answer(stream, run, accepted, 0, sentence(stream, run, accepted)) };
    });
    if (ordered.body.status === 0) return ordered;
    const run = await waitForRun(ctx, stream.id, [0], wait_seconds, `${say(stream.name)} is stopping.`);
    const seconds = Math.round((ctx.clock.now() - begunMs) / 1000);
    return { body: answer(stream, run, ordered.body.changed, seconds, sentence(stream, run, true)) };
  },
});

function answer(
  { id, name }: Stream,
  run: Readonly<Run> | undefined,
  changed: boolean,
  seconds: number,
  message: string,
): Output {
  const status = run?.status ?? 0;
  return { livestreamId: id, name, status, on_air: status === 2, message, changed, seconds };
}

function sentence({ name }: Stream, run: Readonly<Run> | undefined, changed: boolean): string {
  if ((run?.status ?? 0) === 0) return `${say(name)} is off air${changed ? '' : ' already'}.`;
  return `${say(name)} is still stopping. Ask for its status in a moment.`;
}

function consequence(ctx: ToolContext, { id, name }: Stream, run: Readonly<Run> | undefined): string {
  const { status, uptime_seconds, publishings } = ctx.control.status({ id, name }, run);
  if (status === 0) return `${say(name)} is off air already; a stop would change nothing.`;
  if (status !== 2) return `${say(name)} is not on air; a stop would end what is left of its run.`;
  return `${say(name)} is on air for ${duration(uptime_seconds)}; a stop would end ${count(publishings.length, 'destination')}.`;
}
