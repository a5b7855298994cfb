/** How long viewers wait after a start: to the first frame of the encoder, and to the first segment a player can fetch. */
import { setTimeout as sleep } from 'node:timers/promises';
import { goOnAir, smallBroadcast, statusOf } from '../test/helpers/broadcast.ts';
import { startService, until } from '../test/helpers/service.ts';
import type { Figure } from './figures.ts';

const STARTS = 20;

/** Instant of the first frame as the playlist states it (EXT-X-PROGRAM-DATE-TIME of sequence 0), and when it could be fetched. */
async function firstSegment(playlist: string, startedAt: number): Promise<{ frameAt: number; fetchedAt: number }> {
  for (;;) {
    const master = await fetch(playlist);
    if (master.ok) {
      const variant = (await master.text()).split('\n').find((line) => line !== '' && !line.startsWith('#'));
      const media = await (await fetch(new URL(variant ?? '', playlist))).text();
      const stated = /#EXT-X-PROGRAM-DATE-TIME:(\S+)/u.exec(media)?.[1];
      // The playlist of the last run stays until this one has its own.
      if (stated !== undefined && Date.parse(stated) >= startedAt && media.includes('#EXT-X-MEDIA-SEQUENCE:0'))
        return { frameAt: Date.parse(stated), fetchedAt: Date.now() };
    }
    await sleep(10);
  }
}

export async function benchStart(): Promise<Figure[]> {
  const service = await startService();
  try {
    const show = await smallBroadcast(service);
    const frames: number[] = [];
    const segments: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      const startedAt = Date.now();
      const watched = firstSegment(await show.playlist(), startedAt);
      await goOnAir(service, show.livestreamId);
      const { frameAt, fetchedAt } = await watched;
      frames.push((frameAt - startedAt) / 1000);
      segments.push((fetchedAt - startedAt) / 1000);
      await service.rest('POST', `/livestreams/${show.livestreamId}/stop`);
      await until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
    }
    const at = (list: number[], share: number): number =>
      list.sort((a, b) => a - b)[Math.ceil(list.length * share) - 1] ?? Number.NaN;
    const frame = at(frames, 0.95);
    const segment = at(segments, 0.95);
    return [
      {
        name: `start to the first frame out of the encoder, p95 of ${STARTS}`,
        value: frame,
        unit: 's',
        bar: '≤ 1.5 s',
        met: frame <= 1.5,
        note: `median ${at(frames, 0.5).toFixed(2)} s`,
      },
      {
        name: 'start to the first segment a player can fetch, p95',
        value: segment,
        unit: 's',
        bar: 'stated',
        met: true,
        note: `median ${at(segments, 0.5).toFixed(2)} s; the keyframe interval is 1 s`,
      },
    ];
  } finally {
    await service.dispose();
  }
}
