/** The answer of a set-up, and its error where the start came to nothing. */
import { z } from 'zod/v3';
import { AppError } from '../../../domain/base/errors.ts';
import { statusField, type Livestream } from '../../../domain/shapes/broadcasts/livestream.ts';
import { watchField } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import { sourceField } from '../../../domain/shapes/sources/probe.ts';
import type { SetUpRows } from '../../../domain/shapes/broadcasts/set-up.ts';
import type { View } from '../../../domain/ports/store.ts';
import { dataOf } from '../../output/page.ts';
import { joinSentences, say, sentence, type Sentence } from '../../sentence.ts';
import type { Answer, ToolContext } from '../../tool.ts';
import { spokenSeries } from '../schedule.ts';
import { setUpWarningsField, warningsOfStart } from '../template-warnings.ts';
import { messageField } from '../workflow.ts';
import { stepField, stepsOf, type StartState } from './steps.ts';

const idOrNull = z.number().int().nullable();
export const setUpOutput = dataOf(
  z
    .object({
      id: idOrNull.describe('Id of the Live stream; null: dry_run.'),
      name: z.string(),
      status: statusField,
      on_air: z.boolean(),
      message: messageField,
      steps: z.array(stepField).describe('In their order.'),
      made: z
        .object({
          assetId: idOrNull.describe('null: no file was uploaded.'),
          channelId: idOrNull,
          encodings: z.array(z.number().int()).describe('Ids, the best first.'),
          encodingGroupId: idOrNull.describe('The ladder.'),
          encodingId: idOrNull.optional().describe('In place of a ladder.'),
          publishingId: idOrNull.describe('null: those of the group.'),
          publishings: z.array(z.number().int()).optional().describe('With several: all, in their order.'),
          livestreamId: idOrNull,
          recordPublishingId: idOrNull.optional().describe('With record.'),
          publishingGroupId: idOrNull.optional().describe('With record or several: all Destinations.'),
          scheduleId: idOrNull.optional().describe('With start_at.'),
        })
        .strict()
        .describe('What was made, or taken as it was; null in a dry run.'),
      source: sourceField.optional(),
      warnings: setUpWarningsField,
      watch: watchField,
      watch_page: z.string().nullable().describe('URL of the player on this server; null until it is on air.'),
    })
    .strict(),
);
export type SetUpAnswer = Answer<z.infer<typeof setUpOutput>>;

type Stream = Readonly<Livestream>;

/** The answer for a set-up as the view has it. */
export function answerOf(
  ctx: ToolContext,
  view: View,
  stream: Stream,
  made: SetUpRows,
  { isTrial, start }: { isTrial: boolean; start: StartState },
): SetUpAnswer {
  const { id, name } = stream;
  const run = isTrial || start === 'unwanted' ? undefined : view.get('runs', id);
  const { status, on_air } = ctx.control.status(stream, run);
  const watch = run === undefined ? [] : ctx.control.watchAddresses(id);
  const channel = view.get('channels', made.channelId);
  const ingest = channel === undefined ? null : ctx.control.ingest(channel);
  const parts = [messageOf(name, { isTrial, start, on_air })];
  if (made.scheduleId !== undefined)
    parts.push(sentence`${spokenSeries(view.get('schedules', made.scheduleId), ctx.clock.now())}`);
  const isAwaited = ingest !== null && ingest.state !== 'receiving';
  if (isAwaited && !isTrial)
    parts.push(
      sentence`It waits for the encoder: send to ${ingest.url}; revealIngestKey shows the key. Until then viewers see the fallback.`,
    );
  const message = joinSentences(parts, ' ');
  const steps = stepsOf(ctx, view, stream, made, { run, start });
  const url = watch[0]?.url;
  const { encodingIds, publishingIds, taken: _taken, ...ids } = made;
  const data = {
    id: isTrial ? null : id,
    name,
    status,
    on_air,
    message: message.text,
    steps: isTrial
      ? steps.map((one) => ({ ...one, id: null, state: one.state === 'done' ? 'planned' : one.state }))
      : steps,
    made: isTrial
      ? NOTHING_MADE
      : {
          ...ids,
          ...(publishingIds !== undefined && { publishings: publishingIds }),
          encodings: encodingIds,
          livestreamId: id,
        },
    warnings: [
      ...warningsOfStart(view, stream, ctx.control.checkStart(view, id, {})).map((warning) =>
        isTrial ? { ...warning, publishingId: null } : warning,
      ),
      ...(ingest?.note == null ? [] : [{ code: 'ingest', publishingId: null, message: ingest.note }]),
    ],
    watch,
    watch_page: url === undefined ? null : ctx.system.links.page(`/watch?src=${encodeURIComponent(url)}`),
  };
  const isPending = !on_air && start === 'ordered';
  return { body: { data }, names: message.names, ...(isPending && { status: 202, pending: true }) };
}

function messageOf(
  name: string,
  { isTrial, start, on_air }: { isTrial: boolean; start: StartState; on_air: boolean },
): Sentence {
  if (start instanceof AppError) {
    const would = isTrial ? 'can be set up, but could not start now' : 'is set up, but its start was refused';
    return sentence`${say(name)} ${would}. ${start.message}`;
  }
  if (isTrial && start === 'unwanted') return sentence`${say(name)} can be set up. Nothing was done yet.`;
  if (isTrial) return sentence`${say(name)} can be set up and put on air. Nothing was done yet.`;
  if (start === 'unwanted') return sentence`${say(name)} is set up.`;
  return on_air ? sentence`${say(name)} is on air.` : sentence`${say(name)} is set up and starting.`;
}

const NOTHING_MADE = {
  assetId: null,
  channelId: null,
  encodings: [],
  encodingGroupId: null,
  publishingId: null,
  livestreamId: null,
};

/** The error of a start that came to nothing: what was made before it stays, and is named. */
export function startFailure({ body, names }: SetUpAnswer, cause: AppError): AppError {
  const { id, name, steps, made, status } = body.data;
  const { facts, ...extras } = cause.extras;
  return new AppError(cause.code, `${say(name).text} is set up, but it is not on air. ${cause.message}`, {
    ...extras,
    ...(names !== undefined && { names }),
    remedy: `What was made stays. ${cause.extras.remedy ?? 'Mend that, then start it with start_livestream.'}`,
    facts: {
      ...facts,
      failed_step: 'start_livestream',
      livestreamId: id,
      livestream_status: status,
      made,
      steps,
    },
  });
}
