/** The answer of a set-up: its steps, told from the rows that it has made, and the error of one that has come to nothing. */
import { z } from 'zod/v3';
import { AppError, type FieldIssue } from '../../domain/errors.ts';
import { statusField, type Livestream } from '../../domain/livestream.ts';
import { watchField } from '../../domain/livestream-status.ts';
import { presentPublishing, type Publishing } from '../../domain/publishing.ts';
import { sourceField } from '../../domain/probe.ts';
import type { Run } from '../../domain/run.ts';
import { SET_UP_OPERATIONS, type SetUpOperation, type SetUpRows } from '../../domain/set-up.ts';
import type { View } from '../../domain/store.ts';
import { dataOf } from '../output/page.ts';
import { joinSentences, say, sentence, type Sentence } from '../sentence.ts';
import type { Answer, ToolContext } from '../tool.ts';
import { spokenSeries } from './schedule.ts';
import { setUpWarningsField, warningsOfStart } from './template-warnings.ts';
import { messageField } from './workflow.ts';

const step = z
  .object({
    operationId: z.enum(SET_UP_OPERATIONS).describe('What it stands for.'),
    state: z
      .enum(['done', 'planned', 'failed', 'skipped'])
      .describe('planned: dry_run; skipped: not needed, or taken back.'),
    id: z.number().int().nullable().describe('What it made; null: nothing, or dry_run.'),
    name: z.string().nullable(),
    detail: z.string().describe('A sentence for people.'),
  })
  .strict();
type Step = z.infer<typeof step>;

const idOrNull = z.number().int().nullable();
export const setUpOutput = dataOf(
  z
    .object({
      id: idOrNull.describe('Id of the Live stream; null: dry_run.'),
      name: z.string(),
      status: statusField,
      on_air: z.boolean(),
      message: messageField,
      steps: z.array(step).describe('In their order.'),
      made: z
        .object({
          assetId: idOrNull.describe('null: no file was uploaded.'),
          channelId: idOrNull,
          encodings: z.array(z.number().int()).describe('Ids, the best first.'),
          encodingGroupId: idOrNull.describe('The ladder.'),
          publishingId: idOrNull,
          publishings: z.array(z.number().int()).optional().describe('With several: all, in their order.'),
          livestreamId: idOrNull,
          recordPublishingId: idOrNull.optional().describe('With record.'),
          publishingGroupId: idOrNull.optional().describe('With record or several: all Destinations.'),
          scheduleId: idOrNull.optional().describe('With start_at.'),
        })
        .strict()
        .describe('What was made; null in a dry run.'),
      source: sourceField.optional(),
      warnings: setUpWarningsField,
      watch: watchField,
      watch_page: z.string().nullable().describe('URL of the player on this server; null until it is on air.'),
    })
    .strict(),
);
export type SetUpAnswer = Answer<z.infer<typeof setUpOutput>>;

type Stream = Readonly<Livestream>;

/** ordered: also where it is on air by now; an error: why it was refused, or has failed. */
type StartState = 'ordered' | 'unwanted' | AppError;

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
  const { encodingIds, publishingIds, isChannelShared: _own, ...ids } = made;
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

function stepsOf(
  ctx: ToolContext,
  view: View,
  stream: Stream,
  made: SetUpRows,
  { run, start }: { run: Readonly<Run> | undefined; start: StartState },
): Step[] {
  const asset = made.assetId === null ? undefined : view.get('assets', made.assetId);
  const size = asset === undefined ? '' : `${asset.width}×${asset.height}, ${asset.content_type}.`;
  const { publishingGroupId, recordPublishingId, scheduleId } = made;
  const named = (operationId: SetUpOperation, collection: NamedCollection, id: number, detail: string): Step =>
    done(operationId, id, view.get(collection, id)?.name, detail);
  return [
    asset === undefined
      ? skipped('uploadAsset', 'No file was sent.')
      : done('uploadAsset', asset.id, asset.filename, size),
    channelStep(ctx, view, made),
    ...made.encodingIds.map((id) => {
      const { settings_video: video, settings_audio: audio } = view.get('encodings', id) ?? {};
      const lines = `${video?.height ?? 0} lines, ${video?.bitrate ?? 0} kbit/s.`;
      const detail = video?.active === false ? `Sound alone, ${audio?.bitrate ?? 0} kbit/s.` : lines;
      return named('addEncoding', 'encodings', id, detail);
    }),
    named(
      'addEncodingGroup',
      'encodingGroups',
      made.encodingGroupId,
      made.encodingIds.length === 1 ? 'One rendition.' : `Ladder with ${made.encodingIds.length} renditions.`,
    ),
    ...(made.publishingIds ?? [made.publishingId]).map((id) =>
      named('addPublishing', 'publishings', id, deliveryOf(view.get('publishings', id))),
    ),
    ...(recordPublishingId === undefined
      ? []
      : [named('addPublishing', 'publishings', recordPublishingId, 'Records it.')]),
    ...(publishingGroupId === undefined
      ? []
      : [named('addPublishingGroup', 'publishingGroups', publishingGroupId, 'All Destinations.')]),
    done('addLivestream', stream.id, stream.name, 'Binds them together.'),
    ...(scheduleId === undefined
      ? []
      : [
          named(
            'addSchedule',
            'schedules',
            scheduleId,
            spokenSeries(view.get('schedules', scheduleId), ctx.clock.now()),
          ),
        ]),
    startStep(stream, run, start),
  ];
}

