/** Looks up names that stand where an operation takes ids, so that the corrected call can have the id. */
import { AppError, invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import type { Read } from './reads.ts';
import { takeNamed, type Named } from './resolve.ts';

/** The list that has a field's id, the noun for its rows, and the field that has their name. */
type List = readonly [operation: string, noun: string, nameField?: 'name' | 'username' | 'client'];
const DEVICES: List = ['getAllDevices', 'Device'];
const CLOUD_ACCOUNTS: List = ['getAllCloudAccounts', 'Cloud account', 'client'];
const DRM_PROVIDERS: List = ['getAllDrmProviders', 'DRM provider'];
const REMOTE_FOLDERS: List = ['getAllRemoteFolders', 'Remote Folder'];
const TARGET_FOLDERS: List = ['getAllTargetFolders', 'Target Folder'];
const LISTS: Readonly<Record<string, List>> = {
  livestreamId: ['getAllLivestreams', 'Live stream'],
  channelId: ['getAllChannels', 'Channel'],
  backupChannelId: ['getAllChannels', 'Channel'],
  publishingId: ['getAllPublishings', 'Publishing'],
  publishingGroupId: ['getAllPublishingGroups', 'Publishing group'],
  encodingId: ['getAllEncodings', 'Encoding'],
  encodingGroupId: ['getAllEncodingGroups', 'Encoding group'],
  scheduleId: ['getAllSchedules', 'Schedule'],
  deviceId: DEVICES,
  backupDeviceId: DEVICES,
  idEncoderGroup: ['getAllDeviceGroups', 'Device group'],
  recordingId: ['getRecordings', 'Recording'],
  userId: ['getAllUsers', 'User', 'username'],
  cloudAccountId: CLOUD_ACCOUNTS,
  accountId: CLOUD_ACCOUNTS,
  provider_id: DRM_PROVIDERS,
  providerId: DRM_PROVIDERS,
  remotefolder: REMOTE_FOLDERS,
  targetFolderId: TARGET_FOLDERS,
};
/** The ids whose kind the operation tells. */
const OWN: readonly (readonly [operation: RegExp, field: string, list: List])[] = [
  [/PublishingGroup$/u, 'groupId', ['getAllPublishingGroups', 'Publishing group']],
  [/EncodingGroup$/u, 'groupId', ['getAllEncodingGroups', 'Encoding group']],
  [/DeviceGroup$/u, 'groupId', ['getAllDeviceGroups', 'Device group']],
  [/UserGroup$/u, 'groupId', ['getAllUserGroups', 'User group']],
  [/RemoteFolder(?:ById)?$/u, 'folderId', REMOTE_FOLDERS],
  [/TargetFolder(?:ById)?$/u, 'folderId', TARGET_FOLDERS],
];
/** The ids that the list fields of an operation hold. */
const MEMBERS: readonly (readonly [operation: RegExp, field: string, member: string])[] = [
  [/PublishingGroup$/u, 'elements', 'publishingId'],
  [/EncodingGroup$/u, 'elements', 'encodingId'],
  [/UserGroup$/u, 'elements', 'userId'],
  [/DeviceGroup$/u, 'devices', 'deviceId'],
  [/./u, 'qualities', 'encodingId'],
];
/** Each name costs the reading of a list, and a call with more names than this is no slip. */
const MAX_NAMES = 3;
const MAX_LIST = 500;

interface NamedCall {
  name: string;
  args: Record<string, unknown>;
}

export interface WithIds {
  error: unknown;
  /** The ids by the field that the finding names. */
  ids: ReadonlyMap<string, number>;
  /** The field whose name is that of no row. The rows that are nearest to it are other ones. */
  unknown?: string;
}

/**
 * Adds to each finding the row that is called so, or else that there is none, with the nearest rows: what changes anything takes no close
 * match, and neither does a corrected call. `read` has the caller's own rights.
 */
export async function withIds(error: unknown, call: NamedCall, read: Read): Promise<WithIds> {
  const ids = new Map<string, number>();
  if (!(error instanceof AppError) || error.code !== 'invalid_input') return { error, ids };
  const { errors = [], facts } = error.extras;
  const names = errors.flatMap((issue) => nameIn(issue, call) ?? []).slice(0, MAX_NAMES);
  if (names.length === 0) return { error, ids };
  const extended = new Map<FieldIssue, FieldIssue>();
  const unknown: string[] = [];
  let allFacts = facts;
  for (const { issue, name, list } of names) {
    try {
      const meant = takeNamed(await rowsOf(read, list), { wanted: name, noun: list[1] });
      ids.set(issue.field, meant.id);
      extended.set(issue, { ...issue, message: `${issue.message}; ${list[1]} ${meant.id} is "${meant.name}"`, meant });
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      // A caller who may not read the list learns no more than before.
      if (refusal.extras.facts === undefined || !['conflict', 'not_found'].includes(refusal.code)) continue;
      if (refusal.code === 'not_found') unknown.push(issue.field);
      extended.set(issue, {
        ...issue,
        message: `${issue.message}${issue.message.endsWith('?') ? '' : '.'} ${refusal.message}`,
      });
      allFacts = { ...allFacts, ...refusal.extras.facts };
    }
  }
  const { message, extras } = invalidInput(errors.map((issue) => extended.get(issue) ?? issue));
  return {
    error: new AppError('invalid_input', message, { ...error.extras, ...extras, ...(allFacts && { facts: allFacts }) }),
    ids,
    ...(unknown.length === 1 && { unknown: unknown[0]! }),
  };
}

interface NameInCall {
  issue: FieldIssue;
  name: string;
  list: List;
}

/** Finds a text in the place of an id, under the field's own name or nearly so. */
function nameIn(issue: FieldIssue, { name: operation, args }: NamedCall): NameInCall | undefined {
  const { field, code, expected, nearest } = issue;
  const path = field.split('.');
  const value = path.reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], args);
  const meant =
    code === 'unknown_field'
      ? String(nearest).split('.').at(-1)
      : expected === 'number'
        ? idOf(operation, path)
        : undefined;
  const list = meant === undefined ? undefined : listOf(operation, meant);
  if (list === undefined || typeof value !== 'string' || value.length > 100 || !/\p{L}/u.test(value)) return undefined;
  return { issue, name: value, list };
}

function listOf(operation: string, field: string): List | undefined {
  const own = OWN.find(([operations, name]) => name === field && operations.test(operation))?.[2];
  return own ?? (Object.hasOwn(LISTS, field) ? LISTS[field] : undefined);
}

/** The id that a field holds: `elements.0` of a group of Publishings is a publishingId. */
function idOf(operation: string, path: readonly string[]): string | undefined {
  const last = path.at(-1) ?? '';
  if (!/^\d+$/u.test(last)) return last;
  return MEMBERS.find(([groups, field]) => groups.test(operation) && field === path.at(-2))?.[2];
}

async function rowsOf(read: Read, [operation, , nameField = 'name']: List): Promise<Named[]> {
  const body = await read(operation, { fields: `id,${nameField}`, pageSize: MAX_LIST });
  const { rows, pagination } = body as {
    rows: (Named & Partial<Record<string, string>>)[];
    pagination: { total: number };
  };
  // A name that is unique on the first page may be found again on a later one.
  if (pagination.total > rows.length) throw new AppError('too_large', 'There are too many to look through.');
  return rows.map((row) => ({ id: row.id, name: row[nameField] ?? '' }));
}
