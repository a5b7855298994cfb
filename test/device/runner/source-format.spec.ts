import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it } from 'node:test';
import type { Child } from '../../../device/runner/process/child.ts';
import { SourceFormat, type PictureFormat } from '../../../device/runner/input/source-format.ts';

/** The rates that are told as the new ones, of pictures at these times, all of one size. */
function told(times: readonly number[]): number[] {
  const rates: number[] = [];
  const format = new SourceFormat((_from: PictureFormat, to: PictureFormat) => void rates.push(to.fps));
  const lines = new EventEmitter();
  format.read({ alsoRead: (read: (line: string) => void) => void lines.on('line', read) } as unknown as Child);
  for (const [n, time] of times.entries())
    lines.emit(
      'line',
      `[Parsed_showinfo_0 @ 0x1] n: ${n} pts: ${n} pts_time: ${time} fmt:yuv420p s:160x90 i:P iskey:0`,
    );
  return rates;
}

const pictures = (count: number, fps: number, from = 0): number[] =>
  Array.from({ length: count }, (_, n) => from + n / fps);

it('a rate is told when a second of pictures has it, and a picture that is missing is no other rate, also in the first second', () => {
  const steady = pictures(150, 25);
  assert.deepEqual(told(steady), []);
  for (const missing of [3, 12, 22, 60])
    assert.deepEqual(told(steady.filter((_, n) => n !== missing)), [], `${missing}`);
  assert.deepEqual(told([...pictures(100, 25), ...pictures(200, 50, 4)]), [50]);
});
