import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import {
  broadcastStatus,
  broadcastStatusOutput,
  type BroadcastStatus,
} from '../domain/rules/broadcasts/broadcast-status.ts';
import { sayFound } from '../toolkit/input/resolve.ts';
import {
  count,
  duration,
  lagOf,
  NOT_WATCHED,
  quoteReason,
  say,
  sentence,
  sourceWords,
  type Sentence,
} from '../toolkit/sentence.ts';
import { defineTool, type ToolContext } from '../toolkit/tool.ts';
import { spokenTime } from '../toolkit/subjects/schedule.ts';
import {
  clockFields,
  clockOf,
  findLivestream,
  livestreamField,
  messageField,
  takenForField,
} from '../toolkit/subjects/workflow.ts';

export const get_livestream_status = defineTool({
  name: 'get_livestream_status',
  summary: 'Tell how one Live stream is doing now.',
  description:
    'Use it to check or follow a broadcast; all at once: getLivestreamsStatus; past: getLivestreamEvents. ' +
    'Answers status, source, renditions, Destination paths, where to watch.',
  tag: 'Workflows',
  aliases: ['is it live', 'health', 'how is the stream', 'on air check', 'what is wrong'],
  access: 'operator',
  effect: 'read',
  performs: ['getLivestreamStatus'],
  input: z.object({ livestream: livestreamField }).strict(),
  output: broadcastStatusOutput.extend({ taken_for: takenForField, message: messageField, ...clockFields }).strict(),
  async handle(ctx, { livestream: wanted }) {
    const { row, ...taken } = await findLivestream(ctx, wanted);
    const now = toIso(ctx.clock.now());
    const { status, device } = await ctx.store.view((view) => {
      const found = broadcastStatus(view, ctx.control, row, now);
      return { status: found, device: view.get('devices', found.deviceId ?? 0)?.name };
    });
    const { text: message, names } = sayFound({ row, ...taken }, 'Live stream', messageOf(status, device, ctx));
    return { body: { ...status, ...taken, message, ...clockOf(ctx) }, names };
  },
});

function messageOf(view: BroadcastStatus, device: string | undefined, ctx: ToolContext): Sentence {
  const name = say(view.name);
  if (view.status === 0) return sentence`${name} is off air.${onNext(view, ctx)}`;
  if (view.status === 1) return sentence`${name} is starting.`;
  if (view.device_lost_since !== null) return whenLost(view, device, ctx.clock.now());
  if (view.status === 3) return sentence`${name} has failed and is off air. ${whyFailed(view)}${onNext(view, ctx)}`;
  const paths = view.publishings.flatMap(({ primary, backup }) => (backup === null ? [primary] : [primary, backup]));
  const wanted = paths.filter(({ enabled }) => enabled);
  const late = wanted.filter(({ state }) => state === 'connecting').length;
  const fenced = wanted.filter(({ state }) => state === 'fenced').length;
  const down = wanted.filter(({ state }) => state !== 'up').length - late - fenced;
  const some = (number: number, how: string): string[] =>
    number === 0 ? [] : [`${count(number, 'output')} of ${wanted.length} ${number === 1 ? 'is' : 'are'} ${how}`];
  const short = [
    ...some(down, 'down'),
    ...some(fenced, 'held back until its Device hears a server'),
    ...some(late, 'still connecting'),
  ];
  const delivery = short.length === 0 ? 'and all its outputs deliver' : `and ${short.join(', ')}`;
  const outcome = wanted.length === 0 ? 'but all its outputs are off, so nobody gets it' : delivery;
  const signal = signalOf(view, ctx.clock.now());
  return sentence`${name} is on air for ${duration(view.uptime_seconds)} ${outcome}${signal}.${lag(view)}${picture(view)}`;
}

function whenLost(
  { name, device_lost_since: since }: BroadcastStatus,
  device: string | undefined,
  nowMs: number,
): Sentence {
  const which = device === undefined ? 'its Device' : sentence`Device ${say(device)}`;
  const seconds = Math.round((nowMs - Date.parse(since ?? '')) / 1000);
  return sentence`Whether ${say(name)} is on air is not known: ${which} has been silent for ${duration(seconds)}. A stop gives its run up; a start puts it on another Device.`;
}

function signalOf(view: BroadcastStatus, nowMs: number): string {
  const words = sourceWords(view, nowMs);
  if (words.length === 0) return '';
  return words[0] === NOT_WATCHED
    ? '. Its source is not watched for silence, black or frozen pictures'
    : `, but its source has been ${words.join(' and ')}`;
}

function lag(view: BroadcastStatus): string {
  const found = lagOf(view);
  return found === undefined ? '' : ` It ${[`${found.words}.`, found.remedy].filter(Boolean).join(' ')}`;
}

function onNext({ next }: BroadcastStatus, { control, clock }: ToolContext): string {
  return next === null ? '' : ` It is on next on ${spokenTime(Date.parse(next.start), control.timezone, clock.now())}.`;
}

/** Describes what viewers see where that is not the broadcast itself. */
function picture({ source, runtime }: BroadcastStatus): string {
  if (runtime.blackout === 'Black Frame') return ' Viewers see a black picture.';
  if (runtime.blackout === 'File') return ' Viewers see the blackout file in place of the programme.';
  return source?.state === 'lost' ? ' Its source is lost, so viewers see the fallback picture.' : '';
}

function whyFailed({ errorstatus }: BroadcastStatus): string {
  return errorstatus === null ? 'No reason is known.' : `The reason given is: ${quoteReason(errorstatus)}.`;
}
