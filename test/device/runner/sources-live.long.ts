/** A live source of 100 kbit/s by HTTP against the same by UDP, many times: on air, switched to, lost, back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { behind, liveSource, liveTimes, type Kind, type LiveTimes } from './live-times.ts';
import { serveLive } from './live-origin.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';

const ROUNDS = 10;
const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

for (const keyframePictures of [25, 50])
  test(`a live source with a keyframe every ${keyframePictures / 25} s is as soon on air and seen as lost by HTTP as by UDP`, async (t) => {
    const dir = folder(t);
    const origin = await serveLive(t, dir, keyframePictures);
    const times: Record<Kind, (LiveTimes & { onAir: number; onAirBehind: number })[]> = { http: [], udp: [] };
    const file = fileSource(clip(dir));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const kind of ['udp', 'http'] as const) {
        const begunAt = performance.now();
        const first = startRunner(t, dir, runSpec(`${kind}-${round}`, liveSource(origin.urls[kind], 4), HLS, SMALL));
        await running(first);
        const shownAt = performance.now();
        const onAir = { onAir: (shownAt - begunAt) / 1000, onAirBehind: behind(origin, kind, begunAt, shownAt) };
        const back = await change(first, { type: 'source', source: { ...file, channelId: 5 } });
        assert.equal(back.status, 200, back.detail);
        await until('one ingest', () => first.children().length <= 2);
        times[kind].push({ ...onAir, ...(await liveTimes(first, origin, kind, 4)) });
        await first.stop();
        await first.exited;
      }
    const medianOf = (kind: Kind, name: keyof LiveTimes): number =>
      times[kind]
        .map((one) => one[name])
        .filter(Number.isFinite)
        .sort((a, b) => a - b)[times[kind].length >> 1]!;
    for (const name of ['onAir', 'onAirBehind', 'switched', 'switchedBehind', 'lost', 'back'] as const)
      for (const kind of ['udp', 'http'] as const) {
        const sorted = times[kind]
          .map((one) => one[name])
          .filter(Number.isFinite)
          .sort((a, b) => a - b);
        const [median, latest] = [sorted[sorted.length >> 1]!, sorted.at(-1)!];
        t.diagnostic(`${name} ${kind}: median ${median.toFixed(2)} s, latest ${latest.toFixed(2)} s`);
      }
    // What is HTTP about it costs no more than a few frames; a busy machine three times that.
    for (const name of ['switchedBehind', 'lost'] as const)
      assert.ok(medianOf('http', name) < medianOf('udp', name) + 0.9, name);
  });
