/** A new stream key for a Destination: the rules for storing it, and its way into force where the Destination is live. */
import { z } from 'zod/v3';
import { AppError, invalidInput, ruleViolated } from '../../domain/base/errors.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { publishingResource } from '../../domain/rules/destinations/publishing.ts';
import { runUsers } from '../../domain/rules/rows/resource-users.ts';
import type { View } from '../../domain/ports/store.ts';
import { pathOf } from './destination.ts';
import type { ToolContext } from '../tool.ts';
import { KEYED_TYPES } from '../../domain/types/destination-questions.ts';
import { DESTINATION_ROWS } from '../../domain/types/destination-types.ts';

export const deliveryOutput = z
  .object({
    livestreamId: z.number().int(),
    name: z.string(),
    in_force: z.enum(['now', 'next_start']),
    delivers: z.boolean().describe('Whether a path of it is up with the new key.'),
    reason: z.string().nullable().describe('Why it counts from the next start, or is not delivered.'),
  })
  .strict();
export type Delivery = z.infer<typeof deliveryOutput>;
/** The reason of a Destination that has no path on. */
export const SWITCHED_OFF = 'It is switched off.';

export type Named = Pick<Publishing, 'id' | 'name'>;

/** The row with the new key, by the rules of every update. Throws AppError rule_violated for a type without keys. */
export function withStreamKey(view: View, id: number, stream_key: string): Publishing {
  const present = view.get('publishings', id);
  if (present === undefined) throw new AppError('conflict', 'The Destination was deleted meanwhile.');
  if (!KEYED_TYPES.includes(present.type)) {
    const message = `Destination "${present.name}" of type ${present.type} has no stream key; types that have one are ${KEYED_TYPES.join(', ')}`;
    throw ruleViolated(`${message}.`, [{ field: 'destination', code: 'unsupported', message, allowed: KEYED_TYPES }]);
  }
  const settings = keySettings(present, stream_key);
  const sent = { settings };
  const changed = { ...present, settings: { ...present.settings, ...settings } };
  const row = publishingResource.complete?.(changed, present, sent) ?? changed;
  try {
    publishingResource.check?.(row, view, present, sent);
  } catch (error) {
    throw asArgument(error);
  }
  return row;
}

/** A target that is told the key as a stream id has it in the one setting or in the other. */
function keySettings({ type, settings: { srt } }: Publishing, key: string): Partial<Publishing['settings']> {
  const isStreamId = DESTINATION_ROWS[type].key === 'streamid' && srt.streamid != null;
  return isStreamId ? { srt: { ...srt, streamid: key } } : { stream_key: key };
}

const KEY_FIELDS: readonly string[] = ['settings.stream_key', 'settings.srt.streamid'];

/** The error with findings about the key under the name of this argument. */
function asArgument(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'invalid_input') return error;
  const issues = error.extras.errors ?? [];
  return invalidInput(
    issues.map((issue) => (KEY_FIELDS.includes(issue.field) ? { ...issue, field: 'stream_key' } : issue)),
  );
}

/** The Live streams that deliver to it, the requested one first: when that one refuses, nothing has changed. */
export function usersFirst(view: View, publishingId: number, livestreamId: number | undefined): Named[] {
  const users = runUsers(view, 'boundPublishings', publishingId);
  return users.sort((a, b) => Number(b.id === livestreamId) - Number(a.id === livestreamId));
}

/** Pauses and resumes the Destination of one Live stream. A refusal of the requested Live stream is the refusal of the call. */
export async function renewDelivery(
  { caller, control, request }: Pick<ToolContext, 'caller' | 'control' | 'request'>,
  row: Publishing,
  { id, name }: Named,
  isRequested: boolean,
): Promise<Delivery> {
  try {
    return await control.changeLive(
      id,
      { kind: 'output', body: row, by: caller.username },
      async ({ status }): Promise<Delivery> => {
        const paths = (['primary', 'backup'] as const).flatMap((path) => pathOf(status, row.id, path) ?? []);
        const delivers = paths.some(({ state }) => state === 'up');
        const isOff = !paths.some(({ enabled }) => enabled);
        const reason = isOff ? SWITCHED_OFF : 'Its target has not taken the stream yet.';
        return { livestreamId: id, name, in_force: 'now', delivers, reason: delivers ? null : reason };
      },
      request.changeId,
    );
  } catch (error) {
    // A Live stream that starts or stops just now has nothing to pause, and uses the stored key at its next start.
    if (!(error instanceof AppError) || (isRequested && error.code !== 'wrong_state')) throw error;
    return { livestreamId: id, name, in_force: 'next_start', delivers: false, reason: error.message };
  }
}
