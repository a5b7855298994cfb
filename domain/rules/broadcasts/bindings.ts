/** Bindings of a Live stream, resolved through a lookup. */
import type { Encoding } from '../../shapes/encodings/encoding.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import type { Lookup } from '../../ports/resource.ts';
import type { Store } from '../../ports/store.ts';

export type Binding = Pick<Livestream, 'encodingId' | 'encodingGroupId' | 'publishingId' | 'publishingGroupId'>;

export function boundEncodings(lookup: Lookup, { encodingId, encodingGroupId }: Binding): Encoding[] {
  const group = encodingGroupId === null ? undefined : lookup.get('encodingGroups', encodingGroupId);
  const ids = encodingId === null ? (group?.elements ?? []) : [encodingId];
  return ids.flatMap((id) => lookup.get('encodings', id) ?? []);
}

export function boundPublishings(lookup: Lookup, { publishingId, publishingGroupId }: Binding): Publishing[] {
  const group = publishingGroupId === null ? undefined : lookup.get('publishingGroups', publishingGroupId);
  const ids = publishingId === null ? (group?.elements ?? []) : [publishingId];
  return ids.flatMap((id) => lookup.get('publishings', id) ?? []);
}

/** Reads the rows that boundPublishings will look up for these Live streams. */
export async function relatedPublishings(
  store: Pick<Store, 'getMany'>,
  rows: readonly Readonly<Binding>[],
): Promise<Lookup> {
  const groups = await store.getMany('publishingGroups', [
    ...new Set(rows.flatMap((row) => row.publishingGroupId ?? [])),
  ]);
  const ids = [...rows.flatMap((row) => row.publishingId ?? []), ...groups.flatMap((group) => group.elements)];
  const publishings = await store.getMany('publishings', [...new Set(ids)]);
  const rowsByCollection: Partial<Record<string, readonly { id: number }[]>> = {
    publishingGroups: groups,
    publishings,
  };
  return { get: (collection, id) => rowsByCollection[collection]?.find((row) => row.id === id) as never };
}
