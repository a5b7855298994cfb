/** The lists of `onair ls`, in the words that people use for them. */
import type { OperationId } from '../../client/request.ts';
import type { Column } from '../output/format.ts';
import { instantText, wallText } from '../output/instants.ts';
import type { Tone } from '../output/screen.ts';
import { STATUS_WORDS } from './status.ts';

export type Row = Record<string, unknown>;

export interface Resource {
  operation: OperationId;
  columns: readonly Column<Row>[];
  /** Arguments for the table alone, such as what it needs embedded. */
  embed?: Record<string, unknown>;
  /** Rows that refer to Live streams show their names. */
  hasLivestreams?: true;
}

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
};

const field = (head: string, name: string): Column<Row> => ({ head, cell: (row) => textOf(row[name]) });
const instant = (head: string, name: string): Column<Row> => ({
  head,
  cell: ({ [name]: value }) => (typeof value === 'string' ? instantText(value) : ''),
});
/** It goes by the clock of the row's own zone; the end of the same day is a time of day. */
const wall = (head: string, name: string): Column<Row> => ({
  head,
  cell: ({ [name]: value, start, timezone }) => {
    const text = wallText(String(value), String(timezone));
    const day = wallText(String(start), String(timezone)).slice(0, 11);
    return name === 'end' && text.startsWith(day) ? text.slice(day.length) : text;
  },
});
const within = (head: string, name: string, inner: string): Column<Row> => ({
  head,
  cell: (row) => textOf((row[name] as Row | null | undefined)?.[inner]),
});
const toned = (head: string, name: string, tones: Readonly<Record<string, Tone>>): Column<Row> => ({
  head,
  cell: (row) => ({ text: textOf(row[name]), tone: tones[textOf(row[name])] }),
});
const sized: Column<Row> = {
  head: 'SIZE',
  cell: ({ size_bytes }) =>
    Number(size_bytes) < 1e6
      ? `${Math.ceil(Number(size_bytes) / 1e3)} kB`
      : `${(Number(size_bytes) / 1e6).toFixed(1)} MB`,
};
const flag = (head: string, name: string): Column<Row> => ({
  head,
  cell: (row) => (row[name] === true ? 'yes' : 'no'),
});

const ID = field('ID', 'id');
const NAME = field('NAME', 'name');
const TYPE = field('TYPE', 'type');
const MEMBERS = field('MEMBERS', 'elements');
const VALIDATION = toned('VALIDATION', 'validation_status', { VALID: 'good', INVALID: 'bad' });
const DESCRIPTION = field('DESCRIPTION', 'description');

