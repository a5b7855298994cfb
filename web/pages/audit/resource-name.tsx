/** The resource of a call, by the name that it has now; by its number once it is gone. */
import type { ListOperation } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { words } from './words.ts';

/** Kinds of which there are few, by the list that has their names. */
const LISTS: Readonly<Record<string, ListOperation>> = {
  'Live streams': 'getAllLivestreams',
  'Runtime options': 'getAllLivestreams',
  Walls: 'getAllWalls',
  Channels: 'getAllChannels',
  Publishings: 'getAllPublishings',
  'Publishing groups': 'getAllPublishingGroups',
  Encodings: 'getAllEncodings',
  'Encoding groups': 'getAllEncodingGroups',
  Schedules: 'getAllSchedules',
  Devices: 'getAllDevices',
  'Device groups': 'getAllDeviceGroups',
  'Remote Folders': 'getAllRemoteFolders',
  'Target Folders': 'getAllTargetFolders',
  Users: 'getAllUsers',
  'User groups': 'getAllUserGroups',
};
const MAX_NAMES = 500;

interface ResourceNameProps {
  kind: string;
  id: number | null;
}

export function ResourceName({ kind, id }: ResourceNameProps) {
  const text = words.value.kinds[kind] ?? kind;
  const list = LISTS[kind];
  if (id === null) return <>{text}</>;
  return list === undefined ? <>{`${text} ${id}`}</> : <Named text={text} id={id} list={list} />;
}

function Named({ text, id, list }: { text: string; id: number; list: ListOperation }) {
  const fields = list === 'getAllUsers' ? 'id,username' : 'id,name';
  const { rows } = useList(list, { params: { fields } as never, pageSize: MAX_NAMES });
  const row = (rows as readonly { id: number; name?: string; username?: string }[]).find((each) => each.id === id);
  return <>{`${text} ${row?.name ?? row?.username ?? id}`}</>;
}
