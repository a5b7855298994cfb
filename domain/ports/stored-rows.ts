/**
 * The form of a row of each collection, for rows that come from outside. Where a resource is answered as it is stored, its output schema
 * serves; secrets that are never answered stand beside it, and derived fields are left out.
 */
import { z } from 'zod/v3';
import { audienceMinute } from '../shapes/broadcasts/audience.ts';
import { assetOutput, bucketField, filenameField } from '../shapes/media/asset.ts';
import { channelCreate, channelIssues, channelOutput, urlIssue, type Channel } from '../shapes/sources/channel.ts';
import { cloudAccountCreate, cloudAccountOutput } from '../shapes/devices/cloud-account.ts';
import type { CollectionName } from './collections.ts';
import { deviceGroupOutput } from '../shapes/devices/device-group.ts';
import { fleetState } from '../shapes/devices/fleet-hold.ts';
import { deviceOutput, drainField, encodingTrialField } from '../shapes/devices/device.ts';
import { STORAGE_USES, storageStateField } from '../shapes/devices/device-storage.ts';
import { joinTokenOutput } from '../shapes/devices/join-token.ts';
import { storedDrmProvider } from '../shapes/destinations/drm-provider.ts';
import { encodingGroupOutput, encodingOutput } from '../shapes/encodings/encoding.ts';
import { archiveState } from '../shapes/installation/archive.ts';
import { eventOutput } from '../shapes/installation/event.ts';
import { storedRemoteFolder, storedTargetFolder } from '../shapes/media/folder.ts';
import { licenceClaims, licenceOutput } from '../shapes/installation/licence.ts';
import { mailRuleOutput, storedNotice } from '../shapes/installation/mail-rule.ts';
import { livestreamOutput, startConfigField, statusField, type Livestream } from '../shapes/broadcasts/livestream.ts';
import { displayLinkOutput, wallOutput } from '../shapes/broadcasts/wall.ts';
import { actionOutput } from '../shapes/schedules/planned-action.ts';
import {
  publishingCreate,
  publishingGroupOutput,
  publishingOutput,
  type Publishing,
} from '../shapes/destinations/publishing.ts';
import { recordingObjectsField, recordingOutput } from '../shapes/media/recording.ts';
import { scheduleOutput } from '../shapes/schedules/schedule.ts';
import { idField, instantField, stampFields } from '../base/schema.ts';
import { storeEra } from '../shapes/installation/store-era.ts';
import { oauthGrant, oauthRows } from '../shapes/installation/oauth.ts';
import { tokenOutput, VIAS } from '../shapes/installation/security.ts';
import { transcriptionConfigOutput } from '../shapes/media/transcription.ts';
import { userGroupOutput } from '../shapes/installation/user-group.ts';
import { profileOutput, userOutput } from '../shapes/installation/user.ts';
import { firing, pastFiring, runId } from './stored-firings.ts';
import { URL_SCHEMES } from '../types/channel-questions.ts';
import { DESTINATION_ROWS } from '../types/destination-types.ts';

const count = z.number().int().nonnegative();
const text = z.string();
const textOrNull = text.nullable();
const ids = z.array(idField);

const deviceMachine = z
  .object({ name: textOrNull, address: text, boot_id: textOrNull, agent_id: textOrNull, key_id: text })
  .strict();

/** Fields that are only read from these are left to the reading code: a run had fewer fields in earlier versions. */
const run = z
  .object({
    id: idField,
    desired: z.enum(['on', 'off']),
    status: statusField,
    errorstatus: textOrNull,
    since: instantField,
    started_at: instantField.nullable(),
    runId,
    deviceId: idField.nullable(),
    cloudAccountId: idField.nullable().optional(),
    slot: count.nullable(),
    cost: z.number().nonnegative(),
    startConfig: startConfigField,
    startedWith: startConfigField.optional(),
    boundPublishings: ids,
    boundEncodings: ids,
    boundAssets: z.array(z.object({ fileType: bucketField, filename: filenameField }).passthrough()).optional(),
    boundChannels: ids.optional(),
    scheduleId: idField.nullable(),
    requested_by: text,
    measured: z.literal(true).optional(),
    behind: instantField.optional(),
    lastEventSeq: count,
  })
  .passthrough();

