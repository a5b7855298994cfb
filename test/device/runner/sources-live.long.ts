/** A live source of 100 kbit/s, paced by its server: on air, switched to, lost and back, by HTTP and by UDP; how long each takes is told. */
import { test } from 'node:test';
import { folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { behind, liveSource, liveTimes } from './live-times.ts';
import { serveLive } from './live-origin.ts';
import { output, QUICK, rendition, runSpec } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

test('a live source is started, switched to, lost and back, by UDP, by an open web address and by a secret one', async (t) => {
  const dir = folder(t);
  const origin = await serveLive(t, dir, 25);
  const begunAt = performance.now();
  const first = liveSource(origin.urls.http, 3);
  const runner = startRunner(t, dir, runSpec('live', first, HLS, { ...SMALL, startTimeoutSeconds: 25 }));
  await running(runner);
  const started = behind(origin, 'http', begunAt, performance.now());
  t.diagnostic(`http: on air ${started.toFixed(2)} s after its first keyframe`);
  for (const [at, [kind, query]] of (
    [
      ['udp', ''],
      ['http', ''],
      ['http', '/live.ts?token=canary'],
    ] as const
  ).entries()) {
    const times = await liveTimes(runner, origin, kind, 4 + at, query);
    const message = Object.entries(times).map(([name, seconds]) => `${name} ${seconds.toFixed(2)} s`);
    t.diagnostic(`${kind}${query}: ${message.join(', ')}`);
  }
  const count = rendered(dir).length;
  await until('its picture', () => rendered(dir).length > count + 1 && lastBrightness(rendered(dir).at(-1)!) > 150);
});
