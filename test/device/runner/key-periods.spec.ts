/** Which keys encrypt which media, by the time of the stream. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyPeriods } from '../../../device/runner/outputs/segments/key-periods.ts';
import { withPeriodKeys, type OutputDrm, type PeriodKeys } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { drm } from './encrypted-output.ts';
import { output } from './specs.ts';

const PERIOD_MS = 10_000;

function periodKeys(index: number): PeriodKeys {
  const { keys, signals } = drm('cbcs', ['FAIRPLAY']);
  return { index, keys, signals };
}

/** The stream began at 0 by the clock; periods have 10 s. */
function keyPeriods(...indexes: number[]) {
  const rotation = {
    periodMs: PERIOD_MS,
    periods: indexes.map(periodKeys),
    source: { providerId: 1, contentid: 'c', tracks: [] },
  };
  let held = output(1, 'CMAF', {}, { drm: { ...drm('cbcs', ['FAIRPLAY']), rotation } });
  let offsetMs = 0;
  const events: string[] = [];
  const periods = new KeyPeriods({
    drm: () => held.drm as OutputDrm,
    wallMs: (seconds) => seconds * 1000 + offsetMs,
    onReplaced: (index) => events.push(`replaced ${index}`),
    onMissing: (index) => events.push(`missing ${index}`),
  });
  return {
    periods,
    events,
    bring: (index: number) => (held = withPeriodKeys(held, periodKeys(index))),
    setClock: (ms: number) => (offsetMs = ms),
    held: () => held.drm!.rotation!.periods.map(({ index }) => index),
  };
}

test('keys of a period begin with the keyframe that is in it, in all tracks, whichever comes first', () => {
  const { periods, events } = keyPeriods(0, 1);
  const first = periods.at(6);
  assert.equal(periods.at(8), first);
  // The second track has its keyframe a little earlier than the first one, and asks later.
  const next = periods.at(10.01);
  assert.notEqual(next, first);
  assert.equal(periods.at(9.99), next);
  assert.equal(periods.at(8.01), first, 'a track that is behind');
  assert.deepEqual([periods.isCut(6, 8), periods.isCut(8, 10.01), periods.isCut(10, 12)], [false, true, false]);
  assert.deepEqual(events, ['replaced 1']);
});

test('pictures that are all keyframes have the keys that they were given', () => {
  const { periods } = keyPeriods(0, 1);
  const times = Array.from({ length: 40 }, (_, i) => 9.5 + i * 0.04);
  const given = times.map((seconds) => periods.at(seconds));
  assert.deepEqual(
    times.map((seconds) => periods.at(seconds)),
    given,
  );
  assert.equal(new Set(given).size, 2);
});

test('without the next keys the former ones go on, which is told once, and late ones are used at once', () => {
  const { periods, events, bring, held } = keyPeriods(0);
  const first = periods.at(8);
  assert.equal(periods.at(10), first);
  assert.equal(periods.at(12), first);
  assert.deepEqual(events, ['missing 1']);
  bring(1);
  assert.notEqual(periods.at(14), first);
  for (const index of [2, 3, 4]) bring(index);
  assert.deepEqual(held(), [2, 3, 4]);
  const last = periods.at(49);
  assert.deepEqual(events, ['missing 1', 'replaced 1', 'replaced 4']);
  assert.equal(periods.at(51), last);
  assert.deepEqual(events.slice(3), ['missing 5']);
});

test('a clock that is set back does not bring earlier keys back, and a missing period is not told anew', () => {
  const { periods, events, setClock } = keyPeriods(0, 1);
  periods.at(8);
  const next = periods.at(12);
  setClock(-10_000);
  assert.equal(periods.at(14), next);
  setClock(0);
  assert.equal(periods.at(22), next);
  setClock(-20_000);
  assert.equal(periods.at(24), next);
  setClock(0);
  assert.equal(periods.at(26), next);
  assert.deepEqual(events, ['replaced 1', 'missing 2']);
});
