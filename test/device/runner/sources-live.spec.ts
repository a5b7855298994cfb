/** Whether a source is live, by the times at which its frames come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveRate } from '../../../device/runner/input/live-rate.ts';

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
