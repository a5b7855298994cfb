import { z } from 'zod/v3';
import { livestreamStatusOutput, type LivestreamStatusView } from '../domain/livestream-status.ts';
import { sayFound } from '../toolkit/input/resolve.ts';
import { count, duration, quoteReason, say, sentence, type Sentence } from '../toolkit/sentence.ts';
import { defineTool } from '../toolkit/tool.ts';
import {
  clockFields,
  clockOf,
  findLivestream,
  livestreamField,
  messageField,
  takenForField,
  watchField,
} from '../toolkit/subjects/workflow.ts';

export const get_livestream_status = defineTool({
  name: 'get_livestream_status',
  summary: 'Tell how one Live stream is doing now.',
  description:
    'Use it to check or follow a broadcast; all at once: getLivestreamsStatus; past: getLivestreamEvents. ' +
    'Answers status, source, renditions, Destination paths, what is shown, where to watch.',
  tag: 'Workflows',
  aliases: ['is it live', 'health', 'how is the stream', 'on air check', 'what is wrong'],
  access: 'operator',
  effect: 'read',
  performs: ['getLivestreamStatus'],
  input: z.object({ livestream: livestreamField }).strict(),
  output: livestreamStatusOutput
    .extend({ taken_for: takenForField, message: messageField, watch: watchField, ...clockFields })
    .strict(),
  async handle(ctx, { livestream: wanted }) {
    const { row, ...taken } = await findLivestream(ctx, wanted);
    const { id, name } = row;
    const status = ctx.control.status({ id, name }, (await ctx.store.get('runs', id))?.row);
    const { text: message, names } = sayFound({ row, ...taken }, 'Live stream', messageOf(status));
    return { body: { ...status, ...taken, message, watch: ctx.control.watchAddresses(id), ...clockOf(ctx) }, names };
  },
});

function messageOf(view: LivestreamStatusView): Sentence {
  const name = say(view.name);
  if (view.status === 0) return sentence`${name} is off air.`;
  if (view.status === 1) return sentence`${name} is starting.`;
  if (view.status === 3) return sentence`${name} has failed and is off air. ${whyFailed(view)}`;
  const paths = view.publishings.flatMap(({ primary, backup }) => (backup === null ? [primary] : [primary, backup]));
  const wanted = paths.filter(({ enabled }) => enabled);
  const late = wanted.filter(({ state }) => state === 'connecting').length;
  const down = wanted.filter(({ state }) => state !== 'up').length - late;
  const some = (number: number, how: string): string[] =>
    number === 0 ? [] : [`${count(number, 'output')} of ${wanted.length} ${number === 1 ? 'is' : 'are'} ${how}`];
  const short = [...some(down, 'down'), ...some(late, 'still connecting')];
  const delivery = short.length === 0 ? 'and all its outputs deliver' : `and ${short.join(', ')}`;
  const outcome = wanted.length === 0 ? 'but all its outputs are off, so nobody gets it' : delivery;
  return sentence`${name} is on air for ${duration(view.uptime_seconds)} ${outcome}.${picture(view)}`;
}

/** Describes what viewers see where that is not the broadcast itself. */
function picture({ source, runtime }: LivestreamStatusView): string {
  if (runtime.blackout === 'Black Frame') return ' Viewers see a black picture.';
  if (runtime.blackout === 'File') return ' Viewers see the blackout file in place of the programme.';
  return source?.state === 'lost' ? ' Its source is lost, so viewers see the fallback picture.' : '';
}

function whyFailed({ errorstatus }: LivestreamStatusView): string {
  return errorstatus === null ? 'No reason is known.' : `The reason given is: ${quoteReason(errorstatus)}.`;
}
