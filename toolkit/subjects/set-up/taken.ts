/** The parts of a set-up that were there before, by id or name: Channel, Encoding or ladder, Destinations or their group, Device. */
import { invalidInput, notFound } from '../../../domain/errors.ts';
import type { PublishingType } from '../../../domain/publishing-types.ts';
import { takeId, type Reader, type Reference } from '../reference.ts';
import { inStep } from './steps.ts';
import type { TakenDestination, WantedDestination } from './destination.ts';

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

/** Throws AppError invalid_input where the ladder is named twice; rejects as takeId does. */
export async function takenLadder(
  ctx: Reader,
  { encodingId, encodingGroupId, quality }: TakenInput & { quality?: unknown },
): Promise<TakenLadder | undefined> {
  assertOneOf({ encodingId, encodingGroupId, quality });
  const group = await inStep('addEncodingGroup', async () => {
    const id = await takeId(ctx, 'encodingGroups', encodingGroupId);
    if (id !== undefined && (await ctx.store.get('encodingGroups', id)) === undefined)
      throw notFound('Encoding group', id);
    return id;
  });
  if (group !== undefined) return { encodingGroupId: group };
  const encoding = await inStep('addEncoding', async () => {
    const id = await takeId(ctx, 'encodings', encodingId);
    if (id !== undefined && (await ctx.store.get('encodings', id)) === undefined) throw notFound('Encoding', id);
    return id;
  });
  return encoding === undefined ? undefined : { encodingId: encoding };
}

/** Throws AppError invalid_input where a Destination of one's own is sent beside it; rejects as takeId does. */
export async function takenGroup(ctx: Reader, input: TakenInput): Promise<TakenGroup | undefined> {
  const { publishingGroupId, publishingId, destinations, template, url, stream_key } = input;
  if (publishingGroupId === undefined) return undefined;
  assertOneOf({ publishingGroupId, publishingId, destinations, template, url, stream_key });
  return inStep('addPublishingGroup', async () => {
    const id = (await takeId(ctx, 'publishingGroups', publishingGroupId))!;
    const group = (await ctx.store.get('publishingGroups', id))?.row;
    if (group === undefined) throw notFound('Publishing group', id);
    const rows = await Promise.all(group.elements.map((element) => ctx.store.get('publishings', element)));
    return { publishingGroupId: id, types: rows.flatMap((found) => (found === undefined ? [] : [found.row.type])) };
  });
}

/** Throws AppError invalid_input where what makes a new one is sent beside it; rejects as takeId does. */
export async function takenDestination(
  ctx: Reader,
  { publishingId, template, url, stream_key }: DestinationInput,
  place = '',
): Promise<TakenDestination | undefined> {
  if (publishingId === undefined) return undefined;
  assertOneOf({ publishingId, template, url, stream_key }, place);
  const run = async (): Promise<TakenDestination> => {
    const id = (await takeId(ctx, 'publishings', publishingId, `${place}publishingId`))!;
    const row = (await ctx.store.get('publishings', id))?.row;
    if (row === undefined) throw notFound('Publishing', id);
    return { publishingId: id, type: row.type };
  };
  return inStep('addPublishing', run, place);
}

function assertOneOf(fields: Readonly<Record<string, unknown>>, place = ''): void {
  const [first, ...others] = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (first === undefined || others.length === 0) return;
  const message = `takes the place of ${others.join(', ')}; send one of them`;
  throw invalidInput([{ field: `${place}${first}`, code: 'one_of', message }]);
}
