/** A file that is played from its middle on, as after a kill, loops as before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { COUNTED_FPS, makeCountedClip, numbersIn } from '../../helpers/counted.ts';
import { until } from '../../helpers/until.ts';
import { broadcast } from './screen.ts';
import { rendered } from './viewing.ts';
import { commandLine, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const PICTURES = 14 * COUNTED_FPS;

test('a file that went on where it was begins anew behind its end', async (t) => {
  const dir = folder(t);
  const source = { ...fileSource(makeCountedClip(join(dir, 'counted.mp4'), PICTURES)), durationSeconds: 14 };
  const renditions = [rendition(11, 320, 180, 600)];
  const settings = { segment_duration: 1, playlist_length: 100 };
  const spec = runSpec('film', source, [output(21, 'HLS / TS', settings)], { renditions });
  const runner = startRunner(t, dir, spec);
  await running(runner);
  const grown = (count: number): Promise<unknown> => until('segments', () => rendered(dir).length >= count);
  await grown(4);
  const ingest = runner.children().find(({ pid }) => commandLine(pid).includes('counted.mp4'));
  process.kill(ingest!.pid, 'SIGKILL');
  await grown(rendered(dir).length + 2);
  const from = rendered(dir).length;
  const [end, ...beginning] = await until('its end and its beginning', () => {
    const numbers = numbersIn(broadcast(dir, from)).filter((number) => number !== undefined);
    const seam = numbers.findIndex((number, at) => at > 0 && number < numbers[at - 1]!);
    return seam > 0 && numbers.length > seam + COUNTED_FPS && numbers.slice(seam - 1, seam + 3);
  });
  t.diagnostic(`after picture ${end} came ${beginning.join(', ')}`);
  assert.ok(end! >= PICTURES - COUNTED_FPS && beginning[0]! <= COUNTED_FPS / 2, `${end} then ${beginning.join(', ')}`);
  await runner.stop();
});
