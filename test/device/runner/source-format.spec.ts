import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it } from 'node:test';
import type { Child } from '../../../device/runner/process/child.ts';
import { SourceFormat, type PictureFormat } from '../../../device/runner/input/source-format.ts';

interface Shown {
  time: number;
  size: string;
}

/** The changes that are told of pictures with these times and sizes. */
function changesOf(shown: readonly Shown[]): { from: PictureFormat; to: PictureFormat }[] {
  const changes: { from: PictureFormat; to: PictureFormat }[] = [];
  const format = new SourceFormat((from, to) => void changes.push({ from, to }));
  const lines = new EventEmitter();
  format.read({ alsoRead: (read: (line: string) => void) => void lines.on('line', read) } as unknown as Child);
  for (const [n, { time, size }] of shown.entries())
    lines.emit(
      'line',
      `[Parsed_showinfo_0 @ 0x1] n: ${n} pts: ${n} pts_time: ${time} fmt:yuv420p s:${size} i:P iskey:0`,
    );
  return changes;
}

const ofSize = (times: readonly number[], size = '160x90'): Shown[] => times.map((time) => ({ time, size }));

/** The rates that are told as the new ones, of pictures at these times, all of one size. */
function newRates(times: readonly number[]): number[] {
  return changesOf(ofSize(times)).map(({ to }) => to.fps);
}

const pictures = (count: number, fps: number, from = 0): number[] =>
  Array.from({ length: count }, (_, n) => from + n / fps);

it('a rate is told when a second of pictures has it, and a picture that is missing is no other rate, also in the first second', () => {
  const steady = pictures(150, 25);
  assert.deepEqual(newRates(steady), []);
  for (const missing of [3, 12, 22, 60])
    assert.deepEqual(newRates(steady.filter((_, n) => n !== missing)), [], `${missing}`);
  assert.deepEqual(newRates([...pictures(100, 25), ...pictures(200, 50, 4)]), [50]);
});

it('a seam of a file that is played again, some ms off, is no other rate', () => {
  for (const fps of [30, 29.97, 24, 23.976, 59.94]) {
    const [before, seam] = [pictures(300, fps), 300 / fps];
    for (const offMs of [2, 3, -2])
      assert.deepEqual(newRates([...before, ...pictures(300, fps, seam + offMs / 1000)]), []);
  }
  assert.deepEqual(newRates([...pictures(300, 30), ...pictures(300, 24, 10)]), [24]);
});

it('another size is told with its rate, also of a source that has been there for two seconds', () => {
  for (const seconds of [2, 10]) {
    const after = ofSize(pictures(100, 25, seconds), '90x160');
    const changes = changesOf([...ofSize(pictures(30 * seconds, 30)), ...after]);
    const forms = changes.map(({ from, to }) => [from.width, from.height, from.fps, to.width, to.height, to.fps]);
    assert.deepEqual(forms, [[160, 90, 30, 90, 160, 25]], `${seconds} s`);
  }
});

it('bytes of the input are counted by the places of its pictures, over reordered ones and over connections', () => {
  const format = new SourceFormat(() => undefined);
  const lines = new EventEmitter();
  format.read({ alsoRead: (read: (line: string) => void) => void lines.on('line', read) } as unknown as Child);
  const come = (n: number, pos: number): void =>
    void lines.emit(
      'line',
      `[Parsed_showinfo_0 @ 0x1] n:   ${n} pts:   3000 pts_time:${n / 25} pos:${String(pos).padStart(9)} fmt:yuv420p sar:1/1 s:160x90 i:P iskey:0`,
    );
  lines.emit('line', '[Parsed_showinfo_0 @ 0x1] n: 0 pts: 0 pts_time:0 fmt:yuv420p s:160x90 i:P iskey:0');
  assert.equal(format.bytes, undefined, 'not told');
  for (const [n, pos] of [1000, 9000, 5000, 12_000].entries()) come(n, pos);
  assert.equal(format.bytes, 12_000, 'a picture that is shown late lies further ahead');
  format.restart();
  for (const [n, pos] of [500, 3000].entries()) come(n, pos);
  assert.equal(format.bytes, 15_000);
  come(2, 60_000_000);
  come(3, 2000);
  come(4, 4000);
  assert.equal(format.bytes, 60_014_000, 'a file that is played again begins anew');
});
