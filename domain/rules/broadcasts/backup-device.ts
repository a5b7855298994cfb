/** The second Device of a Live stream with a pushed Channel: it listens too, so that the broadcast can go on there. */
import type { FieldIssue } from '../../base/errors.ts';
import { andList, called, calledIn } from '../../base/sentence.ts';
import type { View } from '../../ports/store.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import { isPushed, PUSHED_NAMES } from '../../types/channel-questions.ts';
import { twinAt } from '../sources/listening.ts';

const field = 'backupDeviceId';

export function backupDeviceIssues(row: Livestream, view: View): FieldIssue[] {
  const { backupDeviceId } = row;
  const channel = view.get('channels', row.channelId);
  const device = backupDeviceId == null ? undefined : view.get('devices', backupDeviceId);
  if (device === undefined || channel === undefined) return [];
  const issue = (code: string, message: string): FieldIssue[] => [{ field, code, message }];
  if (!isPushed(channel))
    return issue(
      'not_pushed',
      `is for Channels whose encoder pushes (${andList(PUSHED_NAMES)}), and ${called('Channel', channel)} is of type ${channel.type}; send null: any Device takes it in`,
    );
  if (channel.deviceId === device.id)
    return issue(
      'duplicate',
      `${called('Device', device)} listens for ${called('Channel', channel)} already; name another one`,
    );
  if (row.deviceId === device.id)
    return issue(
      'duplicate',
      `the Live stream is pinned to ${called('Device', device)}; name another one, or send deviceId: null`,
    );
  const group = row.idEncoderGroup === null ? undefined : view.get('deviceGroups', row.idEncoderGroup);
  if (group?.devices.includes(device.id) === false)
    return issue(
      'not_in_group',
      `${called('Device', device)} is not in ${called('Device group', group)}, on which the Live stream runs; name one of that group, or add it there`,
    );
  return portIssues(row, device.id, view);
}

/** One address of a Device leads to one Channel. */
function portIssues(row: Livestream, deviceId: number, view: View): FieldIssue[] {
  const ids = [row.channelId, row.backupChannelId];
  const channels = ids.flatMap((id) => (id === null ? [] : (view.get('channels', id) ?? []))).filter(isPushed);
  for (const channel of channels) {
    const twin = twinAt(channel, deviceId, view, channels);
    if (twin === undefined) continue;
    const message = `${calledIn(view, 'Device', deviceId)} could not tell ${called('Channel', channel)} from ${called('Channel', twin.channel)}; give one of both ${twin.remedy}, or name another Device`;
    return [{ field, code: 'duplicate', message }];
  }
  return [];
}
