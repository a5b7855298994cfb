/** Home and duties of the Device that listens for a pushed Channel, and what follows for the Live streams that use it. */
import { randomBytes } from 'node:crypto';
import type { Channel } from '../../shapes/sources/channel.ts';
import { AppError, type FieldIssue } from '../../base/errors.ts';
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Lookup } from '../../ports/resource.ts';
import { called, calledIn } from '../../base/sentence.ts';
import type { View } from '../../ports/store.ts';
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

/** The Device of the server's machine listens where none is named; of several servers each has one, and none of them does. */
export function localDeviceId(view: View): number | null {
  const locals = view.find('devices', {}).rows.filter(({ local }) => local);
  return locals.length === 1 ? locals[0]!.id : null;
}

/** A pushed Channel is listened for on one Device. */
export function listenerIssues(channel: Readonly<Channel>, view: View): FieldIssue[] {
  if (!isPushed(channel)) return [];
  if (channel.deviceId === null) {
    const message = 'is required: there is not one Device of the server itself that could listen; name one';
    return [{ field: 'deviceId', code: 'required', message }];
  }
  return portIssues(channel, view);
}

/** One address leads to one Channel. */
function portIssues(channel: Readonly<Channel>, view: View): FieldIssue[] {
  const { rows } = view.find('channels', { where: { deviceId: channel.deviceId } });
  const others = rows.filter((row) => row.id !== channel.id && isPushed(row));
  const mine = channel.settings;
  const { hasOwnPort } = pushOf(channel)!;
  const twin = others.find(({ type, settings }) => {
    if (type !== channel.type || rtmpPort(settings) !== rtmpPort(mine)) return false;
    return hasOwnPort || (settings.app === mine.app && settings.stream_key === mine.stream_key);
  });
  if (twin === undefined) return hasOwnPort ? [] : mixedIssues(channel, others);
  const field = hasOwnPort ? 'settings.port' : 'settings.stream_key';
  const what = hasOwnPort ? 'another port' : 'another key, application or port';
  const message = `leads to ${called('Channel', twin)} already; give this one ${what}`;
  return [{ field, code: 'duplicate', message }];
}

/** A port speaks TLS or not. */
function mixedIssues({ type, settings: mine }: Readonly<Channel>, others: readonly Readonly<Channel>[]): FieldIssue[] {
  const port = rtmpPort(mine);
  const other = others.find(
    ({ type: theirs, settings }) =>
      theirs === type && rtmpPort(settings) === port && (settings.tls === true) !== (mine.tls === true),
  );
  if (other === undefined) return [];
  const speaks = other.settings.tls === true ? 'RTMPS' : 'RTMP without TLS';
  const message = `${port} is the port of ${called('Channel', other)}, which takes ${speaks}; give this one another port`;
  return [{ field: 'settings.port', code: 'duplicate', message }];
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
export function elsewhereIssues(view: Lookup, channelId: number, deviceId: number | null, field: string): FieldIssue[] {
  const channel = view.get('channels', channelId);
  const listening = listeningDevice(channel);
  if (listening === undefined || listening === deviceId) return [];
  const where = deviceId === null ? 'not on the cloud platform' : `not on ${calledIn(view, 'Device', deviceId)}`;
  const message = `${calledIn(view, 'Channel', channelId)} is listened for on ${calledIn(view, 'Device', listening)}, ${where}`;
  return [{ field, code: 'elsewhere', message }];
}
