/** A blackout takes the programme's place, with and without its sound, and the way back. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BlackoutSpec, PictureSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { longestStep, makeCountedClip, numbersIn, timesIn } from '../../helpers/counted.ts';
import { change } from './changing.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';
import { rendered } from './viewing.ts';
import { broadcast, loudest, makeLogo, screens, type Colour, type Screen } from './screen.ts';
import { wordsOf } from '../../helpers/words.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 800, QUICK.rendition)], startTimeoutSeconds: 30 };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const CLIP = 1500;
/** The level of a beep at full level after AAC is far above, the noise of silence far below. */
const AUDIBLE_DB = -30;
const LIVE: BlackoutSpec = { mode: 'Live', file: null, keepAudio: false };

function blackout(runner: TestRunner, what: BlackoutSpec): ReturnType<typeof change> {
  return change(runner, { type: 'picture', picture: { blackout: what } });
}

function isNear(actual: Colour, expected: Colour, tolerance = 6): boolean {
  return actual.every((value, i) => Math.abs(value - expected[i]!) <= tolerance);
}

function isBlack(screen: Screen): boolean {
  return isNear(screen.colour(0, 0, 320, 180), [16, 128, 128], 2);
}

/** A second of what is on air, behind the last change: there is a beep in each. */
async function phase(dir: string): Promise<string> {
  // A change is heard of when the compositor has it; the encoder still holds pictures of before, on a busy machine more than a segment.
  const from = rendered(dir).length + 3;
  await until('its segments', () => rendered(dir).length >= from + 3);
  return broadcast(dir, from, from + 3);
}

/** Green, with a loud tone of its own. */
function greenFile(path: string, seconds: number): string {
  const inputs = wordsOf('-f lavfi -i color=c=0x00ff00:s=320x180:r=30 -f lavfi -i sine=2000:r=48000,volume=4');
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, '-t', String(seconds), ...codecs, path], { timeout: 90_000 });
  return path;
}

test('a blackout shows black and silence, black with sound, or a file, and the programme again without a delay', async (t) => {
  const dir = folder(t);
  const source = makeCountedClip(join(dir, 'counted.mp4'), CLIP);
  // Shorter than it is shown: it is played in a loop.
  const file = { filename: 'green.mp4', path: greenFile(join(dir, 'green.mp4'), 1.5) };
  const runner = startRunner(t, dir, runSpec('blackout', fileSource(source), HLS, SMALL));
  await running(runner);
  await until('a segment', () => rendered(dir).length >= 1);
  const processes = runner.children();
  const switchTo = async (what: BlackoutSpec): Promise<string> => {
    const { status, detail, report } = await blackout(runner, what);
    assert.equal(status, 200, detail);
    assert.equal(report.runtime.blackout, what.mode);
    return phase(dir);
  };

  const silent = await switchTo({ mode: 'Black Frame', file: null, keepAudio: false });
  assert.ok(screens(silent).every(isBlack));
  assert.ok(loudest(silent) < -70, `silence, not ${loudest(silent)} dB`);
  const audible = await switchTo({ mode: 'Black Frame', file: null, keepAudio: true });
  assert.ok(screens(audible).every(isBlack));
  assert.ok(loudest(audible) > AUDIBLE_DB, `the programme, not ${loudest(audible)} dB`);
  assert.deepEqual(runner.children(), processes);

  const shown = await switchTo({ mode: 'File', file, keepAudio: false });
  const green: Colour = [173, 42, 26];
  assert.ok(screens(shown).every((screen) => isNear(screen.colour(0, 0, 320, 180), green, 8)));
  const tone = frequencyOf(shown);
  assert.ok(Math.abs(tone - 2000) < 100, `the file's own tone, not ${tone} Hz`);
  const mixed = await switchTo({ mode: 'File', file, keepAudio: true });
  assert.ok(screens(mixed).every((screen) => isNear(screen.colour(0, 0, 320, 180), green, 8)));
  assert.ok(Math.abs(frequencyOf(mixed) - 2000) > 500, 'not the file’s tone');
  assert.ok(loudest(mixed) > AUDIBLE_DB, 'but the programme’s');

  await switchTo(LIVE);
  await until('the file’s process is gone', () => runner.children().length === processes.length);
  assert.deepEqual(runner.children(), processes, 'the ingest and the encoder of before');
  const seen = broadcast(dir);
  assert.ok(longestStep(timesIn(seen)) < 1.5 / 30, 'no gap between two pictures');
  const numbers = numbersIn(seen);
  const from = numbers.findIndex((n, at) => n !== undefined && numbers[at + 1] === undefined);
  const to = numbers.findIndex((n, at) => at > from + 30 && n !== undefined && numbers[at + 1] !== undefined);
  // The source went on below: as many pictures later, as many numbers further. A held picture makes it fewer, a lost one more.
  const [pictures, further] = [to - from, numbers[to]! - numbers[from]!];
  t.diagnostic(`${pictures} pictures without the programme, which was ${further} further`);
  assert.ok(further <= pictures && further > pictures - 10);
});