type NamedCollection = 'encodings' | 'encodingGroups' | 'publishings' | 'publishingGroups' | 'schedules';

function channelStep({ control }: ToolContext, view: View, { channelId, isChannelShared }: SetUpRows): Step {
  const channel = view.get('channels', channelId);
  if (isChannelShared)
    return { ...skipped('addChannel', 'A Channel that was there before.'), name: channel?.name ?? null };
  const ingest = channel === undefined ? null : control.ingest(channel);
  const push = ingest === null ? '' : ` Encoders push to ${ingest.url}; revealIngestKey shows the key.`;
  return done('addChannel', channelId, channel?.name, `Source of type ${channel?.type ?? 'unknown'}.${push}`);
}

function deliveryOf(row: Readonly<Publishing> | undefined): string {
  if (row === undefined) return '';
  const { url } = presentPublishing(row).settings;
  return url === null ? 'HLS, served by the Device.' : `${row.type}, delivered to ${url}.`;
}

function startStep({ id, name }: Stream, run: Readonly<Run> | undefined, start: StartState): Step {
  if (start === 'unwanted') return skipped('start_livestream', 'Not wanted now.');
  if (start instanceof AppError)
    return { operationId: 'start_livestream', state: 'failed', id, name, detail: start.message };
  return done('start_livestream', id, name, run?.status === 2 ? 'On air.' : 'The start is ordered.');
}

function done(operationId: SetUpOperation, id: number, name: string | undefined, detail: string): Step {
  return { operationId, state: 'done', id, name: name ?? null, detail };
}

function skipped(operationId: SetUpOperation, detail: string): Step {
  return { operationId, state: 'skipped', id: null, name: null, detail };
}

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

/** Runs one step; an AppError of it becomes that of the whole set-up, which names the step. */
export async function inStep<T>(operationId: SetUpOperation, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw failureOf(operationId, error);
  }
}

/** Does the same for a step inside a commit; `place` is where its fields are in what the caller has sent. */
export function inStepNow<T>(operationId: SetUpOperation, act: () => T, place = ''): T {
  try {
    return act();
  } catch (error) {
    throw failureOf(operationId, error, place);
  }
}

/** Answers the error of a set-up that is taken back whole, or the error itself where it is none of a step. */
function failureOf(operationId: SetUpOperation, error: unknown, place = ''): unknown {
  if (!(error instanceof AppError) || error.extras.facts?.['failed_step'] !== undefined) return error;
  const { facts, errors, ...extras } = error.extras;
  const failedAt = SET_UP_OPERATIONS.indexOf(operationId);
  const steps = SET_UP_OPERATIONS.map((name, at): Step => {
    if (at === failedAt) return { operationId: name, state: 'failed', id: null, name: null, detail: error.message };
    return skipped(name, at < failedAt ? 'Taken back, if it was made.' : 'Not reached.');
  });
  return new AppError(error.code, `Nothing was set up, because ${operationId} failed. ${error.message}`, {
    ...extras,
    facts: { ...facts, failed_step: operationId, steps },
    ...(errors !== undefined && { errors: errors.map((issue) => asSent(operationId, issue, place)) }),
  });
}

/** The caller has sent one address, or the name of a file, and not the settings that were made of it. */
function asSent(operationId: SetUpOperation, issue: FieldIssue, place: string): FieldIssue {
  if (operationId === 'addSchedule' && (issue.field === 'start' || issue.field === 'end'))
    return { ...issue, field: `${issue.field}_at` };
  if (operationId === 'addPublishing') return { ...issue, field: `${place}${issue.field.replace(/^settings\./u, '')}` };
  if (!issue.field.startsWith('settings.')) return issue;
  return { ...issue, field: issue.field === 'settings.filename' ? 'filename' : 'address' };
}
