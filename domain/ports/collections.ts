import { HISTORY_FACTS, type HistoryFacts } from './history-facts.ts';
import type { AudienceMinute } from '../shapes/broadcasts/audience.ts';
import type { ArchiveState } from '../shapes/installation/archive.ts';
import type { Asset, MediaKey } from '../shapes/media/asset.ts';
import type { WorkCosts } from '../shapes/encodings/capacity.ts';
import type { Channel } from '../shapes/sources/channel.ts';
import type { CloudAccount } from '../shapes/devices/cloud-account.ts';
import type { Device } from '../shapes/devices/device.ts';
import type { DeviceGroup } from '../shapes/devices/device-group.ts';
import type { DeviceOwner } from '../shapes/devices/device-owner.ts';
import type { FleetState } from '../shapes/devices/fleet-hold.ts';
import type { DrmProvider } from '../shapes/destinations/drm-provider.ts';
import type { Encoding, EncodingGroup } from '../shapes/encodings/encoding.ts';
import type { LivestreamEvent } from '../shapes/installation/event.ts';
import type { RemoteFolder, TargetFolder } from '../shapes/media/folder.ts';
import type { IngestMark, KnownFormat } from '../shapes/sources/ingest.ts';
import type { JoinToken } from '../shapes/devices/join-token.ts';
import type { Licence } from '../shapes/installation/licence.ts';
import type { MailNotice, MailRule } from '../shapes/installation/mail-rule.ts';
import type { Livestream } from '../shapes/broadcasts/livestream.ts';
import type { DisplayLink, Wall } from '../shapes/broadcasts/wall.ts';
import type { PlannedAction } from '../shapes/schedules/planned-action.ts';
import type { Publishing, PublishingGroup } from '../shapes/destinations/publishing.ts';
import type { Recording } from '../shapes/media/recording.ts';
import type { Run } from '../shapes/broadcasts/run.ts';
import type { Firing, PastFiring, Schedule, ScheduleSkip } from '../shapes/schedules/schedule.ts';
import type { Secret } from '../base/secret.ts';
import type { StoreEra } from '../shapes/installation/store-era.ts';
import type { ApiToken, AuditEntry, IdempotencyEntry, KnownSignIn, Session } from '../shapes/installation/security.ts';
import type { TranscriptionConfig } from '../shapes/media/transcription.ts';
import type { OAuthRows } from '../shapes/installation/oauth.ts';
import type { User } from '../shapes/installation/user.ts';
import type { UserGroup } from '../shapes/installation/user-group.ts';

/** Stored rows by collection. Every row has `id`; the store allots it unless the rows belong to others, as `runs` and `deviceLinks` do. */
export interface CollectionRows extends OAuthRows {
  users: User;
  tokens: ApiToken;
  sessions: Session;
  knownSignIns: KnownSignIn;
  userGroups: UserGroup;
  channels: Channel;
  encodings: Encoding;
  encodingGroups: EncodingGroup;
  publishings: Publishing;
  publishingGroups: PublishingGroup;
  assets: Asset;
  livestreams: Livestream;
  runs: Run;
  walls: Wall;
  displayLinks: DisplayLink;
  schedules: Schedule;
  scheduleSkips: ScheduleSkip;
  firings: Firing;
  plannedActions: PlannedAction;
  recordings: Recording;
  devices: Device;
  deviceGroups: DeviceGroup;
  deviceLinks: DeviceOwner;
  fleet: FleetState;
  joinTokens: JoinToken;
  mediaKeys: MediaKey;
  archives: ArchiveState;
  secrets: Secret;
  eras: StoreEra;
  workCosts: WorkCosts;
  ingestMarks: IngestMark;
  knownFormats: KnownFormat;
  drmProviders: DrmProvider;
  cloudAccounts: CloudAccount;
  remoteFolders: RemoteFolder;
  targetFolders: TargetFolder;
  transcription: TranscriptionConfig;
  licences: Licence;
  mailRules: MailRule;
  mailNotices: MailNotice;
  events: LivestreamEvent;
  audit: AuditEntry;
  idempotency: IdempotencyEntry;
  pastFirings: PastFiring;
  audienceMinutes: AudienceMinute;
}
export type CollectionName = keyof CollectionRows;
/** Collections of history, whose rows never change once written; they are kept in files with an index, not in memory. */
export type HistoryName = 'events' | 'audit' | 'idempotency' | 'pastFirings' | 'audienceMinutes';
export type ResidentName = Exclude<CollectionName, HistoryName>;