/** Counts the crossings of zero in one second of sound. */
function frequencyOf(input: string): number {
  const args = ['-v', 'error', '-i', input, '-map', '0:a:0', '-ss', '0.3', '-t', '1', '-ac', '1', '-ar', '48000'];
  const sound = execFileSync('ffmpeg', [...args, '-f', 's16le', '-'], { maxBuffer: 1 << 26 });
  let crossings = 0;
  for (let at = 2; at < sound.length - 1; at += 2)
    if (sound.readInt16LE(at - 2) < 0 && sound.readInt16LE(at) >= 0) crossings += 1;
  return crossings / (sound.length / 2 / 48_000);
}

test('a blackout that the run begins with lets nothing through, and logo and text lie over a file alone', async (t) => {
  const dir = folder(t);
  const source = makeCountedClip(join(dir, 'counted.mp4'), CLIP);
  const logo = {
    filename: 'red.png',
    path: makeLogo(join(dir, 'red.png'), 480, 240, [255, 0, 0]),
    position: 'Top' as const,
  };
  const file = { filename: 'green.mp4', path: greenFile(join(dir, 'green.mp4'), 3) };
  const picture: PictureSpec = {
    logo,
    text: { text: 'SOON', position: 'Bottom', size: 108, color: '#ffffff' },
    blackout: { mode: 'Black Frame', file: null, keepAudio: false },
  };
  const first = startRunner(t, dir, runSpec('begins', fileSource(source), HLS, { ...SMALL, picture }));
  await running(first);
  await until('two segments', () => rendered(dir).length >= 2);
  assert.ok(screens(broadcast(dir)).every(isBlack), 'black from the first picture on, without logo and text');

  const { status, detail } = await blackout(first, { mode: 'File', file, keepAudio: false });
  assert.equal(status, 200, detail);
  const shown = screens(await phase(dir));
  const [logos, texts] = [
    shown.map((screen) => Math.round(screen.colour(132, 10, 36, 24)[2])),
    shown.map((screen) => screen.brightest(90, 140, 140, 36)),
  ];
  assert.ok(logos.length > 30 && logos.every((cr) => cr > 190), `red in each picture: ${logos.join()}`);
  assert.ok(
    texts.every((light) => light > 200),
    `white in each picture: ${texts.join()}`,
  );

  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  await until('no child is left', () => first.left().length === 0);
  const before = rendered(dir).length;
  const second = startRunner(t, dir, {
    ...runSpec('begins', fileSource(source), HLS, SMALL),
    picture: { ...picture, blackout: { mode: 'File', file, keepAudio: false } },
  });
  assert.equal((await running(second)).runtime.blackout, 'File');
  await until('two seconds more', () => rendered(dir).length >= before + 4);
  const after = screens(broadcast(dir, before));
  const field = after.map((screen) => screen.colour(0, 60, 320, 60));
  assert.ok(
    field.every((colour) => isNear(colour, [16, 128, 128], 2) || isNear(colour, [173, 42, 26], 8)),
    'black, then the file',
  );
  assert.ok(isNear(field.at(-1)!, [173, 42, 26], 8));
});

test('a run with sound only is silenced by a blackout, and has no logo', async (t) => {
  const dir = folder(t);
  const source = clip(dir, { video: false });
  const renditions = [{ ...rendition(11, 320, 180, 800), video: null }];
  const runner = startRunner(t, dir, runSpec('sound', fileSource(source), HLS, { ...SMALL, renditions }));
  await running(runner);
  const text = { text: 'x', position: 'Top', size: 36, color: '#ffffff' } as const;
  const refused = await change(runner, { type: 'picture', picture: { text } });
  assert.deepEqual([refused.status, refused.code], [422, 'rule_violated']);
  assert.match(refused.detail!, /sound only, so a text cannot be shown/u);
  assert.ok(loudest(await phase(dir)) > AUDIBLE_DB);
  assert.equal((await blackout(runner, { mode: 'Black Frame', file: null, keepAudio: false })).status, 200);
  assert.ok(loudest(await phase(dir)) < -70);
  assert.equal((await blackout(runner, LIVE)).status, 200);
  assert.ok(loudest(await phase(dir)) > AUDIBLE_DB);
});
