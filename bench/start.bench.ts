/** Measures how long viewers wait after a start: for the first frame of the encoder, at a UDP receiver, and for the first segment of a player. */
import { setTimeout as sleep } from 'node:timers/promises';
import { goOnAir, smallBroadcast, statusOf } from '../test/helpers/broadcast.ts';
import { startService, type Service } from '../test/helpers/service.ts';
import { until } from '../test/helpers/until.ts';
import { freePort } from '../test/helpers/ports.ts';
import { bounded, type Figure } from './figures.ts';
import { receiver } from '../test/helpers/first-frame.ts';

const STARTS = 20;

interface FirstSegment {
  /** The instant of its first frame, as the playlist states it (EXT-X-PROGRAM-DATE-TIME of sequence 0). */
  frameAt: number;
  fetchedAt: number;
  seconds: number;
}

async function firstSegment(playlist: string, startedAt: number): Promise<FirstSegment> {
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
      ) {
        const seconds = Number(/#EXTINF:([\d.]+)/u.exec(media)?.[1]);
        return { frameAt: Date.parse(frameInstant), fetchedAt: Date.now(), seconds };
      }
    }
    await sleep(10);
  }
}

const percentile = (list: readonly number[], share: number): number =>
  [...list].sort((a, b) => a - b)[Math.ceil(list.length * share) - 1] ?? Number.NaN;

async function stop(service: Service, livestreamId: number): Promise<void> {
  await service.rest('POST', `/livestreams/${livestreamId}/stop`);
  await until('status 0', async () => (await statusOf(service, livestreamId)).status === 0);
}

/** The same Channel, copied to a Destination of its own. */
async function copied(service: Service, channelId: number): Promise<{ livestreamId: number; playlist: string }> {
  const copy = { name: 'copy', settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };
  const encodingId = await service.create('/encodings', copy);
  const publishingId = await service.create('/publishings', { name: 'copied', type: 'HLS / TS' });
  const livestreamId = await service.create('/livestreams', { name: 'Copy', channelId, encodingId, publishingId });
  return { livestreamId, playlist: `${service.url}/live/${livestreamId}/${publishingId}/index.m3u8` };
}

async function copiedSegments(service: Service, channelId: number): Promise<number[]> {
  const { livestreamId, playlist } = await copied(service, channelId);
  const beyond: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    const startedAt = Date.now();
    const segment = firstSegment(playlist, startedAt);
    await goOnAir(service, livestreamId);
    const { fetchedAt, seconds } = await segment;
    beyond.push((fetchedAt - startedAt) / 1000 - seconds);
    await stop(service, livestreamId);
  }
  return beyond;
}

function firstFigure(what: string, beyond: readonly number[]): Figure {
  const note = `median ${percentile(beyond, 0.5).toFixed(2)} s; File Channel, keyframes 1 s apart`;
  return bounded(
    `start to the first segment of HLS, ${what}, less its length, p95`,
    percentile(beyond, 0.95),
    0.3,
    's',
    note,
  );
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
    const beyond: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      const startedAt = Date.now();
      const segmentPromise = firstSegment(await show.playlist(), startedAt);
      const framePromise = air.firstFrame();
      await goOnAir(service, show.livestreamId);
      const { frameAt, fetchedAt, seconds } = await segmentPromise;
      encoderSeconds.push((frameAt - startedAt) / 1000);
      beyond.push((fetchedAt - startedAt) / 1000 - seconds);
      receiverSeconds.push(((await framePromise) - startedAt) / 1000);
      await stop(service, show.livestreamId);
    }
    air.close();
    const ofCopies = await copiedSegments(service, show.channelId);
    const frame = percentile(encoderSeconds, 0.95);
    const first = percentile(receiverSeconds, 0.95);
    return [
      {
        name: `start to the first frame out of the encoder, p95 of ${STARTS}`,
        value: frame,
        unit: 's',
        bar: '≤ 1.5 s',
        met: frame <= 1.5,
        note: `median ${percentile(encoderSeconds, 0.5).toFixed(2)} s`,
      },
      {
        name: `start to the first frame at a UDP receiver, p95 of ${STARTS}`,
        value: first,
        unit: 's',
        bar: '≤ 1.0 s',
        met: first <= 1,
        note: `median ${percentile(receiverSeconds, 0.5).toFixed(2)} s; tables and a whole keyframe have come, File Channel`,
      },
      firstFigure('encoded', beyond),
      firstFigure('copied', ofCopies),
    ];
  } finally {
    await service.dispose();
  }
}
