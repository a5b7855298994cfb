/** Pictures on the disk of a Device: one a minute, those around an event, what is read of them, and what goes when it is old. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { hourOf, parsePictureName, pictureName, picturesDir } from '../../device/pictures/picture-files.ts';
import { PictureWriter } from '../../device/pictures/picture-writer.ts';
import * as reader from '../../device/pictures/picture-reader.ts';
import { decodedPictures } from '../../device/probe/kept-keyframes.ts';
import type { KeptPicture, PicturesWanted } from '../../domain/shapes/reports/kept-pictures.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

const LIVESTREAM_ID = 7;
const HOUR = 3600;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

const readPictures = (dir: string, livestreamId: number, wanted: PicturesWanted): Promise<KeptPicture[]> =>
  reader.readPictures(dir, livestreamId, wanted, (keyframes) => decodedPictures(dir, keyframes));

function scene(t: TestContext, { isCopied = false, hasPicture = true } = {}) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const dir = testFolder(t, 'pictures');
  const clock = new FakeClock();
  let taken = 0;
  const bytes = { of: 10 };
  const writer = new PictureWriter({
    deviceDir: dir,
    livestreamId: LIVESTREAM_ID,
    isCopied,
    take: async () => {
      taken += 1;
      if (!hasPicture) throw new Error('no picture has gone out yet');
      return { bytes: Buffer.concat([Buffer.alloc(bytes.of, String(taken)), END_OF_IMAGE]), takenAt: clock.now() };
    },
  });
  t.after(() => writer.close());
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    dir,
    clock,
    writer,
    bytes,
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

test('of a copied broadcast keyframes are kept: in five minutes or as many as a day has bytes for, and around an event', async (t) => {
  const { writer, pass, dir, clock, begin, bytes } = scene(t, { isCopied: true });
  writer.start();
  await pass(310);
  writer.noteEvent();
  await pass(5);
  // 10 MB a day are 35 kB in five minutes.
  bytes.of = 100_000;
  await pass(1800);
  t.mock.timers.reset();
  const hours = picturesDir(dir, LIVESTREAM_ID);
  const names = await until('five are written', () => {
    const written = readdirSync(hours).flatMap((hour) => readdirSync(join(hours, hour)));
    return written.length >= 5 && written;
  });
  const kept = names.map((name) => parsePictureName(name)!).sort((one, other) => one.atSeconds - other.atSeconds);
  assert.ok(clock.now() > 0 && kept.every(({ isCoded }) => isCoded));
  assert.deepEqual(
    kept.map(({ atSeconds, isOfEvent }) => [atSeconds - begin, isOfEvent]),
    [
      [300, false],
      [310, true],
      [312, true],
      [600, false],
      [1500, false],
    ],
  );
});

test('keyframes become pictures when somebody looks, and one that is damaged is left out', async (t) => {
  const dir = testFolder(t, 'coded-pictures');
  const at = 500 * HOUR;
  const folder = join(picturesDir(dir, LIVESTREAM_ID), String(hourOf(at)));
  mkdirSync(folder, { recursive: true });
  const keep = (seconds: number, bytes: Buffer): void =>
    writeFileSync(join(folder, pictureName({ atSeconds: at + seconds, isOfEvent: false, isCoded: true })), bytes);
  keep(1, keyframe('640x360', 'red'));
  keep(2, Buffer.alloc(1880, 0x47));
  keep(3, keyframe('320x180', 'blue'));
  const wanted = { fromSeconds: at, toSeconds: at + 10, most: 10 };
  const seen = await readPictures(dir, LIVESTREAM_ID, wanted);
  assert.deepEqual(
    seen.map(({ atSeconds, jpeg }) => [atSeconds - at, colourOf(jpeg)]),
    [
      [1, 'red'],
      [3, 'blue'],
    ],
  );
  assert.deepEqual(readdirSync(folder).sort(), [`${at + 1}.jpg`, `${at + 2}.ts`, `${at + 3}.jpg`]);
  assert.deepEqual(await readPictures(dir, LIVESTREAM_ID, wanted), seen);
});

function keyframe(size: string, colour: string): Buffer {
  const picture = ['-f', 'lavfi', '-i', `color=${colour}:size=${size}`, '-frames:v', '1', '-c:v', 'libx264'];
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...picture, '-f', 'mpegts', 'pipe:1']);
}

function colourOf(jpeg: Buffer): string {
  const args = ['-v', 'error', '-i', 'pipe:0', '-vf', 'scale=1:1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'];
  const [red, , blue] = execFileSync('ffmpeg', args, { input: jpeg });
  return red! > blue! ? 'red' : 'blue';
}

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
  writeFileSync(
    join(folder, pictureName({ atSeconds, isOfEvent, isCoded: false })),
    Buffer.concat([Buffer.from('picture'), end]),
  );
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
  await reader.sweepPictures(dir, now * 1000);
  const all = await readPictures(dir, LIVESTREAM_ID, { fromSeconds: old, toSeconds: now, most: 10 });
  assert.deepEqual(
    all.map(({ atSeconds }) => atSeconds),
    [young],
  );
});
