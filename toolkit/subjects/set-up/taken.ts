/** The parts of a set-up that were there before, by id or name: Channel, Encoding or ladder, Destinations or their group, Device. */
import { invalidInput } from '../../../domain/base/errors.ts';
import { takeReferred, type Reader, type Reference } from '../reference.ts';
import { inStep } from './steps.ts';
import type { TakenDestination, WantedDestination } from './destination.ts';
import type { PublishingType } from '../../../domain/types/destination-types.ts';

export interface DestinationInput extends WantedDestination {
  publishingId?: Reference | undefined;
}

export interface TakenInput extends DestinationInput {
  channelId?: Reference | undefined;
  encodingId?: Reference | undefined;
  encodingGroupId?: Reference | undefined;
  publishingGroupId?: Reference | undefined;
  destinations?: DestinationInput[] | undefined;
  deviceId?: Reference | undefined;
}

export type TakenLadder = { encodingId: number } | { encodingGroupId: number };

export interface TakenGroup {
  publishingGroupId: number;
  types: PublishingType[];
}

/** Throws AppError invalid_input where the ladder is named twice; rejects as takeReferred does. */
export async function takenLadder(
  ctx: Reader,
  { encodingId, encodingGroupId, quality }: TakenInput & { quality?: unknown },
): Promise<TakenLadder | undefined> {
  assertOneOf({ encodingId, encodingGroupId, quality });
  if (encodingGroupId !== undefined)
    return inStep('addEncodingGroup', async () => {
      return { encodingGroupId: (await takeReferred(ctx, 'encodingGroups', encodingGroupId)).id };
    });
  if (encodingId === undefined) return undefined;
  return inStep('addEncoding', async () => ({ encodingId: (await takeReferred(ctx, 'encodings', encodingId)).id }));
}

/** Throws AppError invalid_input where a Destination of one's own is sent beside it; rejects as takeReferred does. */
export async function takenGroup(ctx: Reader, input: TakenInput): Promise<TakenGroup | undefined> {
  const { publishingGroupId, publishingId, destinations, template, url, stream_key } = input;
  if (publishingGroupId === undefined) return undefined;
  assertOneOf({ publishingGroupId, publishingId, destinations, template, url, stream_key });
  return inStep('addPublishingGroup', async () => {
    const { id, elements } = await takeReferred(ctx, 'publishingGroups', publishingGroupId);
    const rows = await Promise.all(elements.map((element) => ctx.store.get('publishings', element)));
    return { publishingGroupId: id, types: rows.flatMap((found) => (found === undefined ? [] : [found.row.type])) };
  });
}

/** Throws AppError invalid_input where what makes a new one is sent beside it; rejects as takeReferred does. */
export async function takenDestination(
  ctx: Reader,
  { publishingId, template, url, stream_key }: DestinationInput,
  place = '',
): Promise<TakenDestination | undefined> {
  if (publishingId === undefined) return undefined;
  assertOneOf({ publishingId, template, url, stream_key }, place);
  const run = async (): Promise<TakenDestination> => {
    const { id, type } = await takeReferred(ctx, 'publishings', publishingId, `${place}publishingId`);
    return { publishingId: id, type };
  };
  return inStep('addPublishing', run, place);
}

function assertOneOf(fields: Readonly<Record<string, unknown>>, place = ''): void {
  const [first, ...others] = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (first === undefined || others.length === 0) return;
  const message = `takes the place of ${others.join(', ')}; send one of them`;
  throw invalidInput([{ field: `${place}${first}`, code: 'one_of', message }]);
}
