/** Home and duties of the Device that listens for a pushed Channel, and what follows for the Live streams that use it. */
import { randomBytes } from 'node:crypto';
import type { Channel } from '../../shapes/sources/channel.ts';
import { AppError, type FieldIssue } from '../../base/errors.ts';
import { STATUS, type Livestream } from '../../shapes/broadcasts/livestream.ts';
import { called, calledIn } from '../../base/sentence.ts';
import type { Query, View } from '../../ports/store.ts';
import { isPushed, pushOf } from '../../types/channel-questions.ts';
import { CHANNEL_ROWS } from '../../types/channel-types.ts';
import { rtmpPort } from '../../network/rtmp-address.ts';

/** 24 characters that may stand in any URL. */
export function newIngestKey(): string {
  return randomBytes(18).toString('base64url');
}

/** The pushed Channel with another key: a streamid is the key of an SRT listener. */
export function withNewKey(channel: Readonly<Channel>): Channel {
  const key = newIngestKey();
  const { key: field } = CHANNEL_ROWS[channel.type].pushed!;
  return { ...channel, settings: { ...channel.settings, [field]: key } };
}

/** The Device on which a Channel has to be taken in; undefined where any may do it. */
export function listeningDevice(channel: Readonly<Channel> | undefined): number | undefined {
  if (channel === undefined || !isPushed(channel)) return undefined;
  return channel.deviceId ?? undefined;
}

/** The Devices that take a Channel in for a Live stream, its own first; undefined where any may do it. */
export function takersOf(
  channel: Readonly<Channel> | undefined,
  backupDeviceId: number | null | undefined,
): readonly number[] | undefined {
  const own = listeningDevice(channel);
  if (own === undefined) return undefined;
  return backupDeviceId == null || backupDeviceId === own ? [own] : [own, backupDeviceId];
}

/** The Devices on which Live streams with the Channel may go on, so that they listen for it besides its own. */
function secondListeners(view: View, channelId: number): Set<number> {
  const bound = (where: Query['where']): readonly Readonly<Livestream>[] => view.find('livestreams', { where }).rows;
  const users = [...bound({ channelId }), ...bound({ backupChannelId: channelId })];
  return new Set(users.flatMap(({ backupDeviceId }) => backupDeviceId ?? []));
}

/** The Channels that a Device listens for. */
function channelsAt(view: View, deviceId: number): readonly Readonly<Channel>[] {
  const own = view.find('channels', { where: { deviceId } }).rows;
  const ids = view
    .find('livestreams', { where: { backupDeviceId: deviceId } })
    .rows.flatMap(({ channelId, backupChannelId }) => [
      channelId,
      ...(backupChannelId === null ? [] : [backupChannelId]),
    ]);
  return [...own, ...ids.flatMap((id) => view.get('channels', id) ?? [])].filter(isPushed);
}

/** The Device of the server's machine listens where none is named; of several servers each has one, and none of them does. */
export function localDeviceId(view: View): number | null {
  const locals = view.find('devices', {}).rows.filter(({ local }) => local);
  return locals.length === 1 ? locals[0]!.id : null;
}

/** A pushed Channel is listened for on one Device. */
export function listenerIssues(
  channel: Readonly<Channel>,
  view: View,
  present: Readonly<Channel> | undefined,
): FieldIssue[] {
  if (!isPushed(channel)) return [];
  if (channel.deviceId === null) {
    const message = 'is required: there is not one Device of the server itself that could listen; name one';
    return [{ field: 'deviceId', code: 'required', message }];
  }
  const seconds = present === undefined ? [] : secondListeners(view, present.id);
  for (const deviceId of [channel.deviceId, ...seconds]) {
    const twin = twinAt(channel, deviceId, view);
    if (twin === undefined) continue;
    const where =
      deviceId === channel.deviceId ? '' : `, on ${calledIn(view, 'Device', deviceId)}, which listens for both`;
    return [{ field: twin.field, code: 'duplicate', message: `${twin.why}${where}; give this one ${twin.remedy}` }];
  }
  return [];
}

interface Twin {
  channel: Readonly<Channel>;
  field: string;
  why: string;
  remedy: string;
}

/** The Channel that a Device could not tell from this one: an address leads to one, and a port speaks TLS or not. `more` will be there too. */
export function twinAt(
  channel: Readonly<Channel>,
  deviceId: number,
  view: View,
  more: readonly Readonly<Channel>[] = [],
): Twin | undefined {
  const mine = channel.settings;
  const port = rtmpPort(mine);
  const { hasOwnPort } = pushOf(channel)!;
  const others = [...channelsAt(view, deviceId), ...more].filter(
    ({ id, type, settings }) => id !== channel.id && type === channel.type && rtmpPort(settings) === port,
  );
  const twin = others.find(
    ({ settings }) => hasOwnPort || (settings.app === mine.app && settings.stream_key === mine.stream_key),
  );
  if (twin !== undefined) {
    const [field, remedy] = hasOwnPort
      ? ['settings.port', 'another port']
      : ['settings.stream_key', 'another key, application or port'];
    return { channel: twin, field, why: `leads to ${called('Channel', twin)} already`, remedy };
  }
  const other = others.find(({ settings }) => (settings.tls === true) !== (mine.tls === true));
  if (other === undefined) return undefined;
  const speaks = other.settings.tls === true ? 'RTMPS' : 'RTMP without TLS';
  const why = `${port} is the port of ${called('Channel', other)}, which takes ${speaks}`;
  return { channel: other, field: 'settings.port', why, remedy: 'another port' };
}

/** Throws AppError wrong_state for a change that would take the source of a broadcast away. */
export function assertListenerStays(before: Readonly<Channel>, row: Readonly<Channel>, view: View): void {
  if (!isPushed(before) || !movesListener(before, row)) return;
  const { rows } = view.find('runs', { where: { status: { in: [STATUS.starting, STATUS.running] } } });
  const run = rows.find(({ boundChannels }) => boundChannels?.includes(row.id) === true);
  if (run === undefined) return;
  throw new AppError(
    'wrong_state',
    `${called('Channel', before)} is in use by ${calledIn(view, 'Live stream', run.id)}, which is on air: it can be neither disabled nor moved to another address. Stop the Live stream first, or switch it to another Channel.`,
    { facts: { livestreamId: run.id, state: run.status, allowed: [STATUS.stopped, STATUS.failed] } },
  );
}

function movesListener(before: Readonly<Channel>, row: Readonly<Channel>): boolean {
  if (before.enabled && !row.enabled) return true;
  if (before.type !== row.type || before.deviceId !== row.deviceId || !isPushed(row)) return true;
  const [old, now] = [before.settings, row.settings];
  const isSecured = (old.tls === true) !== (now.tls === true);
  return isSecured || rtmpPort(old) !== rtmpPort(now) || old.app !== now.app || old.host !== now.host;
}

/** A Channel that is pushed to one Device cannot be the source of a run on another; `field` is that of the request. */
export function elsewhereIssues(view: View, channelId: number, deviceId: number | null, field: string): FieldIssue[] {
  const channel = view.get('channels', channelId);
  const listening = listeningDevice(channel);
  if (listening === undefined || listening === deviceId) return [];
  if (deviceId !== null && secondListeners(view, channelId).has(deviceId)) return [];
  const where = deviceId === null ? 'not on the cloud platform' : `not on ${calledIn(view, 'Device', deviceId)}`;
  const message = `${calledIn(view, 'Channel', channelId)} is listened for on ${calledIn(view, 'Device', listening)}, ${where}`;
  return [{ field, code: 'elsewhere', message }];
}
