import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { statusField, type Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import { endingRecordings } from '../domain/rules/media/recording.ts';
import { cancelOnce, scheduleOnAir, type StoppedSchedule } from '../domain/rules/schedules/schedule-stop.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import { sayAfterStop, stoppedScheduleOutput, stoppedScheduleBody } from '../toolkit/subjects/schedule.ts';
import { count, duration, joinSentences, say, sentence, type Sentence } from '../toolkit/sentence.ts';
import { defineTool, type Answer, type ToolContext } from '../toolkit/tool.ts';
import {
  dryRunField,
  livestreamField,
  messageField,
  takeLivestream,
  waitForRun,
  waitSecondsField,
} from '../toolkit/subjects/workflow.ts';

const output = z
  .object({
    livestreamId: z.number().int(),
    name: z.string(),
    status: statusField,
    on_air: z.boolean(),
    message: messageField,
    changed: z.boolean().describe('false: it was off air already, or dry_run.'),
    seconds: z.number().describe('Seconds waited.'),
    schedule: stoppedScheduleOutput.nullable().describe('Schedule that had it on air; null: none.'),
  })
  .strict();
type Output = z.infer<typeof output>;
type Stream = Readonly<Livestream>;
type Outcome = Pick<Output, 'changed' | 'seconds'> & { message: Sentence };

export const stop_livestream = defineTool({
  name: 'stop_livestream',
  summary: 'Stop a Live stream and wait until it is off air.',
  description:
    'Ends it for its viewers and closes the Recording; to hide the picture use runtimeApplyBlackout, for one output ' +
    'toggle_destination. Of a recurring Schedule only this occurrence ends; one for once is cancelled. Safe to repeat. ' +
    'Answers status and Schedule.',
  tag: 'Workflows',
  aliases: ['take off air', 'end broadcast', 'cut', 'go off air', 'shut down'],
  access: 'operator',
  effect: 'control',
  performs: ['stopLivestream'],
  input: z.object({ livestream: livestreamField, wait_seconds: waitSecondsField, dry_run: dryRunField }).strict(),
  output,
  async handle(ctx, { livestream: wanted, wait_seconds, dry_run }) {
    const stream = await takeLivestream(ctx, wanted);
    if (dry_run) return planOf(ctx, stream);
    const begunMs = ctx.clock.now();
    let schedule: StoppedSchedule | undefined;
    const ordered = await ctx.commit((tx, now) => {
      schedule = scheduleOnAir(tx, stream.id, now);
      const isLost = ctx.control.status(stream, tx.get('runs', stream.id)).device_lost_since !== null;
      const { accepted, run } = ctx.control.orderStop(tx, now, stream.id, { username: ctx.caller.username });
      if (schedule !== undefined) cancelOnce(tx, schedule, now);
      const changed = accepted || schedule !== undefined;
      const message = isLost ? givenUp(stream) : messageOf(stream, run, accepted);
      return answer(ctx, stream, run, schedule, { changed, seconds: 0, message });
    });
    if (ordered.body.status === 0) return ordered;
    const run = await waitForRun(ctx, stream.id, [0], wait_seconds, sentence`${say(stream.name)} is stopping.`);
    const seconds = Math.round((ctx.clock.now() - begunMs) / 1000);
    const { changed } = ordered.body;
    return answer(ctx, stream, run, schedule, { changed, seconds, message: messageOf(stream, run, true) });
  },
});

async function planOf(ctx: ToolContext, stream: Stream): Promise<Answer<Output>> {
  const now = toIso(ctx.clock.now());
  const { run, schedule, ending } = await ctx.store.view((view) => ({
    run: view.get('runs', stream.id),
    schedule: scheduleOnAir(view, stream.id, now),
    ending: endingRecordings(view, stream.id),
  }));
  const message = joinSentences([consequence(ctx, stream, run), ...ending], ' ');
  return answer(ctx, stream, run, schedule, { changed: false, seconds: 0, message });
}

function answer(
  ctx: ToolContext,
  { id, name }: Stream,
  run: Readonly<Run> | undefined,
  stopped: StoppedSchedule | undefined,
  { changed, seconds, message }: Outcome,
): Answer<Output> {
  const status = run?.status ?? 0;
  const { text, names } =
    stopped === undefined ? message : sentence`${message} ${sayAfterStop(stopped, ctx.clock.now())}`;
  const schedule = stoppedScheduleBody(stopped);
  const body = { livestreamId: id, name, status, on_air: status === 2, message: text, changed, seconds, schedule };
  return { body, names };
}

function messageOf({ name }: Stream, run: Readonly<Run> | undefined, changed: boolean): Sentence {
  if ((run?.status ?? 0) === 0) return sentence`${say(name)} is off air${changed ? '' : ' already'}.`;
  return sentence`${say(name)} is still stopping. Ask for its status in a moment.`;
}

function givenUp({ name }: Stream): Sentence {
  return sentence`${say(name)} is given up: its Device is silent, and ends what it may still deliver when it is back.`;
}

function consequence(ctx: ToolContext, { id, name }: Stream, run: Readonly<Run> | undefined): Sentence {
  const { status, uptime_seconds, publishings, device_lost_since } = ctx.control.status({ id, name }, run);
  if (device_lost_since !== null)
    return sentence`Whether ${say(name)} is on air is not known, because its Device is silent; a stop would give its run up.`;
  if (status === 0) return sentence`${say(name)} is off air already; a stop would change nothing.`;
  if (status !== 2) return sentence`${say(name)} is not on air; a stop would end what is left of its run.`;
  const enabled = publishings.filter(({ primary, backup }) => primary.enabled || backup?.enabled === true);
  return sentence`${say(name)} is on air for ${duration(uptime_seconds)}; a stop would end ${count(enabled.length, 'destination')}.`;
}
