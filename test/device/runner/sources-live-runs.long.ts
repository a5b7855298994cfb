/** A live source of 100 kbit/s, paced by its server: on air with its keyframe and seen as lost, by HTTP as soon as by UDP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveRate } from '../../../device/runner/input/live-rate.ts';
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
    // The defaults of ffmpeg take four seconds more than the keyframe.
    assert.ok(times.switchedBehind < 3.5, `switched ${times.switchedBehind}`);
    // What the analysis had waited for would be played first, or three seconds of it.
    assert.ok(times.lost < 2.9, `lost ${times.lost}`);
  }
  const count = rendered(dir).length;
  await until('its picture', () => rendered(dir).length > count + 1 && lastBrightness(rendered(dir).at(-1)!) > 150);
  assert.ok(started < 15, `on air ${started}`);
});

/** Frames of 30 a second as they come; answers after how many it is live, and whether it is a file. */
function detected(arrivals: readonly number[]): { liveAfterMs: number | undefined; isFile: boolean } {
  const pace = new LiveRate(30);
  let liveAfterMs: number | undefined;
  let last: number | undefined;
  for (const at of arrivals) {
    if (last !== undefined && at - last >= 200 && pace.pause(last + 200)) liveAfterMs ??= last + 200;
    pace.frame(at);
    if (pace.isLive) liveAfterMs ??= at;
    last = at;
  }
  return { liveAfterMs, isFile: pace.isFile };
}

const burst = (frames: number, from = 0, perMs = 5): number[] =>
  Array.from({ length: frames }, (_, n) => from + n / perMs);
const steady = (frames: number, from: number, everyMs = 1000 / 30): number[] =>
  Array.from({ length: frames }, (_, n) => from + n * everyMs);

test('a source at the pace of time is live as soon as that is seen, wherever the burst before it ended', () => {
  assert.ok(detected(steady(30, 0)).liveAfterMs! <= 160);
  for (const frames of [15, 30, 60]) {
    const { liveAfterMs } = detected([...burst(frames), ...steady(30, frames / 5 + 33)]);
    assert.ok(liveAfterMs! <= frames / 5 + 170, `${frames} at once: ${liveAfterMs}`);
  }
  // Ten pictures a second, each shown three times.
  assert.ok(detected(steady(10, 0, 100).flatMap((at) => [at, at, at])).liveAfterMs! <= 300);
});

test('a source that pauses while a keyframe goes over a slow connection is seen as live, too', () => {
  assert.equal(detected([...burst(15), ...steady(20, 400)]).liveAfterMs, 14 / 5 + 200);
});

test('a file is no live source, nor is one with a pause, as it is ahead of time', () => {
  assert.deepEqual(detected(burst(300)), { liveAfterMs: undefined, isFile: true });
  assert.deepEqual(detected([...burst(40), ...burst(300, 160)]), { liveAfterMs: undefined, isFile: true });
  assert.deepEqual(detected([...burst(120), ...burst(300, 400)]), { liveAfterMs: undefined, isFile: true });
  assert.deepEqual(detected(steady(1200, 0, 1000 / 90)), { liveAfterMs: undefined, isFile: true });
});
