/** Fields that hold the id of another row are chosen by its name. Who may not list these rows keeps the stored number. */
import { call, dataIn } from '../api/call.ts';
import { can } from '../api/can.ts';
import { OPERATIONS, type OperationId } from '../../client/request.ts';
import type { FormLayout, Picker } from '../ui/form/form-context.ts';

export interface PickerSource {
  list: OperationId;
  params?: Readonly<Record<string, unknown>>;
  /** The member of a row that the field holds; `id` where it is left out. */
  value?: string;
}

export interface ResourceLayout extends FormLayout {
  /** Keys are paths; false: the field is a plain one although its name would make it a picker. */
  pickers?: Readonly<Record<string, OperationId | PickerSource | false>>;
}

/** Keys are names of fields. */
const LISTS: Readonly<Record<string, OperationId>> = {
  channelId: 'getAllChannels',
  encodingId: 'getAllEncodings',
  encodingGroupId: 'getAllEncodingGroups',
  qualities: 'getAllEncodings',
  publishingId: 'getAllPublishings',
  publishingGroupId: 'getAllPublishingGroups',
  idEncoderGroup: 'getAllDeviceGroups',
  deviceId: 'getAllDevices',
  backupDeviceId: 'getAllDevices',
  cloudAccountId: 'getAllCloudAccounts',
  remotefolder: 'getAllRemoteFolders',
  provider_id: 'getAllDrmProviders',
  targetFolderId: 'getAllTargetFolders',
  livestreamId: 'getAllLivestreams',
  recordingId: 'getRecordings',
  userId: 'getAllUsers',
};

type Row = Readonly<Record<string, unknown>>;

function nameOf(row: Row): string {
  const name = [row['name'], row['username'], row['client'], row['filename']].find((text) => typeof text === 'string');
  return (name as string | undefined) ?? `${String(row['id'])}`;
}

/** The operation that reads one row of a list. */
function readerOf(list: OperationId): OperationId | undefined {
  const { path } = OPERATIONS[list];
  return (Object.keys(OPERATIONS) as OperationId[]).find((name) => {
    const { method, path: own } = OPERATIONS[name];
    return method === 'GET' && own.startsWith(`${path}/{`) && own.indexOf('}') === own.length - 1;
  });
}

export function pickerFor(layout: ResourceLayout): (path: string) => Picker | undefined {
  return (path) => {
    const own = layout.pickers?.[path] ?? LISTS[path.split('.').at(-1) ?? ''];
    if (own === undefined || own === false) return undefined;
    const source = typeof own === 'string' ? { list: own } : own;
    return can(source.list) ? picker(source) : undefined;
  };
}

const OPTIONS = 20;

function picker({ list, params = {}, value = 'id' }: PickerSource): Picker {
  return {
    async ask(typed) {
      const search = typed === '' ? {} : { search: typed };
      const { body } = await call(list, { params: { ...params, ...search, pageSize: OPTIONS } as never });
      return (body as { rows: Row[] }).rows.map((row) => ({
        value: row[value] as string | number,
        label: nameOf(row),
        ...(typeof row['type'] === 'string' && { details: row['type'] }),
      }));
    },
    async nameOf(id) {
      const reader = readerOf(list);
      if (value !== 'id' || reader === undefined) return undefined;
      const [name = ''] = /(?<=\{)\w+/u.exec(OPERATIONS[reader].path) ?? [];
      const { body } = await call(reader, { params: { [name]: id } as never });
      return nameOf(dataIn(body) as Row);
    },
  };
}
