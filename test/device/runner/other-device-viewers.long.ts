/** Players of an origin go on when a run on another Device fills it: the former one has gone without a word, as a Device does that is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListsSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { letPass } from '../../helpers/pass.ts';
import { players } from '../../helpers/players.ts';
import { until } from '../../helpers/until.ts';
import { loggingOrigin } from './push-origins.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const [FORMER, NEXT] = ['f0f0f0f0', 'e1e1e1e1'];

const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
window.look = () => ({ time: video.currentTime, pictures: video.getVideoPlaybackQuality().totalVideoFrames, errors });
window.watch = async (player, url) => {
  if (player === 'hls.js') {
    const hls = new Hls();
    hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.details));
    hls.loadSource(url);
    hls.attachMedia(video);
  } else if (player === 'dash.js') {
    // It begins by itself, and takes a video that was begun before it for a paused one: it reads no newer manifest then.
    const dash = dashjs.MediaPlayer().create();
    dash.on('error', ({ error }) => errors.push(JSON.stringify(error)));
    return dash.initialize(video, url, true);
  } else {
    shaka.polyfill.installAll();
    const shakaPlayer = new shaka.Player();
    shakaPlayer.addEventListener('error', ({ detail }) => errors.push('shaka ' + detail.code));
    await shakaPlayer.attach(video);
    await shakaPlayer.load(url).catch((error) => errors.push('shaka ' + error.code));
  }
  video.play().catch(() => undefined);
};
`;

interface Seen {
  time: number;
  pictures: number;
  errors: string[];
}

const WAYS = [
  ['hls.js', 'HLS / TS', 'index.m3u8', 2],
  ['hls.js', 'CMAF', 'index.m3u8', 2],
  ['shaka', 'HLS / TS', 'index.m3u8', 2],
  ['shaka', 'CMAF', 'index.m3u8', 2],
  ['shaka', 'CMAF', 'manifest.mpd', 2],
  // It gets no further once it has played all that it had before the next Period came.
  ['dash.js', 'DASH', 'manifest.mpd', 6],
] as const;

for (const [player, type, path, seconds] of WAYS)
  test(`${player} goes on with ${path} of ${type} that another Device fills`, async (t) => {
    const origin = await loggingOrigin(t);
    const address = `http://127.0.0.1:${origin.port}/show/`;
    const since = Date.now();
    const begin = async (runId: string, lists: ListsSpec): Promise<TestRunner> => {
      const dir = folder(t);
      const outputs = [output(21, type, { url: address, segment_duration: seconds })];
      const renditions = [rendition(11, 320, 180, 300)];
      const spec = runSpec(`${runId}-run`, fileSource(clip(dir)), outputs, { renditions });
      const runner = startRunner(t, dir, { ...spec, lists });
      await running(runner);
      return runner;
    };
    const former = await begin(FORMER, { since: new Date(since).toISOString(), firstNumber: 0 });
    const page = await (await players(t, SCRIPT))();
    await page.evaluate(`void window.watch('${player}', '${address}${path}')`);
    const look = async (): Promise<Seen> => {
      const seen = (await page.evaluate('window.look()')) as Seen;
      assert.deepEqual(seen.errors, []);
      return seen;
    };
    await until('it plays', async () => (await look()).pictures > 450, { everyMs: 250 });
    process.kill(former.pid, 'SIGKILL');
    await former.exited;
    const killedAt = Date.now();
    await letPass(8500);
    const firstNumber = 2 * Math.ceil((Date.now() - since) / 1000 + 60);
    await begin(NEXT, { since: new Date(since).toISOString(), firstNumber });
    await until('it asks for the next run', () =>
      origin.log.some((line) => line.startsWith('GET') && line.includes(NEXT)),
    );
    const askedAt = Date.now();
    const { pictures } = await look();
    await until('it plays on', async () => (await look()).pictures > pictures + 300, {
      everyMs: 250,
      boundMs: 60_000,
    });
    t.diagnostic(
      `asked for ${askedAt - killedAt} ms after the kill, 300 pictures more ${Date.now() - askedAt} ms later`,
    );
  });
