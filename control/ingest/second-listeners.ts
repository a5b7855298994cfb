/** The Devices that listen for a pushed Channel besides its own, because a Live stream with it may go on there. */
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';

interface Second {
  deviceId: number;
  channelIds: readonly number[];
}

export class SecondListeners {
  /** Keys are Live streams; few have one. */
  private readonly seconds = new Map<number, Second>();

  /** Takes in a Live stream as it is stored now, and answers the Devices and Channels of both. */
  follow(id: number, row: Readonly<Livestream> | undefined): Second[] {
    const before = this.seconds.get(id);
    const after = secondOf(row);
    if (after === undefined) this.seconds.delete(id);
    else this.seconds.set(id, after);
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    return [before, after].flatMap((second) => second ?? []);
  }

  /** In the order of their ids. */
  of(channelId: number): number[] {
    const ids = [...this.seconds.values()].flatMap(({ deviceId, channelIds }) =>
      channelIds.includes(channelId) ? [deviceId] : [],
    );
    return [...new Set(ids)].sort((a, b) => a - b);
  }

  channelsAt(deviceId: number): number[] {
    return [...this.seconds.values()].flatMap((second) => (second.deviceId === deviceId ? second.channelIds : []));
  }
}

function secondOf(row: Readonly<Livestream> | undefined): Second | undefined {
  if (row?.backupDeviceId == null) return undefined;
  const { backupDeviceId: deviceId, channelId, backupChannelId } = row;
  return { deviceId, channelIds: [channelId, ...(backupChannelId === null ? [] : [backupChannelId])] };
}
