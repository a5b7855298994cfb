/**
 * One service with one broadcast, for the specs of a process: a ladder of two, a Destination for all, two for callers with a token, and one
 * by RTMP whose server hangs up. Each test puts it on air or off air as it needs it, and puts back what it has changed.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import {
  goOnAir,
  mediaPlaylist,
  smallBroadcast,
  statusOf,
  type Playlist,
  type SmallBroadcast,
} from '../helpers/broadcast.ts';
import { atProcessEnd } from '../helpers/process-end.ts';
import { pidsOf, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

export const STREAM_KEY = 'canary-stream-key-9f27c1';
export const URL_SECRET = 'canary-url-token-51b3';

export interface One {
  service: Service;
  show: SmallBroadcast;
  /** The Destinations for callers with a token, by type. */
  guests: Record<string, number>;
  onAir(): Promise<void>;
  offAir(): Promise<void>;
}

let made: Promise<One> | undefined;

export function one(): Promise<One> {
  return (made ??= make());
}

async function make(): Promise<One> {
  const refusing = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.destroy()));
  await once(refusing.listen(0, '127.0.0.1'), 'listening');
  atProcessEnd(() => refusing.close());
  const service = await startService({ ONAIR_LOG_LEVEL: 'debug' });
  atProcessEnd(() => service.dispose());
  const guest = { access: 'token', settings: { segment_duration: 2 } };
  const url = `rtmp://127.0.0.1:${(refusing.address() as AddressInfo).port}/live?auth=${URL_SECRET}`;
  const show = await smallBroadcast(service, [
    ...['HLS / TS', 'CMAF'].map((type) => ({ name: `guests ${type}`, type, ...guest })),
    { name: 'restream', type: 'RTMP', settings: { url, stream_key: STREAM_KEY } },
  ]);
  await keepSegments(service, show);
  const { rows } = (await service.rest('GET', '/publishings?search=guests')).body;
  const statusNow = async (): Promise<number> => (await statusOf(service, show.livestreamId)).status;
  return {
    service,
    show,
    guests: Object.fromEntries((rows as { id: number; type: string }[]).map(({ id, type }) => [type, id])),
    async onAir() {
      if ((await statusNow()) !== 2) await goOnAir(service, show.livestreamId);
    },
    async offAir() {
      await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
      await until('off air', async () => (await statusNow()) === 0);
      await until('no encoder left', () => pidsOf(service.scratch, /onair\S* runner|ffmpeg/u).length === 0);
    },
  };
}

/** Lets the playlist of a broadcast have so many segments that none leaves it while a fault is waited for. */
export async function keepSegments({ rest }: Service, { publishingId }: SmallBroadcast): Promise<void> {
  const settings = { segment_duration: 2, playlist_length: 100 };
  const { status, body } = await rest('PUT', `/publishings/${publishingId}`, { settings });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/**
 * Waits for `count` more segments of a playlist. It must be the one that went on since `earlier`: each segment of then under its number
 * still, and none left out after them. Those that are followed across a fault keep their segments for longer than that takes.
 */
export async function follow(
  master: () => Promise<string> | string,
  count: number,
  earlier?: Playlist,
): Promise<Playlist> {
  const endOf = ({ mediaSequence, segments }: Playlist): number => mediaSequence + segments.length;
  const first = await mediaPlaylist(await master());
  let last = earlier ?? first;
  return until(`${count} more segments`, async () => {
    const now = await mediaPlaylist(await master());
    const since = last.mediaSequence - now.mediaSequence;
    const then = last.segments.slice(Math.max(0, -since));
    assert.ok(now.mediaSequence <= endOf(last), `Numbers ${endOf(last)} to ${now.mediaSequence} are missing.`);
    assert.deepEqual(now.segments.slice(Math.max(0, since), since + last.segments.length), then);
    last = now;
    return endOf(now) >= endOf(first) + count && now;
  });
}