const audit = z
  .object({
    id: idField,
    at: instantField,
    user: text,
    token_kid: textOrNull,
    via: z.enum(VIAS),
    operation: text,
    resource: text,
    resource_id: idField.nullable(),
    outcome: text,
    request_id: text,
    changed: z.array(text),
  })
  .passthrough();

const idempotency = z
  .object({
    id: idField,
    key: text.min(1),
    args_hash: text.min(1),
    status: z.number().int().min(200).max(599),
    answer: text,
    sealed: z.boolean(),
    version: idField.optional(),
    expires_at: instantField,
  })
  .strict();

const SCHEMAS: { readonly [C in CollectionName]: z.ZodTypeAny } = {
  users: userOutput.omit({ has_password: true }).extend({
    password_hash: text,
    identity: userOutput.shape.identity.optional(),
    // Role and admin were kept here too once.
    profile: profileOutput.pick({ api: true, language: true, password_version: true }).passthrough(),
  }),
  tokens: tokenOutput.extend({
    updated_at: instantField,
    kid: text.min(1),
    userId: idField,
    token_hash: text.min(1),
    revoked_at: instantField.nullable(),
    // Rows from before there were limits have neither.
    ...tokenOutput.pick({ profile: true, operations: true }).partial().shape,
    oauth: oauthGrant.optional(),
  }),
  ...oauthRows,
  sessions: z.object({ ...stampFields, token_hash: text.min(1), userId: idField, expires_at: instantField }).strict(),
  knownSignIns: z.object({ id: idField, pair_hash: text.min(1), last_at: instantField }).strict(),
  userGroups: userGroupOutput,
  channels: channelOutput.omit({ ingest: true }).extend({ settings: channelCreate.settings }),
  encodings: encodingOutput.omit({ pipeline: true }),
  encodingGroups: encodingGroupOutput.omit({ pipeline: true }),
  publishings: publishingOutput.extend({ settings: publishingCreate.settings }),
  publishingGroups: publishingGroupOutput,
  assets: assetOutput.extend({ filename: filenameField }),
  livestreams: livestreamOutput.omit({ status: true, errorstatus: true, startConfig: true, started_at: true }),
  runs: run,
  walls: wallOutput,
  displayLinks: displayLinkOutput.extend({ updated_at: instantField, token_hash: text.min(1) }),
  schedules: scheduleOutput.extend({ effective_from: instantField }),
  scheduleSkips: z
    .object({
      id: idField,
      created_at: instantField,
      scheduleId: idField,
      occurrence_start: instantField,
      occurrence_end: instantField,
      created_by: text,
    })
    .strict(),
  firings: firing,
  plannedActions: actionOutput.omit({ runs: true }).extend({
    occurrence_start: instantField.nullable().optional(),
    last_occurrence: instantField.nullable().optional(),
  }),
  recordings: recordingOutput.omit({ bucket_bytes: true }).extend({
    runId,
    publishingId: z.number().int(),
    objects: recordingObjectsField.optional(),
    goes_on: runId.optional(),
  }),
  devices: deviceOutput
    .omit({
      alias: true,
      mountstatus: true,
      storage: true,
      online: true,
      slots: true,
      load: true,
      encoding_factor: true,
      refused_machine: true,
      not_understood: true,
      drain: true,
    })
    .extend({
      drain: drainField.optional(),
      // Rows of earlier versions have these two, which nobody reads.
      has_gates: z.boolean().optional(),
      has_leases: z.boolean().optional(),
      encoding_trial: encodingTrialField.optional(),
      media_url: textOrNull,
      local: z.boolean(),
      member_id: text.optional(),
      link_key: text.optional(),
      dials_in: z.boolean().optional(),
      machine_id: text.optional(),
      join_kid: text.optional(),
      cores: z.number().nonnegative(),
      other_load: z.number().positive().optional(),
      storage_states: z.record(z.enum(STORAGE_USES), storageStateField).optional(),
    }),
  deviceGroups: deviceGroupOutput,
  deviceLinks: z
    .object({
      id: idField,
      memberId: text,
      token: count,
      acceptedMemberId: textOrNull,
      acceptedToken: count,
      address: textOrNull,
      claimed_at: instantField,
      machine: deviceMachine.optional(),
      away_since: instantField.optional(),
      lost: z.literal(true).optional(),
      given_up: z.array(z.object({ livestreamId: idField, runId }).strict()).optional(),
      refused: deviceMachine
        .extend({ reason: z.enum(['present', 'former']), since: instantField, seen_at: instantField, token: count })
        .optional(),
      not_understood: z.object({ reason: text, since: instantField, seen_at: instantField }).strict().optional(),
    })
    .strict(),
  fleet: fleetState,
  mediaKeys: z.object({ id: idField, key: text }).strict(),
  archives: archiveState,
  eras: storeEra,
  secrets: z.object({ id: idField, name: z.enum(['links', 'members', 'marks']), value: text }).strict(),
  joinTokens: joinTokenOutput.extend({
    updated_at: instantField,
    join_key: text,
    revoked_at: instantField.nullable(),
  }),
  ingestMarks: z.object({ id: idField, epochs: z.array(z.object({ epoch: text, seq: count }).strict()) }).strict(),
  knownFormats: z.object({ id: idField, fps: z.number().positive(), width: count, height: count }).strict(),
  workCosts: z
    .object({
      id: idField,
      factors: z.record(z.number()),
      machine: z.number().positive().optional(),
      updated_at: instantField,
    })
    .strict(),
  drmProviders: storedDrmProvider,
  cloudAccounts: cloudAccountOutput.omit({ has_password: true }).extend({ password: cloudAccountCreate.password }),
  remoteFolders: storedRemoteFolder,
  targetFolders: storedTargetFolder,
  transcription: transcriptionConfigOutput
    .omit({ has_api_key: true, licensed: true })
    .extend({ ...stampFields, api_key: textOrNull }),
  licences: licenceOutput.omit({ active: true }).extend({ denied: licenceClaims.shape.denied, jws: text.min(1) }),
  mailRules: mailRuleOutput,
  mailNotices: storedNotice,
  events: eventOutput,
  audit,
  idempotency,
  pastFirings: pastFiring,
  audienceMinutes: audienceMinute,
};

