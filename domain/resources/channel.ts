import { z } from 'zod/v3';
import {
  channelCreate,
  channelIssues,
  channelOutput,
  CHANNEL_SETTINGS,
  CHANNEL_TYPES,
  completeSettings,
  isSrt,
  presentChannel,
  type ChannelSettings,
  type ChannelType,
} from '../channel.ts';
import { invalidInput } from '../errors.ts';
import { defineResource } from '../resource.ts';
import { srtIssues, storedKeyBits } from '../srt.ts';
import { assertRules, assetIssues, referenceIssues } from '../rules/references.ts';
import { actionUsers, distinctUsers, livestreamUsers, runUsers } from '../rules/resource-users.ts';

export const channelResource = defineResource({
  collection: 'channels',
  noun: 'Channel',
  idParam: 'channelId',
  shape: channelCreate,
  output: channelOutput,
  shortFields: ['id', 'name', 'type', 'description'],
  filters: { type: z.enum(CHANNEL_TYPES).optional().describe('Only Channels of this type.') },
  complete: (row, present, sent) => {
    const inputSettings =
      present !== undefined && present.type !== row.type
        ? carriedOver(row.type, row.settings, present.settings)
        : row.settings;
    const settings = completeSettings(row.type, inputSettings);
    if (!isSrt(row.type)) return { ...row, settings };
    const encryption = storedKeyBits(settings, sent?.['settings'] as ChannelSettings | undefined);
    return { ...row, settings: { ...settings, encryption } };
  },
  check: (row, view) => {
    const issues = channelIssues(row);
    if (issues.length > 0) throw invalidInput(issues);
    const { filename, deviceId, cloudAccountId } = row.settings;
    assertRules([
      ...srtIssues(row.settings, 'settings.encryption'),
      ...assetIssues(view, 'files', 'settings.filename', filename),
      ...referenceIssues(view, 'devices', 'Device', 'settings.deviceId', deviceId),
      ...referenceIssues(view, 'cloudAccounts', 'Cloud account', 'settings.cloudAccountId', cloudAccountId),
    ]);
  },
  users: (view, id) =>
    distinctUsers([
      ...livestreamUsers(view, 'channelId', id),
      ...livestreamUsers(view, 'backupChannelId', id),
      ...runUsers(view, 'boundChannels', id),
      ...actionUsers(view, 'sourceSwitch', ({ channelId }) => channelId === id),
    ]),
  present: presentChannel,
});

/** Another type has other settings: stored values go, unless the new type knows the field too; sent ones stay and are checked. */
function carriedOver(type: ChannelType, settings: ChannelSettings, before: ChannelSettings): ChannelSettings {
  const { required, optional } = CHANNEL_SETTINGS[type];
  const allowedFields: readonly string[] = [...required, ...optional];
  const entries = Object.entries(settings).filter(
    ([key, value]) => allowedFields.includes(key) || before[key as keyof ChannelSettings] !== value,
  );
  return Object.fromEntries(entries);
}
