/** Which Live streams may go on at another Device when theirs is lost. */
import type { FieldIssue } from '../../base/errors.ts';
import { called, calledIn } from '../../base/sentence.ts';
import type { View } from '../../ports/store.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import type { Channel } from '../../shapes/sources/channel.ts';
import { isPushed } from '../../types/channel-questions.ts';
import { CHANNEL_ROWS } from '../../types/channel-types.ts';

/** A run of it delivers by a lease. */
export function movesOnLoss({ onDeviceLoss }: Pick<Livestream, 'onDeviceLoss'>): boolean {
  return onDeviceLoss === 'move';
}

/** A Live stream that is bound to its place stays there when that is lost. */
export function lossIssues(row: Livestream, view: View): FieldIssue[] {
  if (!movesOnLoss(row)) return [];
  const bound = [row.channelId, row.backupChannelId].flatMap((id) =>
    id === null ? [] : (view.get('channels', id) ?? []),
  );
  const reasons = bound.flatMap((channel) => whyBound(channel, row, view) ?? []);
  if (row.deviceId !== null)
    reasons.unshift(
      `it is pinned to ${calledIn(view, 'Device', row.deviceId)}: send deviceId: null, and a Device group as idEncoderGroup to say which Devices may have it`,
    );
  return reasons.map((why) => ({
    field: 'onDeviceLoss',
    code: 'not_movable',
    message: `move is for what any of several Devices can carry, and ${why}; or choose stay`,
  }));
}

function whyBound(channel: Readonly<Channel>, row: Livestream, view: View): string | undefined {
  const name = called('Channel', channel);
  const { place } = CHANNEL_ROWS[channel.type];
  if (place === 'cloud')
    return `${name} is taken in by the cloud platform, which looks after its own machines; name a Channel that Devices take in`;
  if (place === 'named')
    return `${name} is an input of ${calledIn(view, 'Device', channel.settings.deviceId ?? 0)}; name a Channel that comes over the network`;
  if (!isPushed(channel) || row.backupDeviceId != null) return undefined;
  return `${name} is pushed to ${calledIn(view, 'Device', channel.deviceId ?? 0)}, to which its encoder goes on sending; name a second Device that listens as backupDeviceId, or a Channel that is pulled`;
}
