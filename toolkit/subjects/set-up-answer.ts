/** The answer of a set-up: its steps, told from the rows that it has made, and the error of one that has come to nothing. */
import { z } from 'zod/v3';
import { AppError, type FieldIssue } from '../../domain/errors.ts';
import { statusField, type Livestream } from '../../domain/livestream.ts';
import type { Run } from '../../domain/run.ts';
import type { SetUpRows } from '../../domain/set-up.ts';
import type { View } from '../../domain/store.ts';
import { dataOf } from '../output/page.ts';
import { say, sentence } from '../sentence.ts';
import type { Answer, ToolContext } from '../tool.ts';
import { messageField, watchField } from './workflow.ts';

/** The operations that a set-up stands for, in its order. */
const OPERATIONS = [
  'uploadAsset',
  'addChannel',
  'addEncoding',
  'addEncodingGroup',
  'addPublishing',
  'addLivestream',
  'start_livestream',
] as const;
export type SetUpOperation = (typeof OPERATIONS)[number];

const step = z
  .object({
    operationId: z.enum(OPERATIONS).describe('What it stands for.'),
    state: z.enum(['done', 'failed', 'skipped']).describe('skipped: not needed, or taken back.'),
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
          livestreamId: idOrNull,
        })
        .strict()
        .describe('What was made; null in a dry run.'),
      watch: watchField,
      watch_page: z.string().nullable().describe('Player on this server; null until it is on air.'),
    })
    .strict(),
);
export type SetUpAnswer = Answer<z.infer<typeof setUpOutput>>;

type Stream = Readonly<Livestream>;

/** The answer for a set-up as the view has it. */
export function answerOf(ctx: ToolContext, view: View, stream: Stream, made: SetUpRows, isTrial: boolean): SetUpAnswer {
  const { id, name } = stream;
  const run = isTrial ? undefined : view.get('runs', id);
  const { status, on_air } = ctx.control.status(stream, run);
  const watch = run === undefined ? [] : ctx.control.watchAddresses(id);
  const message = isTrial
    ? sentence`${say(name)} can be set up and put on air. Nothing was done yet.`
    : on_air
      ? sentence`${say(name)} is on air.`
      : sentence`${say(name)} is set up and starting. If the start fails, all of it is taken back.`;
  const steps = stepsOf(view, stream, made, run);
  const url = watch[0]?.url;
  const { encodingIds, ...ids } = made;
  const data = {
    id: isTrial ? null : id,
    name,
    status,
    on_air,
    message: message.text,
    steps: isTrial ? steps.map((one) => ({ ...one, id: null })) : steps,
    made: isTrial ? NOTHING_MADE : { ...ids, encodings: encodingIds, livestreamId: id },
    watch,
    watch_page: url === undefined ? null : `/watch?src=${encodeURIComponent(url)}`,
  };
  return { body: { data }, names: message.names, ...(on_air ? {} : { status: 202, pending: true }) };
}

const NOTHING_MADE = {
  assetId: null,
  channelId: null,
  encodings: [],
  encodingGroupId: null,
  publishingId: null,
  livestreamId: null,
};

function stepsOf(view: View, stream: Stream, made: SetUpRows, run: Readonly<Run> | undefined): Step[] {
  const done = (operationId: SetUpOperation, id: number | null, name: string | undefined, detail: string): Step => ({
    operationId,
    state: 'done',
    id,
    name: name ?? null,
    detail,
  });
  const asset = made.assetId === null ? undefined : view.get('assets', made.assetId);
  const channel = view.get('channels', made.channelId);
  const size = asset === undefined ? '' : `${asset.width}×${asset.height}, ${asset.content_type}.`;
  return [
    made.assetId === null
      ? skipped('uploadAsset', 'No file was sent.')
      : done('uploadAsset', made.assetId, asset?.filename, size),
    done('addChannel', made.channelId, channel?.name, `Source of type ${channel?.type ?? 'unknown'}.`),
    ...made.encodingIds.map((id) => {
      const row = view.get('encodings', id);
      const { height, bitrate } = row?.settings_video ?? {};
      return done('addEncoding', id, row?.name, `${height ?? 0} lines, ${bitrate ?? 0} kbit/s.`);
    }),
    done(
      'addEncodingGroup',
      made.encodingGroupId,
      view.get('encodingGroups', made.encodingGroupId)?.name,
      `Ladder with ${made.encodingIds.length} renditions.`,
    ),
    done(
      'addPublishing',
      made.publishingId,
      view.get('publishings', made.publishingId)?.name,
      'HLS, served by the Device.',
    ),
    done('addLivestream', stream.id, stream.name, 'Binds them together.'),
    done('start_livestream', stream.id, stream.name, run?.status === 2 ? 'On air.' : 'The start is ordered.'),
  ];
}

function skipped(operationId: SetUpOperation, detail: string): Step {
  return { operationId, state: 'skipped', id: null, name: null, detail };
}

/** Runs one step; an AppError of it becomes that of the whole set-up, which names the step. */
export async function inStep<T>(operationId: SetUpOperation, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw failureOf(operationId, error);
  }
}

/** Does the same for a step inside a commit. */
export function inStepNow<T>(operationId: SetUpOperation, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw failureOf(operationId, error);
  }
}

/** Answers the error of a set-up that is taken back whole, or the error itself where it is none of a step. */
export function failureOf(operationId: SetUpOperation, error: unknown): unknown {
  if (!(error instanceof AppError) || error.extras.facts?.['failed_step'] !== undefined) return error;
  const { facts, errors, ...extras } = error.extras;
  const failedAt = OPERATIONS.indexOf(operationId);
  const steps = OPERATIONS.map((name, at): Step => {
    if (at === failedAt) return { operationId: name, state: 'failed', id: null, name: null, detail: error.message };
    return skipped(name, at < failedAt ? 'Taken back, if it was made.' : 'Not reached.');
  });
  return new AppError(error.code, `Nothing was set up, because ${operationId} failed. ${error.message}`, {
    ...extras,
    facts: { ...facts, failed_step: operationId, steps },
    ...(errors !== undefined && { errors: errors.map(asSent) }),
  });
}

/** The caller has sent one address, or the name of a file, and not the settings that were made of it. */
function asSent(issue: FieldIssue): FieldIssue {
  if (!issue.field.startsWith('settings.')) return issue;
  return { ...issue, field: issue.field === 'settings.filename' ? 'filename' : 'address' };
}
