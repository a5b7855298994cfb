/** Who watches, counted with real players: hls.js, shaka and dash.js in Chromium on a page of another origin, and ffmpeg. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { playerBrowser, type PlayerBrowser } from '../helpers/players.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** A browser on a busy machine takes its time; looks lie apart so that a picture would have come between two of them. */
const WAITING = { everyMs: 500, boundMs: 120_000 };

const SCRIPT = `
const video = document.querySelector('video');
window.seconds = () => video.currentTime;
window.watch = (player, url, says) => {
  if (player === 'hls.js') {
    const hls = new Hls(says ? { cmcd: {} } : {});
    hls.loadSource(url);
    hls.attachMedia(video);
    video.play().catch(() => undefined);
  } else if (player === 'dash.js') {
    const dash = dashjs.MediaPlayer().create();
    dash.updateSettings({ streaming: { cmcd: { enabled: says } } });
    dash.initialize(video, url, true);
  } else {
    shaka.polyfill.installAll();
    const player = new shaka.Player();
    player.configure({ cmcd: { enabled: says } });
    player.attach(video).then(() => player.load(url)).then(() => video.play());
  }
};
`;

describe('who watches, by real players', () => {
  let service: Service;
  let show: SmallBroadcast;
  let browser: PlayerBrowser;
  let cmaf: string;

  before(async () => {
    service = await startService();
    show = await smallBroadcast(service, [{ name: 'cmaf', type: 'CMAF', settings: { segment_duration: 2 } }]);
    await goOnAir(service, show.livestreamId);
    const { rows } = (await service.rest('GET', '/publishings?search=cmaf')).body;
    cmaf = `${service.url}/live/${show.livestreamId}/${rows[0].id}`;
    browser = await playerBrowser(SCRIPT);
  });
  after(async () => {
    await browser.close();
    await service.dispose();
  });

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- an answer with many lists
  const audience = async (): Promise<any> =>
    (await service.rest('GET', `/livestreams/${show.livestreamId}/audience`)).body.data;
  const isAt = (now: number): Promise<unknown> =>
    until(`${now} viewers`, async () => (await audience()).now === now, WAITING);
  async function watch(player: string, url: string, says = true): Promise<Page> {
    const page = await browser.open();
    await page.evaluate(`window.watch(${JSON.stringify(player)}, ${JSON.stringify(url)}, ${says})`);
    await until(`${player} plays`, async () => ((await page.evaluate('window.seconds()')) as number) > 2, WAITING);
    return page;
  }

  it('players with CMCD are each one viewer, several of one address without it are one, ffmpeg is one, and nobody is once they have left', async (t) => {
    const urls = { 'hls.js': `${cmaf}/index.m3u8`, shaka: `${cmaf}/manifest.mpd`, 'dash.js': `${cmaf}/manifest.mpd` };
    const pages: Page[] = [];
    for (const [player, url] of Object.entries(urls)) pages.push(await watch(player, url), await watch(player, url));
    await isAt(6);
    pages.push(await watch('hls.js', urls['hls.js'], false), await watch('hls.js', urls['hls.js'], false));
    await isAt(7);
    const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-re', '-i', urls['hls.js'], '-f', 'null', '-'], {
      stdio: 'ignore',
    });
    cleanUp(t, () => ffmpeg.kill('SIGKILL'));
    await isAt(8);
    const { told_apart_by: by, players, quality } = await audience();
    t.diagnostic(JSON.stringify({ by, players, quality }));
    assert.deepEqual(by, { session: 6, token: 0, address: 2 });
    assert.deepEqual(players.map(({ player }: { player: string }) => player).sort(), ['Chrome', 'ffmpeg']);
    assert.equal(quality.sessions, 6);
    assert.ok(quality.start_seconds > 0);
    ffmpeg.kill('SIGKILL');
    for (const page of pages) await page.close();
    await isAt(0);
    assert.equal((await audience()).peak, 8);
  });

  it('a stall made by a throttled line is in the numbers', async (t) => {
    for (const [player, url] of [
      ['hls.js', `${cmaf}/index.m3u8`],
      ['dash.js', `${cmaf}/manifest.mpd`],
    ] as const) {
      const before = (await audience()).quality.stalls;
      const page = await watch(player, url);
      const line = await page.context().newCDPSession(page);
      await line.send('Network.enable');
      const throttle = (downloadThroughput: number): Promise<unknown> =>
        line.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 0,
          downloadThroughput,
          uploadThroughput: -1,
        });
      await throttle(1500);
      const at = async (): Promise<number> => (await page.evaluate('window.seconds()')) as number;
      let last = -1;
      await until(
        `${player} stands still`,
        async () => {
          const now = await at();
          const isStill = now === last;
          last = now;
          return isStill;
        },
        WAITING,
      );
      await throttle(-1);
      await until(`${player} goes on`, async () => (await at()) > last + 1, WAITING);
      const { quality } = await until(
        'the stall is told',
        async () => {
          const now = await audience();
          return now.quality.stalls > before && now;
        },
        WAITING,
      );
      t.diagnostic(`${player}: ${JSON.stringify(quality)}`);
      assert.ok(quality.stalled_percent > 0);
      await page.close();
    }
  });
});
