/** The names that the server knows, for completion. */
import { callServer } from '../client/call.ts';
import type { OperationName } from '../client/routes.ts';
import { listContexts } from '../credentials.ts';
import type { Candidate } from './complete.ts';

/** The list that has the names of a kind, and the field that a person types. */
const LISTS: Readonly<Record<string, readonly [operation: OperationName, field: string]>> = {
  livestream: ['getAllLivestreams', 'name'],
  channel: ['getAllChannels', 'name'],
  destination: ['getAllPublishings', 'name'],
  livestreamId: ['getAllLivestreams', 'id'],
  channelId: ['getAllChannels', 'id'],
  publishingId: ['getAllPublishings', 'id'],
  publishingGroupId: ['getAllPublishingGroups', 'id'],
  encodingId: ['getAllEncodings', 'id'],
  encodingGroupId: ['getAllEncodingGroups', 'id'],
  scheduleId: ['getAllSchedules', 'id'],
  deviceId: ['getAllDevices', 'id'],
  recordingId: ['getRecordings', 'id'],
};
/** Nobody chooses from a longer list, and a page takes longer. */
const MAX_NAMES = 200;

export async function liveNames(kind: string): Promise<Candidate[]> {
  if (kind === 'server' || kind === 'url') return listContexts().map(({ url }) => ({ word: url }));
  const list = LISTS[kind];
  if (list === undefined) return [];
  const [operation, field] = list;
  const { rows } = await callServer<{ rows: { id: number; name: string }[] }>(operation, {
    fields: 'id,name',
    pageSize: MAX_NAMES,
  });
  return rows.map(({ id, name }) =>
    field === 'id' ? { word: String(id), about: name } : { word: name, about: `id ${id}` },
  );
}
