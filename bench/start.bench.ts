/** Measures how long viewers wait after a start: for the first frame of the encoder, at a UDP receiver, and for the first segment of a player. */
import { setTimeout as sleep } from 'node:timers/promises';
import { goOnAir, smallBroadcast, statusOf } from '../test/helpers/broadcast.ts';
import { startService } from '../test/helpers/service.ts';
import { until } from '../test/helpers/until.ts';
import { freePort } from '../test/helpers/ports.ts';
import type { Figure } from './figures.ts';
import { receiver } from '../test/helpers/first-frame.ts';

const STARTS = 20;

/** Answers the instant of the first frame as the playlist states it (EXT-X-PROGRAM-DATE-TIME of sequence 0), and when it could be fetched. */
async function firstSegment(playlist: string, startedAt: number): Promise<{ frameAt: number; fetchedAt: number }> {
  for (;;) {
    const master = await fetch(playlist);
    if (master.ok) {
      const variant = (await master.text()).split('\n').find((line) => line !== '' && !line.startsWith('#'));
      const media = await (await fetch(new URL(variant ?? '', playlist))).text();
      const frameInstant = /#EXT-X-PROGRAM-DATE-TIME:(\S+)/u.exec(media)?.[1];
      // The playlist of the last run stays until this one has its own.
      if (
        frameInstant !== undefined &&
        Date.parse(frameInstant) >= startedAt &&
        media.includes('#EXT-X-MEDIA-SEQUENCE:0')
      )
        return { frameAt: Date.parse(frameInstant), fetchedAt: Date.now() };
    }
    await sleep(10);
  }
}

export async function benchStart(): Promise<Figure[]> {
  const service = await startService();
  try {
    const port = await freePort();
    const stream = { name: 'air', type: 'STREAM', settings: { url: `udp://127.0.0.1:${port}` } };
    const show = await smallBroadcast(service, [stream]);
    const air = await receiver(port);
    const encoderSeconds: number[] = [];
    const receiverSeconds: number[] = [];
    const segmentSeconds: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      const startedAt = Date.now();
      const segmentPromise = firstSegment(await show.playlist(), startedAt);
      const framePromise = air.firstFrame();
      await goOnAir(service, show.livestreamId);
      const { frameAt, fetchedAt } = await segmentPromise;
      encoderSeconds.push((frameAt - startedAt) / 1000);
      segmentSeconds.push((fetchedAt - startedAt) / 1000);
      receiverSeconds.push(((await framePromise) - startedAt) / 1000);
      await service.rest('POST', `/livestreams/${show.livestreamId}/stop`);
      await until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
    }
    air.close();
    const at = (list: number[], share: number): number =>
      list.sort((a, b) => a - b)[Math.ceil(list.length * share) - 1] ?? Number.NaN;
    const frame = at(encoderSeconds, 0.95);
    const segment = at(segmentSeconds, 0.95);
    const first = at(receiverSeconds, 0.95);
    return [
      {
        name: `start to the first frame out of the encoder, p95 of ${STARTS}`,
        value: frame,
        unit: 's',
        bar: '≤ 1.5 s',
        met: frame <= 1.5,
        note: `median ${at(encoderSeconds, 0.5).toFixed(2)} s`,
      },
      {
        name: `start to the first frame at a UDP receiver, p95 of ${STARTS}`,
        value: first,
        unit: 's',
        bar: '≤ 1.0 s',
        met: first <= 1,
        note: `median ${at(receiverSeconds, 0.5).toFixed(2)} s; tables and a whole keyframe have come, File Channel`,
      },
      {
        name: 'start to the first segment a player can fetch, p95',
        value: segment,
        unit: 's',
        bar: 'stated',
        met: true,
        note: `median ${at(segmentSeconds, 0.5).toFixed(2)} s; the keyframe interval is 1 s`,
      },
    ];
  } finally {
    await service.dispose();
  }
}
