/** Logo and text on air: what viewers see, from which picture on, and that nothing else notices. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { POSITIONS, type Position } from '../../../domain/shapes/broadcasts/livestream.ts';
import type { PictureSpec, TextSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { longestStep, makeCountedClip, numbersIn, timesIn } from '../../helpers/counted.ts';
import { change, type Answer } from './changing.ts';
import { folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';
import { rendered } from './viewing.ts';
import { broadcast, makeLogo, screens, sequence, type Screen } from './screen.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 800, QUICK.rendition)], startTimeoutSeconds: 30 };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const CLIP = 900;
const RED: [number, number, number] = [255, 0, 0];
/** A logo of 480×240 is 64×32 here, a fifth of the width; three quarters of it can be seen. */
const COLUMNS = { left: 12, middle: 128, right: 246 };
const ROWS = { top: 6, middle: 74, bottom: 142 };
const CORNERS: Record<Position, [number, number]> = {
  Center: [COLUMNS.middle, ROWS.middle],
  Left: [COLUMNS.left, ROWS.middle],
  Right: [COLUMNS.right, ROWS.middle],
  Top: [COLUMNS.middle, ROWS.top],
  Bottom: [COLUMNS.middle, ROWS.bottom],
  'Top-Left': [COLUMNS.left, ROWS.top],
  'Top-Right': [COLUMNS.right, ROWS.top],
  'Bottom-Left': [COLUMNS.left, ROWS.bottom],
  'Bottom-Right': [COLUMNS.right, ROWS.bottom],
};
const TEXT: TextSpec = { text: 'LIVE %C', position: 'Bottom', size: 108, color: '#ffffff' };

function show(runner: TestRunner, picture: Partial<PictureSpec>): Promise<Answer> {
  return change(runner, { type: 'picture', picture });
}

/** The position of the red logo, where one is. */
function logoOn(screen: Screen): Position | undefined {
  return POSITIONS.find((position) => {
    const [left, top] = CORNERS[position];
    return screen.colour(left + 4, top + 4, 36, 24)[2] > 190;
  });
}

/** White letters below the numbers of the counted clip, between the corners. */
function hasText(screen: Screen): boolean {
  return screen.brightest(90, 140, 140, 36) > 200;
}

/** A logo in the middle row hides what is counted. */
function coversNumbers(position: Position | undefined): boolean {
  return position !== undefined && CORNERS[position][1] === ROWS.middle;
}

async function pictures(dir: string, more: number): Promise<void> {
  const from = rendered(dir).length;
  await until(`${more} more segments`, () => rendered(dir).length >= from + more);
}

test('logo and text are each in their place, and no picture is lost but those that the report counts', async (t) => {
  const dir = folder(t);
  const logo = { filename: 'red.png', path: makeLogo(join(dir, 'red.png'), 480, 240, RED) };
  const clip = makeCountedClip(join(dir, 'counted.mp4'), CLIP);
  const runner = startRunner(t, dir, runSpec('picture', fileSource(clip), HLS, SMALL));
  await running(runner);
  await pictures(dir, 1);
  const processes = runner.children();
  for (const position of POSITIONS) {
    const { status, detail, report } = await show(runner, { logo: { ...logo, position } });
    assert.equal(status, 200, detail);
    assert.deepEqual(report.runtime.logo, { filename: 'red.png', position });
  }
  assert.equal((await show(runner, { logo: null })).status, 200);
  const shown = await show(runner, { text: TEXT });
  assert.equal(shown.status, 200, shown.detail);
  assert.equal(shown.report.runtime.text, TEXT.text);
  const still = await show(runner, { text: { ...TEXT, text: 'STILL' } });
  await pictures(dir, 2);
  const hidden = await show(runner, { text: null });
  assert.deepEqual([still.status, hidden.status, hidden.report.runtime.text], [200, 200, null]);
  assert.equal((await show(runner, { text: null, logo: null })).status, 200, 'what is not there can be taken away');
  await pictures(dir, 2);

  assert.deepEqual(runner.children(), processes, 'neither ingest nor encoder was touched');
  const seen = broadcast(dir);
  const all = screens(seen);
  assert.deepEqual(sequence(all.map(logoOn)), [undefined, ...POSITIONS, undefined]);
  assert.deepEqual(sequence(all.map(hasText)), [false, true, false]);
  assert.ok(longestStep(timesIn(seen)) < 1.5 / 30, 'no gap between two pictures');
  const numbers = numbersIn(seen).map((n, at) => (coversNumbers(logoOn(all[at]!)) ? undefined : n));
  const readable = numbers.flatMap((n, at) => (n === undefined ? [] : [{ n, at }]));
  const skipped = readable.slice(1).filter(({ n, at }, i) => n - readable[i]!.n > at - readable[i]!.at);
  assert.ok(readable.length > 0.3 * all.length);
  const { dropped } = (await runner.report()).encodings[0]!;
  assert.ok(skipped.length <= dropped, `${JSON.stringify(skipped)}, of which ${dropped} are counted`);
  const messages = runner.events().filter(({ kind }) => kind === 'runtime_changed');
  assert.ok(messages.every(({ severity }) => severity === 'info'));
  assert.match(messages.at(0)!.message, /The logo "red\.png" is shown, position Center\./u);
  assert.equal(
    messages.at(-1)!.message,
    'No logo is shown. No text is shown. It was so before.',
    'which part was meant',
  );
});

