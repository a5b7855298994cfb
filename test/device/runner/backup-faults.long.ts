/** A first source that turns black, stands still and falls silent: viewers get every picture of either source, in step with its sound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTED_FPS as FPS, longestStep, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { countedPair, faultsFrom, PICTURES } from './counted-pair.ts';
import { running } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { RETURNED, TO_BACKUP } from './source-pair.ts';

const AFTER = 1;
const FAULTS = faultsFrom(9);

test('black, frozen and silent sources give way in time, and no picture is lost', async (t) => {
  const options = { on: FAULTS.map(({ cause }) => cause), after_seconds: AFTER, return_after_seconds: 1 };
  const { dir, runner, failovers } = await countedPair(t, options, FAULTS);
  await running(runner);
  await until('six changes', () => failovers().length === 6);
  await letPass(1500);
  assert.deepEqual(
    failovers().map(({ data }) => data),
    FAULTS.flatMap(({ cause }) => [{ reason: cause, ...TO_BACKUP }, RETURNED]),
  );
  const timeline = timelineOf(broadcast(dir, 1));
  const { pictures, times } = timeline;
  assert.ok(longestStep(times) < 0.034, `a step of ${longestStep(times)} s`);
  // Each stretch of the backup, which has no faults, is whole; before it the first source was on air with its fault.
  const isBackup = (n: number | undefined): boolean => n !== undefined && n >= PICTURES;
  const enters = pictures.flatMap((n, at) => (isBackup(n) && !isBackup(pictures[at - 1]) ? [at] : []));
  const leaves = pictures.flatMap((n, at) => (at > 0 && !isBackup(n) && isBackup(pictures[at - 1]) ? [at] : []));
  assert.deepEqual([enters.length, leaves.length], [3, 3]);
  for (const [i, { cause, from }] of FAULTS.entries()) {
    const [enter, leave] = [enters[i]!, leaves[i]!];
    // Up to the fault each picture has its number, so its place in the broadcast follows from one before it.
    const begins = pictures.lastIndexOf(from * FPS - 1, enter) + 1;
    assert.ok(begins > 0, `the last picture before ${cause} was on air`);
    const onAir = (enter - begins) / FPS;
    t.diagnostic(`${cause}: ${onAir.toFixed(2)} s of it on air`);
    const whole = pictures.slice(enter, leave);
    assert.deepEqual(
      whole,
      Array.from(whole, (_, n) => whole[0]! + n),
      `the backup after ${cause}`,
    );
    const good = pictures.slice(
      leave,
      i === 2 ? undefined : pictures.indexOf(FAULTS[i + 1]!.from * FPS - 1, leave) + 1,
    );
    assert.ok(good.length > 10);
    assert.deepEqual(
      good,
      Array.from(good, (_, n) => good[0]! + n),
      `the first source after ${cause}`,
    );
  }
  const offsets = soundOffsets(timeline);
  t.diagnostic(`sound: ${offsets.map((offset) => offset.toFixed(3)).join(', ')}`);
  assert.ok(offsets.length >= 6);
  for (const offset of offsets) assert.ok(Math.abs(offset) <= 0.045, `${offset} s`);
  await runner.stop();
  assert.equal(await runner.exited, 0);
});
