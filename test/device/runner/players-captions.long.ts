/** Captions of a broadcast that is on air, in players: the same text in each of them as ffmpeg reads in the pictures, with its picture, on and off. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import { readCaptions } from '../../helpers/captioned.ts';
import { trackViewers, type ShownCaptions, type ShownCue } from '../../helpers/track-viewer.ts';
import { until } from '../../helpers/until.ts';
import { flashes, hls, joined, made, SECONDS, TEXTS } from './captioned-run.ts';
import { CMAF, DASH, TS, WAYS } from './player-ways.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const MAX_OFF_SECONDS = 0.5;
const WANTED = 3;

interface Timed {
  text: string;
  from: number;
}

/** The captions, each of them once, whatever segments it is in; without the first, whose beginning may be missing. */
function whole(cues: readonly ShownCue[]): Timed[] {
  const ordered = [...cues].sort((a, b) => a.from - b.from);
  const begun = ordered.filter(
    ({ text, from }, i) => !ordered.some((one, at) => at < i && one.text === text && from - one.to < 0.1),
  );
  return begun.slice(1);
}

function assertTurns(cues: readonly Timed[], what: string): void {
  cues.forEach(({ text }, i) => {
    assert.ok(TEXTS.includes(text), `${what}: ${text}`);
    const before = cues[i - 1];
    if (before !== undefined) assert.equal(text, TEXTS[(TEXTS.indexOf(before.text) + 1) % TEXTS.length], what);
  });
}

/** How far each caption is from the picture that becomes white with it, in seconds. */
function offsets(cues: readonly Timed[], white: readonly number[], what: string): number[] {
  return cues.map(({ text, from }) => {
    const off = white.map((at) => from - at).reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a), Infinity);
    assert.ok(Math.abs(off) <= MAX_OFF_SECONDS, `${what}: ${text} at ${from} s is ${off} s from its picture`);
    return off;
  });
}

/** Those around which a busy browser has looked at all pictures. */
function seen(cues: readonly Timed[], { gaps, last }: ShownCaptions): Timed[] {
  const isWithin = (from: number, [begin, end]: [number, number]): boolean =>
    begin < from + MAX_OFF_SECONDS && end > from - MAX_OFF_SECONDS;
  return cues.filter(({ from }) => from + MAX_OFF_SECONDS < last && !gaps.some((gap) => isWithin(from, gap)));
}

const inMs = (seconds: readonly number[]): string => seconds.map((off) => Math.round(off * 1000)).join(', ');

test('captions on air have the same text in hls.js and shaka-player as in the pictures, with their pictures, and can be turned off and on', async (t) => {
  const dir = folder(t);
  const from = await made(dir, { codec: 'libx264', rate: '25' });
  const spec = runSpec(
    'players',
    { ...from, settings: { ...from.settings, loop: true } },
    [hls(), hls(CMAF, 'CMAF'), hls(DASH, 'DASH')],
    { renditions: [rendition(11, 320, 180, 400)] },
  );
  const runner = startRunner(t, dir, spec);
  await running(runner);
  const master = join(liveDir(dir, LIVESTREAM_ID, TS), 'index.m3u8');
  await until('text beside the pictures', () => readFileSync(master, 'utf8').includes('TYPE=SUBTITLES'));
  const base = `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}`;
  const open = await trackViewers(t);
  for (const [player, path] of WAYS) {
    const what = `${player} ${path}`;
    const viewer = await open(player, `${base}/${path}`);
    const texts = await until(`${what} lists text`, async () => {
      const list = await viewer.texts();
      return list.some(({ isInPicture }) => !isInPicture) && list;
    });
    t.diagnostic(`${what}: ${JSON.stringify(texts)}`);
    const play = async (seconds: number): Promise<void> => {
      const { time: begun } = await viewer.look();
      await until(`${what} plays ${seconds} s`, async () => {
        const { time, errors } = await viewer.look();
        assert.deepEqual(errors, [], what);
        return time > begun + seconds;
      });
    };
    const on = async (): Promise<number[]> => {
      await viewer.show(true);
      return until(`${what} shows ${WANTED} captions`, async () => {
        const captions = await viewer.captions();
        const cues = whole(captions.cues);
        assertTurns(cues, what);
        const offs = offsets(seen(cues, captions), captions.flashes, what);
        return offs.length >= WANTED && offs;
      });
    };
    const shown = await on();
    await viewer.show(false);
    await play(SECONDS);
    assert.deepEqual((await viewer.captions()).cues, [], `${what}: text is off`);
    const again = await on();
    t.diagnostic(`${what}: cues less pictures ${inMs(shown)}; off; ${inMs(again)} ms`);
    await viewer.close();
  }
  await runner.stop();
  assert.equal(await runner.exited, 0);
  for (const [id, track] of [
    [TS, '11'],
    [CMAF, '256'],
    [DASH, '256'],
  ] as const) {
    const path = joined(dir, id, track, join(dir, `video-${id}.${id === TS ? 'ts' : 'mp4'}`));
    const read = (await readCaptions(path)).map(({ text, seconds }) => ({ text, from: seconds }));
    const white = await flashes(path);
    assertTurns(read, `ffmpeg ${id}`);
    // The last ones may be in pictures that did not come any more.
    const counted = read.filter(
      ({ from: at }) => at > white[0]! - MAX_OFF_SECONDS && at < white.at(-1)! + MAX_OFF_SECONDS,
    );
    const offs = offsets(counted, white, `ffmpeg ${id}`);
    t.diagnostic(`ffmpeg ${id}: captions less pictures ${inMs(offs)} ms`);
    assert.ok(offs.length >= WANTED);
  }
});
