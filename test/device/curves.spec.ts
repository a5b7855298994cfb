/** Curves on the disk of a Device: what was noted is read again, in longer steps by its worst second, and goes when it is old. */
import assert from 'node:assert/strict';
import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { curveFile } from '../../device/curves/curve-file.ts';
import { readCurves, sweepCurves } from '../../device/curves/curve-reader.ts';
import { CurveWriter } from '../../device/curves/curve-writer.ts';
import { startingReport } from '../../device/starting-report.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { Curves } from '../../domain/shapes/reports/curves.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';
import { fileSource, output, rendition, runSpec } from './runner/specs.ts';

const DAY = 86_400;
const spec = runSpec('curves', fileSource('/clip.mp4'), [output(21, 'HLS / TS')], {
  renditions: [rendition(11, 320, 180, 500)],
});
const { livestreamId } = spec;
const second = (clock: FakeClock): number => clock.now() / 1000;

function reportOf(fps: number, peak = -20): RunReport {
  const report = startingReport(spec, new Date().toISOString());
  const encodings = report.encodings.map((each) => ({ ...each, fps, bitrate_kbps: 512.34, speed: 1 }));
  const publishings = report.publishings.map((each) => ({
    ...each,
    primary: { ...each.primary, state: 'up' as const },
  }));
  return { ...report, encodings, publishings, peaks: [peak, peak] };
}

function scene(t: TestContext) {
  const dir = testFolder(t, 'curves');
  const clock = new FakeClock();
  const read = (fromSeconds: number, toSeconds: number, points: number): Promise<Curves> =>
    readCurves(dir, livestreamId, { fromSeconds, toSeconds, points });
  /** Notes a second, and has it on the disk. */
  const note = async (writer: CurveWriter, report: RunReport): Promise<void> => {
    writer.note(report);
    const at = second(clock);
    await until(
      'it is on the disk',
      async () => (await read(at, at + 1, 1)).values.fps[0] === report.encodings[0]!.fps,
    );
  };
  return { dir, clock, read, note, writer: () => new CurveWriter(dir, spec, clock) };
}

test('curves are read as they were noted, over a restart, with gaps where nothing was, and with the worst second of a longer step', async (t) => {
  const { clock, read, note, writer } = scene(t);
  const first = writer();
  const begin = second(clock);
  for (const fps of [25, 12.5, 25]) {
    await note(first, reportOf(fps, -30 + fps));
    clock.advance(1000);
  }
  first.close();
  clock.advance(2000);
  const next = writer();
  // The file is of another time than this clock's: then it is somewhere within that second.
  assert.equal(next.deliveredUntil, begin + 2.5);
  await note(next, reportOf(24));
  next.close();
  const { values } = await read(begin, begin + 6, 100);
  assert.deepEqual(values.fps, [25, 12.5, 25, null, null, 24]);
  assert.deepEqual([values.kbps[0], values.paths_up[0], values.momentary_lufs[0]], [512.34, 1, null]);
  const coarse = await read(begin, begin + 6, 2);
  assert.deepEqual([coarse.stepSeconds, coarse.values.fps], [3, [12.5, 24]]);
  assert.deepEqual(coarse.values.peak_left_dbfs, [-5, -20]);
});

test('after seven days a file is no larger, and the seconds that were written over are not shown', async (t) => {
  const { dir, clock, read, note, writer } = scene(t);
  const first = writer();
  const begin = second(clock);
  await note(first, reportOf(25));
  clock.advance(7 * DAY * 1000);
  await note(first, reportOf(24));
  first.close();
  assert.deepEqual((await read(begin, begin + 1, 1)).values.fps, [null]);
  assert.deepEqual((await read(begin + 7 * DAY, begin + 7 * DAY + 1, 1)).values.fps, [24]);
  const { size } = statSync(curveFile(dir, spec));
  assert.ok(size / 7 <= 10e6, `${size} bytes`);
});

test('a file of another version is left out, and what nobody wrote to for a month is removed', async (t) => {
  const { dir, clock, read, note, writer } = scene(t);
  const own = writer();
  await note(own, reportOf(25));
  own.close();
  const other = curveFile(dir, { livestreamId, runId: 'other' });
  writeFileSync(other, 'onair curves 2\n'.padEnd(1 << 20, 'x'));
  const at = second(clock);
  assert.deepEqual((await read(at, at + 1, 1)).values.fps, [25]);
  const month = 31 * DAY;
  utimesSync(other, at - month, at - month);
  utimesSync(curveFile(dir, spec), at, at);
  await sweepCurves(dir, clock.now());
  assert.deepEqual([existsSync(other), existsSync(curveFile(dir, spec))], [false, true]);
});
