/** A file that is played goes on where it was, whatever is killed: the runner, or its ffmpeg; and it loops as before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveDir } from '../../../device/run-dir.ts';
import { COUNTED_FPS, makeCountedClip, numbersIn } from '../../helpers/counted.ts';
import { until } from '../../helpers/until.ts';
import { commandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const PICTURES = 14 * COUNTED_FPS;
/** The bar: between two seconds before the last picture that was shown and two seconds after the end of the outage. */
const SLACK = 2 * COUNTED_FPS;

test('a file goes on where it was after a killed runner and a killed ffmpeg, and from its end at its beginning', async (t) => {
  const dir = folder(t);
  const source = { ...fileSource(makeCountedClip(join(dir, 'counted.mp4'), PICTURES)), durationSeconds: 14 };
  const renditions = [rendition(11, 320, 180, 600)];
  const settings = { segment_duration: 1, playlist_length: 100 };
  const spec = runSpec('film', source, [output(21, 'HLS / TS', settings)], { renditions });
  const live = join(liveDir(dir, LIVESTREAM_ID, 21), '11');
  const segments = (): string[] =>
    readdirSync(live)
      .filter((name) => name.endsWith('.ts'))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  /** The numbers of the pictures that viewers have got since that segment, without those that have none (the slate). */
  const shownSince = (from: number): number[] => {
    const path = join(dir, 'seen.ts');
    writeFileSync(
      path,
      Buffer.concat(
        segments()
          .slice(from)
          .map((name) => readFileSync(join(live, name))),
      ),
    );
    return numbersIn(path).filter((number) => number !== undefined);
  };
  const grown = (count: number): Promise<unknown> => until('segments', () => segments().length >= count);

  async function goesOn(what: string, kill: () => Promise<TestRunner>): Promise<TestRunner> {
    const last = shownSince(0).at(-1)!;
    const before = segments().length;
    const runner = await kill();
    await grown(before + 2);
    const after = shownSince(before);
    // Where the segment that was open at the kill was lost, its pictures count as shown.
    const first = after.find((number) => Math.abs(number - last) < PICTURES)!;
    t.diagnostic(`${what}: picture ${last} was in the last whole segment, then came ${first}`);
    assert.ok(first > last - SLACK && first <= last + 2 * PICTURES, `${what}: ${first} after ${last}`);
    return runner;
  }

  const first = startRunner(t, dir, spec);
  await running(first);
  await grown(4);
  const second = await goesOn('a killed runner', async () => {
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const next = startRunner(t, dir, spec);
    await running(next);
    return next;
  });
  await goesOn('a killed ffmpeg', async () => {
    const { source: before } = await second.report();
    assert.equal(before.state, 'up');
    const ingest = second.children().find(({ pid }) => commandLine(pid).includes('counted.mp4'));
    process.kill(ingest!.pid, 'SIGKILL');
    return second;
  });
  const from = segments().length;
  await until('its end and its beginning', () => {
    const numbers = shownSince(from);
    const seam = numbers.findIndex((number, at) => at > 0 && number < numbers[at - 1]!);
    return seam > 0 && numbers.length > seam + COUNTED_FPS && numbers.slice(seam - 1, seam + 3);
  }).then(([end, ...beginning]) => {
    t.diagnostic(`after picture ${end} came ${beginning.join(', ')}`);
    assert.ok(
      end! >= PICTURES - COUNTED_FPS && beginning[0]! <= COUNTED_FPS / 2,
      `${end} then ${beginning.join(', ')}`,
    );
  });
  await second.stop();
});
