/** Pictures on the disk of a Device: one a minute, those around an event, what is read of them, and what goes when it is old. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { hourOf, pictureName, picturesDir } from '../../device/pictures/picture-files.ts';
import { PictureWriter } from '../../device/pictures/picture-writer.ts';
import { readPictures, sweepPictures } from '../../device/pictures/picture-reader.ts';
import type { KeptPicture } from '../../domain/shapes/reports/kept-pictures.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

const LIVESTREAM_ID = 7;
const HOUR = 3600;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

function scene(t: TestContext, { isCopied = false, hasPicture = true } = {}) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const dir = testFolder(t, 'pictures');
  const clock = new FakeClock();
  let taken = 0;
  const writer = new PictureWriter({
    deviceDir: dir,
    livestreamId: LIVESTREAM_ID,
    isCopied,
    take: async () => {
      taken += 1;
      if (!hasPicture) throw new Error('no picture has gone out yet');
      return { jpeg: Buffer.concat([Buffer.from(String(taken)), END_OF_IMAGE]), takenAt: clock.now() };
    },
  });
  t.after(() => writer.close());
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    dir,
    clock,
    writer,
    taken: () => taken,
    begin: clock.now() / 1000,
    async pass(seconds: number): Promise<void> {
      for (let passed = 0; passed < seconds; passed += 1) {
        clock.advance(1000);
        t.mock.timers.tick(1000);
        await settled();
      }
    },
    async kept(count: number): Promise<KeptPicture[]> {
      t.mock.timers.reset();
      const wanted = { fromSeconds: clock.now() / 1000 - 2 * HOUR, toSeconds: clock.now() / 1000 + 1, most: 60 };
      const read = (): Promise<KeptPicture[]> => readPictures(dir, LIVESTREAM_ID, wanted);
      await until(`${count} pictures are kept`, async () => (await read()).length >= count);
      return read();
    },
  };
}

test('a picture a minute is kept, and at an event the last one before it and one after it', async (t) => {
  const { writer, pass, kept, begin } = scene(t);
  writer.start();
  await pass(62);
  writer.noteEvent();
  writer.noteEvent();
  await pass(60);
  const pictures = await kept(4);
  assert.deepEqual(
    pictures.map(({ atSeconds, isOfEvent }) => [atSeconds - begin, isOfEvent]),
    [
      [5, false],
      [60, true],
      [64, true],
      [65, false],
    ],
  );
});

test('a copied broadcast has a picture in five minutes, and one behind an event', async (t) => {
  const { writer, pass, kept, taken, begin } = scene(t, { isCopied: true });
  writer.start();
  await pass(310);
  writer.noteEvent();
  await pass(11);
  const [first, second, ...others] = await kept(2);
  assert.deepEqual([first!.atSeconds - begin, first!.isOfEvent, second!.isOfEvent, others], [300, false, true, []]);
  const after = second!.atSeconds - begin - 310;
  assert.ok(after >= 2 && after <= 11, `${after} s behind it`);
  assert.equal(taken(), 2, 'each costs an ffmpeg');
});

test('where there is no picture, or the disk refuses, nothing is kept and nothing fails', async (t) => {
  const without = scene(t, { hasPicture: false });
  without.writer.start();
  await without.pass(70);
  assert.deepEqual(await without.kept(0), []);
  const refused = scene(t);
  writeFileSync(join(refused.dir, 'pictures'), 'a file where the folder should be');
  refused.writer.start();
  await refused.pass(70);
  assert.ok(refused.taken() > 10);
});

function write(dir: string, atSeconds: number, { isOfEvent = false, end = END_OF_IMAGE } = {}): void {
  const folder = join(picturesDir(dir, LIVESTREAM_ID), String(hourOf(atSeconds)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, pictureName({ atSeconds, isOfEvent })), Buffer.concat([Buffer.from('picture'), end]));
}

test('of more pictures than are wanted those are read that are spread over the time, those of events before others', async (t) => {
  const dir = testFolder(t, 'many-pictures');
  const fromSeconds = 500 * HOUR;
  for (let minute = 0; minute < 120; minute += 1) write(dir, fromSeconds + 60 * minute);
  write(dir, fromSeconds + 61, { isOfEvent: true });
  write(dir, fromSeconds + 3661, { isOfEvent: true });
  write(dir, fromSeconds + 90, { end: Buffer.alloc(0) });
  const found = await readPictures(dir, LIVESTREAM_ID, { fromSeconds, toSeconds: fromSeconds + 2 * HOUR, most: 4 });
  assert.deepEqual(
    found.map(({ atSeconds, isOfEvent }) => [atSeconds - fromSeconds, isOfEvent]),
    [
      [61, true],
      [1800, false],
      [3661, true],
      [5400, false],
    ],
  );
  const torn = { fromSeconds: fromSeconds + 85, toSeconds: fromSeconds + 100, most: 4 };
  assert.deepEqual(await readPictures(dir, LIVESTREAM_ID, torn), [], 'one whose end is not there is none');
  assert.deepEqual(await readPictures(dir, 8, torn), []);
});

test('pictures of more than a week ago go, and those of others stay', async (t) => {
  const dir = testFolder(t, 'old-pictures');
  const now = 10_000 * HOUR;
  const [old, young] = [now - 7 * 24 * HOUR - HOUR, now - 7 * 24 * HOUR + HOUR];
  for (const at of [old, young]) write(dir, at);
  await sweepPictures(dir, now * 1000);
  const all = await readPictures(dir, LIVESTREAM_ID, { fromSeconds: old, toSeconds: now, most: 10 });
  assert.deepEqual(
    all.map(({ atSeconds }) => atSeconds),
    [young],
  );
});
