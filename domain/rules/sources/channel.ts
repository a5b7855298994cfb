import { z } from 'zod/v3';
import {
  channelCreate,
  channelIssues,
  channelOutput,
  completeSettings,
  presentChannel,
  type Channel,
} from '../../shapes/sources/channel.ts';
import { invalidInput, type FieldIssue } from '../../base/errors.ts';
import { assertListenerStays, listenerIssues, localDeviceId, newIngestKey } from './listening.ts';
import type { View } from '../../ports/store.ts';
import { defineResource } from '../../ports/resource.ts';
import { reference } from '../../base/schema.ts';
import { isRist } from '../../network/rist.ts';
import { lostEncryption, srtIssues, srtKeyBits, storedKeyBits } from '../../network/srt.ts';
import { assertRules, assetIssues, referenceIssues } from '../rows/references.ts';
import { changeUsers, distinctUsers, livestreamUsers, runUsers } from '../rows/resource-users.ts';
import { isPushed, isSrt, pushOf, settingsOf } from '../../types/channel-questions.ts';
import type { ChannelSettings } from '../../types/channel-settings.ts';
import { CHANNEL_TYPES, type ChannelType } from '../../types/channel-types.ts';

export const channelResource = defineResource({
  collection: 'channels',
  noun: 'Channel',
  idParam: 'channelId',
  shape: channelCreate,
  output: channelOutput,
  shortFields: ['id', 'name', 'type', 'description'],
  filters: {
    type: z.enum(CHANNEL_TYPES).optional().describe('Only Channels of this type.'),
    deviceId: reference('Device').optional().describe('Only those that this Device listens for.'),
  },
  complete: (row, present, sent, view) => {
    const inputSettings =
      present !== undefined && present.type !== row.type
        ? carriedOver(row.type, row.settings, present.settings)
        : row.settings;
    const settings = withKey(row.type, completeSettings(row.type, withoutStaleRist(inputSettings, sent?.['settings'])));
    const deviceId = deviceOf({ ...row, settings }, sent, view);
    if (!isSrt(row.type)) return { ...row, settings, deviceId };
    const encryption = storedKeyBits(settings, sent?.['settings'] as ChannelSettings | undefined);
    return { ...row, deviceId, settings: { ...settings, encryption } };
  },
  check: (row, view, present, news) => {
    const issues = [...channelIssues(row), ...secrecyIssues(row, present, news?.['settings'])];
    if (issues.length > 0) throw invalidInput(issues);
    const { filename, deviceId, cloudAccountId } = row.settings;
    assertRules([
      ...srtIssues(row.settings, 'settings.encryption'),
      ...assetIssues(view, 'files', 'settings.filename', filename),
      ...referenceIssues(view, 'devices', 'Device', 'settings.deviceId', deviceId),
      ...referenceIssues(view, 'cloudAccounts', 'Cloud account', 'settings.cloudAccountId', cloudAccountId),
      ...referenceIssues(view, 'devices', 'Device', 'deviceId', row.deviceId),
      ...listenerIssues(row, view, present),
    ]);
    if (present !== undefined) assertListenerStays(present, row, view);
  },
  users: (view, id) =>
    distinctUsers([
      ...livestreamUsers(view, 'channelId', id),
      ...livestreamUsers(view, 'backupChannelId', id),
      ...runUsers(view, 'boundChannels', id),
      ...changeUsers(view, (row, body) => row.rows(body).channels?.includes(id) === true),
    ]),
  live: (row, control) => ({ ingest: control.ingest(row) }),
  present: presentChannel,
});

/** A block that is stored goes with its address; one that is sent stays and is checked. */
function withoutStaleRist(settings: ChannelSettings, sent: unknown): ChannelSettings {
  if (isRist(settings.url) || (sent as ChannelSettings | undefined)?.rist != null) return settings;
  const { rist: _, ...others } = settings;
  return others;
}

/** A row of an earlier version says 0 beside a passphrase, so that clearing it would leave no finding. */
function secrecyIssues(row: Channel, present: Readonly<Channel> | undefined, sent: unknown): FieldIssue[] {
  if (present === undefined || !isSrt(present.type) || !isSrt(row.type)) return [];
  const { encryption } = (sent ?? {}) as ChannelSettings;
  if (row.settings.encryption !== 0) return [];
  return lostEncryption(srtKeyBits(present.settings), encryption, 'settings.passphrase');
}

/** Who names no key gets one that nobody can guess. */
function withKey(type: ChannelType, settings: ChannelSettings): ChannelSettings {
  const pushed = pushOf({ type, settings });
  if (pushed?.isKeyMade !== true || settings[pushed.key] !== undefined) return settings;
  return { ...settings, [pushed.key]: newIngestKey() };
}

/** The Device of this machine listens for a source that is pushed, unless another one is named. */
function deviceOf(
  { type, settings, deviceId }: Readonly<Channel>,
  sent: Readonly<Record<string, unknown>> | undefined,
  view: View | undefined,
): number | null {
  if (isPushed({ type, settings })) return deviceId ?? (view === undefined ? null : localDeviceId(view));
  // What was stored for another type goes; what is sent stays and is refused.
  return sent?.['deviceId'] == null ? null : deviceId;
}

/** Another type has other settings: stored values go, unless the new type knows the field too; sent ones stay and are checked. */
function carriedOver(type: ChannelType, settings: ChannelSettings, before: ChannelSettings): ChannelSettings {
  const allowedFields: readonly string[] = settingsOf(type);
  const entries = Object.entries(settings).filter(
    ([key, value]) => allowedFields.includes(key) || before[key as keyof ChannelSettings] !== value,
  );
  return Object.fromEntries(entries);
}
