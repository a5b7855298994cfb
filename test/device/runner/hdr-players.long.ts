/** hls.js and shaka-player choose between HDR and SDR of one broadcast by what playlist and manifest say of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { players } from '../../helpers/players.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const CMAF = 24;
const WAITING = { everyMs: 500, boundMs: 120_000 };

/** `light` is what a viewer prefers; left out: the display decides, and that of the browser is SDR. */
const SCRIPT = `
const video = document.querySelector('video');
window.errors = [];
window.watch = async (player, url, light) => {
  if (player === 'hls.js') {
    const hls = new Hls(light ? { videoPreference: { preferHDR: light === 'PQ' } } : {});
    hls.on(Hls.Events.ERROR, (_, { fatal, details }) => fatal && window.errors.push(details));
    window.look = () => ({
      listed: hls.levels.map(({ videoRange }) => videoRange),
      chosen: hls.levels[hls.currentLevel]?.videoRange,
    });
    hls.loadSource(url);
    hls.attachMedia(video);
  } else {
    shaka.polyfill.installAll();
    const shown = new shaka.Player();
    shown.addEventListener('error', ({ detail }) => window.errors.push(detail.code));
    if (light) shown.configure({ preferredVideo: [{ hdrLevel: light }] });
    await shown.attach(video);
    await shown.load(url);
    window.look = () => ({
      listed: shown.getVariantTracks().map(({ hdr }) => hdr),
      chosen: shown.getVariantTracks().find(({ active }) => active)?.hdr,
    });
  }
  video.play().catch(() => undefined);
};
window.at = () => video.currentTime;
`;

test('players show SDR on a display of SDR and PQ to those who ask for it, by HLS and by DASH', async (t) => {
  const dir = folder(t);
  const vp9 = { codec: 'vp9', preset: 'ultrafast', fps: 10 } as const;
  const renditions = [rendition(11, 160, 90, 200, { ...vp9, hdr_mode: 'hdr10' }), rendition(12, 160, 90, 200, vp9)];
  const spec = runSpec('lights', fileSource(clip(dir)), [output(CMAF, 'CMAF', { segment_duration: 2 })], {
    renditions,
    startTimeoutSeconds: 240,
  });
  const runner = startRunner(t, dir, spec);
  await running(runner);
  await until('it is up', async () => (await runner.report()).publishings[0]?.primary?.state === 'up');
  const base = `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}/${CMAF}`;
  const open = await players(t, SCRIPT);
  for (const [player, file] of [
    ['hls.js', 'index.m3u8'],
    ['shaka', 'index.m3u8'],
    ['shaka', 'manifest.mpd'],
  ] as const)
    for (const [light, chosen] of [
      [undefined, 'SDR'],
      ['PQ', 'PQ'],
    ] as const) {
      const what = `${player}, ${file}, ${light ?? 'as the display is'}`;
      const page = await open();
      await page.evaluate(`window.watch('${player}', '${base}/${file}', ${light === undefined ? '' : `'${light}'`})`);
      const look = async (): Promise<{ listed: string[]; chosen?: string | null; errors: string[]; at: number }> =>
        page.evaluate('({ ...window.look?.(), errors: window.errors, at: window.at() })');
      const seen = await until(
        `${what}: it plays`,
        async () => {
          const now = await look();
          assert.deepEqual(now.errors, [], what);
          return now.at > 4 && now;
        },
        WAITING,
      );
      t.diagnostic(`${what}: ${JSON.stringify(seen)}`);
      // DASH has a word for light that is not SDR alone.
      assert.equal(seen.chosen ?? 'SDR', chosen, `${what}: ${JSON.stringify(seen)}`);
      await page.close();
    }
});
