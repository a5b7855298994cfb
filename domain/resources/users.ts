import type { CollectionName } from '../collections.ts';
import type { ResourceUser } from '../resource.ts';
import type { View } from '../store.ts';

type Binding =
  'channelId' | 'encodingId' | 'encodingGroupId' | 'publishingId' | 'publishingGroupId' | 'deviceId' | 'idEncoderGroup';

/** Live streams bound to a resource through one of their reference fields. */
export function livestreamUsers(view: View, field: Binding, id: number): ResourceUser[] {
  const { rows } = view.find('livestreams', { where: { [field]: id }, limit: 20 });
  return rows.map((row) => ({ resource: 'Live stream', id: row.id, name: row.name }));
}

/** Groups that have the id among their elements. */
export function groupUsers(
  view: View,
  collection: Extract<CollectionName, 'encodingGroups' | 'publishingGroups'>,
  noun: string,
  id: number,
): ResourceUser[] {
  const { rows } = view.find(collection, {});
  return rows.filter((row) => row.elements.includes(id)).map((row) => ({ resource: noun, id: row.id, name: row.name }));
}
