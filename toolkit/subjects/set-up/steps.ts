/** The steps of a set-up, told from the rows that it has made, and the error of one that has come to nothing. */
import { z } from 'zod/v3';
import { AppError, type FieldIssue } from '../../../domain/base/errors.ts';
import type { Livestream } from '../../../domain/shapes/broadcasts/livestream.ts';
import { presentPublishing, type Publishing } from '../../../domain/shapes/destinations/publishing.ts';
import type { Run } from '../../../domain/shapes/broadcasts/run.ts';
import { SET_UP_OPERATIONS, type SetUpOperation, type SetUpRows } from '../../../domain/shapes/broadcasts/set-up.ts';
import type { View } from '../../../domain/ports/store.ts';
import type { ToolContext } from '../../tool.ts';
import { spokenSeries } from '../schedule.ts';

export const stepField = z
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
type Step = z.infer<typeof stepField>;

type Stream = Readonly<Livestream>;

/** ordered: also where it is on air by now; an error: why it was refused, or has failed. */
export type StartState = 'ordered' | 'unwanted' | AppError;

/** The steps in their order, as the rows tell them. */
export function stepsOf(
  ctx: ToolContext,
  view: View,
  stream: Stream,
  made: SetUpRows,
  { run, start }: { run: Readonly<Run> | undefined; start: StartState },
): Step[] {
  const asset = made.assetId === null ? undefined : view.get('assets', made.assetId);
  const size = asset === undefined ? '' : `${asset.width}×${asset.height}, ${asset.content_type}.`;
  const { encodingId, encodingGroupId, publishingGroupId, recordPublishingId, scheduleId } = made;
  const named = (operationId: SetUpOperation, collection: NamedCollection, id: number, detail: string): Step => {
    const name = view.get(collection, id)?.name;
    return isTaken(made, collection, id)
      ? { ...skipped(operationId, 'It was there before.'), name: name ?? null }
      : done(operationId, id, name, detail);
  };
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
    ...(encodingId === undefined ? [] : [named('addEncoding', 'encodings', encodingId, '')]),
    ...(encodingGroupId === null
      ? []
      : [
          named(
            'addEncodingGroup',
            'encodingGroups',
            encodingGroupId,
            made.encodingIds.length === 1 ? 'One rendition.' : `Ladder with ${made.encodingIds.length} renditions.`,
          ),
        ]),
    ...(made.publishingIds ?? [made.publishingId])
      .filter((id) => id !== null)
      .map((id) => named('addPublishing', 'publishings', id, deliveryOf(view.get('publishings', id)))),
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

function isTaken({ taken = {} }: SetUpRows, collection: string, id: number): boolean {
  return (taken as Record<string, number[] | undefined>)[collection]?.includes(id) === true;
}

function channelStep({ control }: ToolContext, view: View, made: SetUpRows): Step {
  const { channelId } = made;
  const channel = view.get('channels', channelId);
  if (isTaken(made, 'channels', channelId))
    return { ...skipped('addChannel', 'It was there before.'), name: channel?.name ?? null };
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

/** Runs one step; an AppError of it becomes that of the whole set-up, which names the step. */
export async function inStep<T>(operationId: SetUpOperation, act: () => Promise<T>, place = ''): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw failureOf(operationId, error, place);
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
