/** Viewers choose a language: hls.js over HLS / TS and CMAF, shaka-player over the MPD, by what is heard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { inTime } from '../../helpers/attempts.ts';
import { soundViewer } from '../../helpers/sound-viewer.ts';
import { makeTracksClip, TRACKS } from '../../helpers/tracks.ts';
import { until } from '../../helpers/until.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const [TS, CMAF] = [21, 31];
const PITCHES = TRACKS.map(({ pitch }) => pitch);

test(
  'two languages are chosen in hls.js and shaka-player, and heard',
  { timeout: 400_000 },
  inTime(async (t) => {
    const dir = folder(t);
    const clip = makeTracksClip(join(dir, 'tracks.mp4'), 900);
    const audio = [
      { track: 0, language: 'en', name: null, default: true },
      { track: 1, language: 'de', name: 'Deutsch', default: false },
    ];
    const outputs = [output(TS, 'HLS / TS', { playlist_length: 20 }), output(CMAF, 'CMAF', { playlist_length: 20 })];
    const renditions = [rendition(11, 320, 180, 300)];
    const runner = startRunner(t, dir, runSpec('players', fileSource(clip), outputs, { audio, renditions }));
    await running(runner);
    const url = await serveLive(t, dir);
    const watch = await soundViewer(t);
    for (const [how, path] of [
      ['watchHls', `${TS}/index.m3u8`],
      ['watchHls', `${CMAF}/index.m3u8`],
      ['watchDash', `${CMAF}/manifest.mpd`],
    ] as const) {
      await until('a playlist', async () => (await fetch(`${url}/live/7/${path}`)).ok, 15_000);
      const viewer = await watch(how, `${url}/live/7/${path}`);
      await until('the languages', async () => (await viewer.look()).offered.length === 2, 15_000);
      assert.deepEqual((await viewer.look()).offered.sort(), ['de Deutsch', 'en English']);
      for (const [language, own, other] of [
        ['en', 0, 1],
        ['de', 1, 0],
        ['en', 0, 1],
      ] as const) {
        if (language === 'de' || (await viewer.look()).time > 0) await viewer.choose(language);
        const isHeard = async (): Promise<boolean> => {
          const levels = await viewer.hear(PITCHES);
          return levels[own]! > -50 && levels[own]! > levels[other]! + 20;
        };
        await until(`${language} in ${path}`, isHeard, 30_000);
      }
      assert.deepEqual((await viewer.look()).errors, []);
    }
    await runner.stop();
  }),
);
