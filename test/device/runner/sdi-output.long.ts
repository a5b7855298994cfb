/** SDIOUT on air, with a file in place of the elements of the card: no machine of ours has one. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { tracksOf } from '../feeder/feeding.ts';
import { makeCountedClip, numbersIn } from '../../helpers/counted.ts';
import { noGstreamer, standInCard } from '../../helpers/gstreamer-card.ts';
import { until } from '../../helpers/until.ts';
import { folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);
/** A picture that is repeated counts once, a slate not at all. */
const ownNumbers = (media: string): number[] =>
  numbersIn(media).flatMap((n, i, all) => (n === undefined || n === all[i - 1] ? [] : [n]));
const path = async (runner: TestRunner) =>
  (await runner.report()).publishings.find(({ type }) => type === 'SDIOUT')!.primary!;

it(
  'a programme is played out picture by picture with its sound; a player that ends is said, and another begins',
  { skip: noGstreamer },
  async (t) => {
    const dir = folder(t);
    const taken = join(dir, 'taken.mkv');
    const PATH = standInCard(dir, { taken });
    const renditions = [rendition(11, 1280, 720, 1500, { ...QUICK.rendition, fps: 25 })];
    const counted = fileSource(makeCountedClip(join(dir, 'counted.mp4'), 3000));
    const runner = startRunner(
      t,
      dir,
      runSpec('sdi', counted, [output(41, 'SDIOUT'), output(21, 'HLS / TS', QUICK.output)], { renditions }),
      {
        ...process.env,
        PATH,
      },
    );
    await running(runner);
    await until('the card has shown it', async () => (await path(runner)).state === 'up');
    const shown = await until('a hundred pictures were shown', () => {
      const numbers = sizeOf(taken) > 1_500_000 ? ownNumbers(taken) : [];
      return numbers.length > 100 && numbers;
    });
    const [first, last] = [shown[0]!, shown[100]!];
    const segmented = await until('a viewer of segments has them too', () => {
      const numbers = ownNumbers(broadcast(dir));
      return numbers.includes(last) && numbers;
    });
    const seen = segmented.slice(segmented.indexOf(first), segmented.indexOf(last));
    assert.deepEqual(shown.slice(0, 100), seen, 'the card shows what viewers see, each picture in its order');
    assert.deepEqual(tracksOf(taken)[1], 'pcm_s16le,2');

    const player = runner.childNamed('clockselect.');
    process.kill(player, 'SIGKILL');
    await until('the path says why', async () => /The card has stopped/u.test((await path(runner)).last_error ?? ''));
    await until('another player is up', async () => (await path(runner)).state === 'up');
    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.deepEqual(runner.left(), []);
  },
);