/** Other findings that an earlier version accepted are kept, and their start is refused: a backup is not lost over one Channel. */
const OF_NO_CHANNEL: readonly string[] = ['required', 'unknown_field'];

/** Inputs that a run's process would get: addresses to connect to, and files to open. */
const RUN_INPUTS: { readonly [C in CollectionName]?: (row: never) => RowIssue[] } = {
  channels: (channel: Channel) => [
    ...channelIssues(channel).filter(({ code }) => OF_NO_CHANNEL.includes(code)),
    ...addressIssues({ url: channel.settings.url }, URL_SCHEMES),
    ...filenameIssues('settings.filename', channel.settings.filename),
  ],
  publishings: ({ type, settings: { url, backup_url } }: Publishing) =>
    addressIssues({ url, backup_url }, DESTINATION_ROWS[type].schemes),
  livestreams: ({ logo, fallback }: Livestream) => [
    ...filenameIssues('logo.filename', logo?.filename),
    ...filenameIssues('fallback.filename', fallback.filename),
  ],
};

export interface RowIssue {
  /** Dotted path in the row. */
  field: string;
  message: string;
}

/** Finds everything that is wrong with a row of the collection; empty for a good row. */
export function storedRowIssues(collection: CollectionName, row: unknown): RowIssue[] {
  const parsed = SCHEMAS[collection].safeParse(row);
  if (parsed.success) return RUN_INPUTS[collection]?.(parsed.data as never) ?? [];
  return parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
}

function addressIssues(urls: Record<string, string | null | undefined>, schemes: readonly string[]): RowIssue[] {
  return Object.entries(urls).flatMap(([name, url]) => {
    const message = url == null ? undefined : urlIssue(url, schemes);
    return message === undefined ? [] : [{ field: `settings.${name}`, message }];
  });
}

/** An empty name means that there is no file. */
function filenameIssues(field: string, filename: string | null | undefined): RowIssue[] {
  if (filename == null || filename === '') return [];
  const parsed = filenameField.safeParse(filename);
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => ({ field, message }));
}
