/** The Devices on which pushed sources can be taken in: the one of the Channel, and the second one of a Live stream. */
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import type { StartReason, StartRequest } from '../../domain/ports/control.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { takersOf } from '../../domain/rules/sources/listening.ts';
import { andList, called, calledIn } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';
import type { Bindings } from './bindings.ts';
import { accountIdOf } from './cloud-placement.ts';
import { poolOf } from './pool.ts';

interface Pushed {
  channel: Readonly<Channel>;
  /** The Devices that listen for it. */
  takers: readonly number[];
}

/** A start goes where its pushed sources are listened for, or nowhere; undefined when it may go where it is to. */
export function listenedElsewhere(
  view: View,
  livestream: Readonly<Livestream>,
  request: StartRequest,
  bindings: Bindings,
): StartReason | undefined {
  const [first, second] = pushedTo(bindings);
  if (first === undefined) return undefined;
  const { channel, takers } = first;
  const wrong = (why: string): StartReason => ({
    code: 'wrong_device',
    message: `${listenedFor(view, channel)}; ${why}.`,
  });
  if (second?.takers.some((id) => takers.includes(id)) === false)
    return wrong(
      `the backup ${called('Channel', second.channel)} is listened for on ${deviceName(view, second.channel)}: give both the same`,
    );
  if (accountIdOf(request, bindings) !== undefined) return wrong('it cannot be taken in on the cloud platform');
  const pool = poolOf(view, livestream, request);
  if ('code' in pool || pool.devices.some(({ id }) => takers.includes(id))) return undefined;
  if (pool.name !== '') return wrong(`that Device is not one ${pool.name}`);
  return wrong(`the start cannot go to ${pool.devices.map((device) => called('Device', device)).join(', ')}`);
}

/** Source and backup, as far as Devices listen for them. */
export function pushedTo({ channel: source, backup, backupDeviceId }: Bindings): Pushed[] {
  return [source, backup].flatMap((channel) => {
    const takers = takersOf(channel, backupDeviceId);
    return channel === undefined || takers === undefined ? [] : [{ channel, takers }];
  });
}

function listenedFor(view: View, channel: Readonly<Channel>): string {
  return `${called('Channel', channel)} is pushed to ${deviceName(view, channel)}, which listens for it`;
}

/** The one that listens for it. */
function deviceName(view: View, { deviceId }: Readonly<Channel>): string {
  return calledIn(view, 'Device', deviceId ?? 0);
}

/** Why a Device cannot take them in, as the end of a sentence that begins with its name. */
export function unheardAt(view: View, pushed: readonly Pushed[], deviceId: number): string | undefined {
  const unheard = pushed.find(({ takers }) => !takers.includes(deviceId));
  if (unheard === undefined) return undefined;
  const others = andList(unheard.takers.map((id) => calledIn(view, 'Device', id)));
  return `does not listen for ${called('Channel', unheard.channel)}, which ${others} ${unheard.takers.length > 1 ? 'do' : 'does'}`;
}