export const RESOURCES: Readonly<Record<string, Resource>> = {
  livestreams: {
    operation: 'getAllLivestreams',
    embed: { includeChannel: true, includeDestinations: true },
    columns: [
      ID,
      NAME,
      {
        head: 'STATUS',
        cell: ({ status }) => ({
          text: STATUS_WORDS[Number(status)] ?? '',
          tone: (['faint', 'wait', 'good', 'bad'] as const)[Number(status)],
        }),
      },
      within('CHANNEL', 'channel', 'name'),
      {
        head: 'DESTINATIONS',
        cell: ({ destinations }) => ((destinations ?? []) as Row[]).map(({ name }) => textOf(name)).join(', '),
      },
    ],
  },
  channels: { operation: 'getAllChannels', columns: [ID, NAME, TYPE, flag('ENABLED', 'enabled'), DESCRIPTION] },
  destinations: {
    operation: 'getAllPublishings',
    columns: [
      ID,
      NAME,
      TYPE,
      flag('PRIMARY', 'primary_enabled'),
      flag('BACKUP', 'backup_enabled'),
      within('ADDRESS', 'settings', 'url'),
    ],
  },
  'destination-groups': { operation: 'getAllPublishingGroups', columns: [ID, NAME, MEMBERS] },
  encodings: {
    operation: 'getAllEncodings',
    columns: [
      ID,
      NAME,
      within('VIDEO', 'settings_video', 'codec'),
      within('HEIGHT', 'settings_video', 'height'),
      within('KBIT/S', 'settings_video', 'bitrate'),
      within('AUDIO', 'settings_audio', 'codec'),
    ],
  },
  'encoding-groups': { operation: 'getAllEncodingGroups', columns: [ID, NAME, field('ENCODINGS', 'elements')] },
  schedules: {
    operation: 'getAllSchedules',
    hasLivestreams: true,
    columns: [
      ID,
      NAME,
      field('LIVE STREAM', 'livestream'),
      wall('START', 'start'),
      wall('END', 'end'),
      within('RECURRENCE', 'recurrence', 'type'),
      field('ZONE', 'timezone'),
      flag('ENABLED', 'enabled'),
    ],
  },
  actions: {
    operation: 'getAllPlannedActions',
    hasLivestreams: true,
    columns: [
      ID,
      field('LIVE STREAM', 'livestream'),
      TYPE,
      instant('AT', 'execute_at'),
      toned('STATUS', 'status', {
        pending: 'wait',
        executed: 'good',
        failed: 'bad',
        disabled: 'faint',
        cancelled: 'faint',
      }),
      field('ERROR', 'error'),
    ],
  },
  recordings: {
    operation: 'getRecordings',
    columns: [
      ID,
      field('LIVE STREAM', 'livestream_name'),
      toned('STATUS', 'status', { recording: 'wait', finished: 'good', failed: 'bad' }),
      instant('STARTED', 'started_at'),
      { head: 'SECONDS', cell: ({ duration_seconds }) => Number(duration_seconds ?? 0).toFixed(0) },
      sized,
    ],
  },
  assets: {
    operation: 'listAssets',
    columns: [field('FILENAME', 'filename'), field('BUCKET', 'fileType'), sized, field('CONTENT', 'content_type')],
  },
  devices: {
    operation: 'getAllDevices',
    columns: [
      ID,
      NAME,
      TYPE,
      {
        head: 'ONLINE',
        cell: ({ online }) => (online === true ? { text: 'yes', tone: 'good' } : { text: 'no', tone: 'bad' }),
      },
      flag('ENABLED', 'enabled'),
      field('ADDRESS', 'ip_address'),
      field('LOCATION', 'location'),
    ],
  },
  'device-groups': { operation: 'getAllDeviceGroups', columns: [ID, NAME, field('DEVICES', 'devices')] },
  'join-tokens': {
    operation: 'listJoinTokens',
    columns: [
      field('KID', 'kid'),
      NAME,
      TYPE,
      field('USED', 'used'),
      field('OF', 'max_uses'),
      instant('EXPIRES', 'expires_at'),
    ],
  },
  users: {
    operation: 'getAllUsers',
    columns: [
      ID,
      field('USERNAME', 'username'),
      field('E-MAIL', 'email'),
      { head: 'ROLE', cell: ({ user_role }) => (user_role === 1 ? 'admin' : 'operator') },
      flag('ACTIVE', 'active'),
    ],
  },
  'user-groups': { operation: 'getAllUserGroups', columns: [ID, NAME, MEMBERS] },
  tokens: {
    operation: 'listApiTokens',
    columns: [
      field('KID', 'kid'),
      NAME,
      instant('CREATED', 'created_at'),
      {
        head: 'EXPIRES',
        cell: ({ expires_at }) => (typeof expires_at === 'string' ? instantText(expires_at) : 'never'),
      },
    ],
  },
  'remote-folders': {
    operation: 'getAllRemoteFolders',
    columns: [ID, NAME, field('PROTOCOL', 'protocol'), field('HOST', 'host'), field('FOLDER', 'folder'), VALIDATION],
  },
  'target-folders': {
    operation: 'getAllTargetFolders',
    columns: [ID, NAME, TYPE, field('HOST', 'host'), field('FOLDER', 'folder'), VALIDATION],
  },
  walls: {
    operation: 'getAllWalls',
    columns: [ID, NAME, field('LAYOUT', 'layout'), field('LIVE STREAMS', 'livestreamIds'), field('TAGS', 'tags')],
  },
  'mail-rules': {
    operation: 'getAllMailRules',
    columns: [
      ID,
      NAME,
      flag('ENABLED', 'enabled'),
      field('LAST SENT', 'last_sent_at'),
      field('LAST ERROR', 'last_error'),
    ],
  },
  'cloud-accounts': {
    operation: 'getAllCloudAccounts',
    columns: [ID, field('CLIENT', 'client'), flag('ENABLED', 'enabled'), VALIDATION],
  },
  'drm-providers': {
    operation: 'getAllDrmProviders',
    columns: [ID, NAME, field('TYPE', 'provider_type'), flag('ENABLED', 'enabled'), VALIDATION],
  },
  presets: { operation: 'listPresets', columns: [ID, field('KIND', 'kind'), NAME, TYPE] },
  alarms: {
    operation: 'getSystemAlarms',
    columns: [
      field('CHECK', 'check'),
      field('STATE', 'state'),
      field('DETAIL', 'detail'),
      field('REMEDY', 'remedy'),
      instant('SINCE', 'since'),
    ],
  },
  licenses: {
    operation: 'getSystemLicenses',
    columns: [
      field('LICENCE', 'licence_id'),
      field('CUSTOMER', 'customer'),
      field('FEATURES', 'features'),
      instant('EXPIRES', 'expires_at'),
      flag('ACTIVE', 'active'),
    ],
  },
};

/** Other words for the same list. */
export const ALIASES: Readonly<Record<string, string>> = {
  streams: 'livestreams',
  sources: 'channels',
  publishings: 'destinations',
  'publishing-groups': 'destination-groups',
  ladders: 'encoding-groups',
  licences: 'licenses',
};