test('an overlay that cannot be shown changes nothing, and the refusal says why', async (t) => {
  const dir = folder(t);
  const clip = makeCountedClip(join(dir, 'counted.mp4'), 300);
  const good = { filename: 'red.png', path: makeLogo(join(dir, 'red.png'), 480, 240, RED) };
  const text = join(dir, 'list.png');
  writeFileSync(text, '#EXTM3U\nfile:///etc/passwd\n');
  const cut = join(dir, 'cut.png');
  writeFileSync(cut, readFileSync(good.path).subarray(0, 40));
  const runner = startRunner(t, dir, runSpec('refused', fileSource(clip), HLS, SMALL));
  await running(runner);
  assert.equal((await show(runner, { logo: { ...good, position: 'Top' } })).status, 200);
  const cases: [Partial<PictureSpec>, RegExp][] = [
    [
      { logo: { filename: 'gone.png', path: join(dir, 'gone.png'), position: 'Left' } },
      /"gone\.png" cannot be read.*ENOENT/u,
    ],
    [{ logo: { filename: 'list.png', path: text, position: 'Left' } }, /"list\.png" is neither a PNG nor a JPEG/u],
    [{ logo: { filename: 'cut.png', path: cut, position: 'Left' } }, /"cut\.png" cannot be decoded/u],
    [
      { blackout: { mode: 'File', file: { filename: 'no.mp4', path: join(dir, 'no.mp4') }, keepAudio: false } },
      /"no\.mp4" is not on/u,
    ],
    [
      { blackout: { mode: 'File', file: { filename: 'cut.png', path: cut }, keepAudio: false } },
      /"cut\.png" cannot be played/u,
    ],
  ];
  for (const [picture, words] of cases) {
    const { status, code, detail } = await show(runner, picture);
    assert.deepEqual([status, code], [422, 'rule_violated'], detail);
    assert.match(detail!, words);
    assert.ok(!detail!.includes(dir), `no path of the Device: ${detail}`);
  }
  const { detail, upstream } = await show(runner, { logo: { filename: 'cut.png', path: cut, position: 'Left' } });
  assert.equal(
    detail,
    'The logo "cut.png" cannot be decoded; the file is damaged. Upload it again, or choose another.',
    'no word of ffmpeg',
  );
  assert.match(upstream ?? '', /\S/u, 'they are under upstream');
  assert.ok(!upstream!.includes(dir), upstream);
  const { runtime } = await runner.report();
  assert.deepEqual(runtime.logo, { filename: 'red.png', position: 'Top' });
  assert.equal(runtime.blackout, 'Live');
  await pictures(dir, 3);
  assert.equal(logoOn(screens(rendered(dir).at(-1)!).at(-1)!), 'Top');
  assert.equal(runner.children().length, 2);
});

test('a logo that is broken at the start does not keep the run off air', async (t) => {
  const dir = folder(t);
  const clip = makeCountedClip(join(dir, 'counted.mp4'), 300);
  const picture: PictureSpec = {
    logo: { filename: 'gone.png', path: join(dir, 'gone.png'), position: 'Top' },
    text: TEXT,
    blackout: { mode: 'Live', file: null, keepAudio: false },
  };
  const runner = startRunner(t, dir, runSpec('broken', fileSource(clip), HLS, { ...SMALL, picture }));
  const { runtime } = await running(runner);
  assert.deepEqual([runtime.logo, runtime.text], [null, TEXT.text]);
  const messages = runner.events().find(({ kind }) => kind === 'runtime_changed');
  assert.equal(messages?.severity, 'warning');
  assert.match(messages!.message, /"gone\.png" cannot be read on this Device \(ENOENT\)\. The stream runs without\./u);
  await pictures(dir, 2);
  assert.ok(hasText(screens(rendered(dir).at(-1)!).at(-1)!));
  assert.equal((await show(runner, { text: { ...TEXT, text: 'A\u{11f04}' } })).status, 200);
  assert.ok(runner.events().some(({ message }) => message.startsWith('Viewers see boxes in place of \u{11f04} in')));
  assert.equal((await show(runner, { text: null })).status, 200);
});