interface CollectionFacts<T> {
  /** Each entry is a set of fields whose values together occur once. */
  unique: readonly (readonly (keyof T & string)[])[];
  /** Fields that may be filtered and sorted by; `id` always may. */
  indexed: readonly (keyof T & string)[];
  /** Fields that `search` (substring of the folded text) looks into. */
  searched: readonly (keyof T & string)[];
  /** Fields whose values each have a count of changes, which View.changesOf answers. */
  counted?: readonly (keyof T & string)[];
  /** Set for history alone: its rows do not live in memory. */
  history?: HistoryFacts;
}

export const COLLECTIONS: { readonly [C in CollectionName]: CollectionFacts<CollectionRows[C]> } = {
  users: {
    unique: [['username']],
    indexed: ['username', 'user_role', 'active', 'created_at', 'updated_at'],
    searched: ['username', 'first_name', 'last_name', 'email'],
  },
  tokens: {
    unique: [['kid'], ['token_hash']],
    indexed: ['kid', 'token_hash', 'userId', 'name', 'created_at', 'expires_at', 'revoked_at'],
    searched: ['name'],
  },
  oauthClients: { unique: [['client_id']], indexed: ['client_id', 'keep_until'], searched: [] },
  oauthCodes: { unique: [['code_hash']], indexed: ['code_hash', 'expires_at'], searched: [] },
  sessions: { unique: [['token_hash']], indexed: ['token_hash', 'userId', 'expires_at'], searched: [] },
  knownSignIns: { unique: [['pair_hash']], indexed: ['pair_hash', 'last_at'], searched: [] },
  userGroups: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searched: ['name'] },
  channels: {
    unique: [['name']],
    indexed: ['name', 'alias', 'type', 'deviceId', 'created_at', 'updated_at'],
    searched: ['name'],
  },
  encodings: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searched: ['name'] },
  encodingGroups: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searched: ['name'] },
  publishings: { unique: [['name']], indexed: ['name', 'type', 'created_at', 'updated_at'], searched: ['name'] },
  publishingGroups: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searched: ['name'] },
  assets: {
    unique: [['fileType', 'filename']],
    indexed: ['filename', 'fileType', 'size_bytes', 'created_at'],
    searched: ['filename'],
  },
  livestreams: {
    unique: [['name']],
    indexed: [
      'name',
      'enabled',
      'channelId',
      'backupChannelId',
      'encodingId',
      'encodingGroupId',
      'publishingId',
      'publishingGroupId',
      'deviceId',
      'backupDeviceId',
      'idEncoderGroup',
      'created_at',
      'updated_at',
    ],
    searched: ['name', 'tags'],
  },
  walls: { unique: [['name']], indexed: ['name', 'layout', 'created_at', 'updated_at'], searched: ['name'] },
  displayLinks: {
    unique: [['kid'], ['token_hash']],
    indexed: ['kid', 'token_hash', 'wallId', 'name', 'created_at', 'last_seen_at'],
    searched: ['name'],
  },
  runs: {
    unique: [],
    indexed: ['status', 'desired', 'deviceId', 'cloudAccountId', 'otherDeviceId'],
    searched: [],
    counted: ['deviceId', 'otherDeviceId'],
  },
  schedules: {
    unique: [['name']],
    indexed: ['name', 'livestreamId', 'idEncoderGroup', 'start', 'end', 'enabled', 'created_at', 'updated_at'],
    searched: ['name'],
  },
  scheduleSkips: {
    unique: [['scheduleId', 'occurrence_start']],
    indexed: ['scheduleId', 'occurrence_start', 'occurrence_end'],
    searched: ['occurrence_start', 'created_by'],
  },
  firings: {
    unique: [['scheduleId', 'occurrence_start']],
    indexed: ['scheduleId', 'livestreamId', 'occurrence_start', 'occurrence_end', 'state', 'open'],
    searched: [],
  },
  plannedActions: {
    unique: [],
    indexed: ['livestreamId', 'scheduleId', 'type', 'execute_at', 'status', 'created_at', 'updated_at'],
    searched: ['type', 'created_by'],
  },
  recordings: {
    unique: [['runId', 'publishingId']],
    indexed: [
      'name',
      'livestreamId',
      'publishingId',
      'runId',
      'deviceId',
      'status',
      'started_at',
      'ended_at',
      'remotefolder',
      'created_at',
      'updated_at',
    ],
    searched: ['name', 'livestream_name'],
  },
  devices: { unique: [['name']], indexed: ['name', 'type', 'enabled', 'created_at', 'updated_at'], searched: ['name'] },
  deviceGroups: { unique: [['name']], indexed: ['name', 'created_at', 'updated_at'], searched: ['name'] },
  deviceLinks: { unique: [], indexed: [], searched: [] },
  fleet: { unique: [], indexed: [], searched: [] },
  mediaKeys: { unique: [], indexed: [], searched: [] },
  archives: { unique: [['collection']], indexed: ['collection'], searched: [] },
  secrets: { unique: [['name']], indexed: ['name'], searched: [] },
  eras: { unique: [], indexed: ['waiting'], searched: [] },
  joinTokens: {
    unique: [['kid']],
    indexed: ['kid', 'name', 'created_at', 'expires_at', 'revoked_at'],
    searched: ['name'],
  },
  workCosts: { unique: [], indexed: [], searched: [] },
  ingestMarks: { unique: [], indexed: [], searched: [] },
  knownFormats: { unique: [], indexed: [], searched: [] },
  drmProviders: {
    unique: [['name']],
    indexed: ['name', 'provider_type', 'enabled', 'created_at', 'updated_at'],
    searched: ['name'],
  },
  cloudAccounts: {
    unique: [['client']],
    indexed: ['client', 'client_id', 'enabled', 'created_at', 'updated_at'],
    searched: ['client'],
  },
  remoteFolders: { unique: [['name']], indexed: ['name', 'protocol', 'created_at', 'updated_at'], searched: ['name'] },
  targetFolders: { unique: [['name']], indexed: ['name', 'type', 'created_at', 'updated_at'], searched: ['name'] },
  transcription: { unique: [], indexed: [], searched: [] },
  licences: {
    unique: [['licence_id']],
    indexed: ['licence_id', 'expires_at', 'created_at'],
    searched: ['licence_id', 'customer'],
  },
  mailRules: { unique: [['name']], indexed: ['name', 'enabled', 'created_at', 'updated_at'], searched: ['name'] },
  mailNotices: { unique: [], indexed: ['ruleId', 'livestreamId', 'due_at', 'ended_at'], searched: [] },
  events: {
    unique: [],
    indexed: ['livestreamId', 'kind', 'severity', 'at'],
    searched: ['message'],
    history: HISTORY_FACTS.events,
  },
  audit: {
    unique: [],
    indexed: ['user', 'operation', 'at', 'resource', 'resource_id', 'outcome', 'via'],
    searched: ['user', 'operation', 'resource'],
    history: HISTORY_FACTS.audit,
  },
  idempotency: {
    unique: [],
    indexed: ['key', 'expires_at'],
    searched: [],
    history: HISTORY_FACTS.idempotency,
  },
  pastFirings: {
    unique: [],
    indexed: ['scheduleId', 'livestreamId', 'occurrence_start', 'occurrence_end', 'at'],
    searched: [],
    history: HISTORY_FACTS.pastFirings,
  },
  audienceMinutes: {
    unique: [],
    indexed: ['livestreamId', 'at'],
    searched: [],
    history: HISTORY_FACTS.audienceMinutes,
  },
};

export const HISTORY_NAMES: readonly HistoryName[] = [
  'events',
  'audit',
  'idempotency',
  'pastFirings',
  'audienceMinutes',
];
export const RESIDENT_NAMES = (Object.keys(COLLECTIONS) as CollectionName[]).filter(
  (name): name is ResidentName => !isHistory(name),
);

export function isHistory(name: CollectionName): name is HistoryName {
  return COLLECTIONS[name].history !== undefined;
}

export function historyFacts(name: HistoryName): HistoryFacts {
  return COLLECTIONS[name].history!;
}
