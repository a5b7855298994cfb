/** Names where an operation takes ids: what a person calls a thing, looked up, so that the corrected call can say the id. */
import { AppError, invalidInput, type FieldIssue } from '../../domain/errors.ts';
import { matchName, type Named } from '../../toolkit/input/resolve.ts';

/** The list in which a field's id is found, what it is an id of, and what its rows are called by, where that is not their name. */
type List = readonly [operation: string, noun: string, called?: 'name' | 'username'];
const LISTS: Readonly<Record<string, List>> = {
  livestreamId: ['getAllLivestreams', 'Live stream'],
  channelId: ['getAllChannels', 'Channel'],
  publishingId: ['getAllPublishings', 'Publishing'],
  publishingGroupId: ['getAllPublishingGroups', 'Publishing group'],
  encodingId: ['getAllEncodings', 'Encoding'],
  encodingGroupId: ['getAllEncodingGroups', 'Encoding group'],
  scheduleId: ['getAllSchedules', 'Schedule'],
  deviceId: ['getAllDevices', 'Device'],
  idEncoderGroup: ['getAllDeviceGroups', 'Device group'],
  recordingId: ['getRecordings', 'Recording'],
  userId: ['getAllUsers', 'User', 'username'],
};
/** Whose ids the lists of an operation hold. */
const MEMBERS: readonly (readonly [operation: RegExp, field: string, member: string])[] = [
  [/PublishingGroup$/u, 'elements', 'publishingId'],
  [/EncodingGroup$/u, 'elements', 'encodingId'],
  [/UserGroup$/u, 'elements', 'userId'],
  [/DeviceGroup$/u, 'devices', 'deviceId'],
  [/./u, 'qualities', 'encodingId'],
];
/** Each costs a list; a call with more names than this is no slip. */
const MAX_NAMES = 3;
const MAX_LIST = 500;

interface Called {
  name: string;
  args: Record<string, unknown>;
}

export interface WithIds {
  error: unknown;
  /** By the field that the finding names. */
  ids: ReadonlyMap<string, number>;
}

/** What an operation answers. Rejects with AppError. */
export type Read = (operation: string, args: Record<string, unknown>) => Promise<unknown>;

/** The findings with what each name stands for, or with all that it fits: never guessed. `read` has the caller's own rights. */
export async function withIds(error: unknown, call: Called, read: Read): Promise<WithIds> {
  const ids = new Map<string, number>();
  if (!(error instanceof AppError) || error.code !== 'invalid_input') return { error, ids };
  const { errors = [], facts } = error.extras;
  const named = errors.flatMap((issue) => nameIn(issue, call) ?? []).slice(0, MAX_NAMES);
  if (named.length === 0) return { error, ids };
  const told = new Map<FieldIssue, FieldIssue>();
  let found = facts;
  for (const { issue, name, list } of named) {
    try {
      const meant = matchName(name, await rowsOf(read, list), list[1]);
      ids.set(issue.field, meant.id);
      told.set(issue, { ...issue, message: `${issue.message}; ${list[1]} ${meant.id} is "${meant.name}"`, meant });
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      // Whoever may not list it is told no more than before.
      if (refusal.extras.facts === undefined || !['conflict', 'not_found'].includes(refusal.code)) continue;
      told.set(issue, {
        ...issue,
        message: `${issue.message}${issue.message.endsWith('?') ? '' : '.'} ${refusal.message}`,
      });
      found = { ...found, ...refusal.extras.facts };
    }
  }
  const { message, extras } = invalidInput(errors.map((issue) => told.get(issue) ?? issue));
  return {
    error: new AppError('invalid_input', message, { ...error.extras, ...extras, ...(found && { facts: found }) }),
    ids,
  };
}

interface NameGiven {
  issue: FieldIssue;
  name: string;
  list: List;
}

/** A text in the place of an id, under its own name or nearly so. */
function nameIn(issue: FieldIssue, { name: operation, args }: Called): NameGiven | undefined {
  const { field, code, expected, nearest } = issue;
  const path = field.split('.');
  const value = path.reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], args);
  const meant =
    code === 'unknown_field'
      ? String(nearest).split('.').at(-1)
      : expected === 'number'
        ? idOf(operation, path)
        : undefined;
  const list = meant !== undefined && Object.hasOwn(LISTS, meant) ? LISTS[meant] : undefined;
  if (list === undefined || typeof value !== 'string' || value.length > 100 || !/\p{L}/u.test(value)) return undefined;
  return { issue, name: value, list };
}

/** `elements.0` of a group of Publishings is a publishingId. */
function idOf(operation: string, path: readonly string[]): string | undefined {
  const last = path.at(-1) ?? '';
  if (!/^\d+$/u.test(last)) return last;
  return MEMBERS.find(([groups, field]) => groups.test(operation) && field === path.at(-2))?.[2];
}

async function rowsOf(read: Read, [operation, , called = 'name']: List): Promise<Named[]> {
  const body = await read(operation, { fields: `id,${called}`, pageSize: MAX_LIST });
  const { rows, pagination } = body as { rows: (Named & { username?: string })[]; pagination: { total: number } };
  // A name that is unique among the first may be found again further on.
  if (pagination.total > rows.length) throw new AppError('too_large', 'There are too many to look through.');
  return rows.map((row) => ({ id: row.id, name: row[called] ?? '' }));
}
