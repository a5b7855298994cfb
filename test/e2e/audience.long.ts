/** Who watches, counted with real players: hls.js, shaka and dash.js in Chromium on a page of another origin, and ffmpeg. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { goOnAir, mediaPlaylist, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { playerBrowser, type PlayerBrowser } from '../helpers/players.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** A browser on a busy machine takes its time; looks lie apart so that a picture would have come between two of them. */
const WAITING = { everyMs: 500, boundMs: 120_000 };

/** Ten seconds from the first segment on, and thirty from the last: they are counted in segments, which a slow machine makes slowly too. */
const SEGMENT_SECONDS = 2;
const [MAX_JOINING, MAX_LEAVING] = [10 / SEGMENT_SECONDS, 30 / SEGMENT_SECONDS];

/** It is tried where a machine has it. */
const VLC = '/usr/bin/cvlc';

/** It plays for nobody who is root. */
function startVlc(home: string, url: string): ChildProcess {
  const words = ['-I', 'dummy', '--vout', 'dummy', '--no-audio', url];
  const [command, args] =
    process.getuid?.() === 0 ? ['setpriv', ['--reuid', '65534', '--clear-groups', VLC, ...words]] : [VLC, words];
  return spawn(command, args, { stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: home } });
}

const SCRIPT = `
const video = document.querySelector('video');
window.seconds = () => video.currentTime;
window.watch = (player, url, says, reports) => {
  const events = { url: reports, events: ['ps', 't'], interval: 2, enabled: true };
  const eventTargets = reports ? [events] : [];
  if (player === 'hls.js') {
    const hls = new Hls(says ? { cmcd: { eventTargets } } : {});
    hls.loadSource(url);
    hls.attachMedia(video);
    video.play().catch(() => undefined);
  } else if (player === 'dash.js') {
    const dash = dashjs.MediaPlayer().create();
    events.enabledKeys = ['e', 'ts', 'sta', 'sid'];
    const version = reports ? 2 : 1;
    dash.updateSettings({ streaming: { cmcd: { enabled: says, version, eventTargets } } });
    dash.initialize(video, url, true);
  } else {
    shaka.polyfill.installAll();
    const player = new shaka.Player();
    Object.assign(events, { mode: 'event', includeKeys: [], useHeaders: false, version: 2 });
    player.configure({ cmcd: { enabled: says, eventTargets } });
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
    show = await smallBroadcast(service, [
      { name: 'cmaf', type: 'CMAF', settings: { segment_duration: SEGMENT_SECONDS } },
    ]);
    await goOnAir(service, show.livestreamId);
    const { rows } = (await service.rest('GET', '/publishings?search=cmaf')).body;
    cmaf = `${service.url}/live/${show.livestreamId}/${rows[0].id}`;
    browser = await playerBrowser(SCRIPT);
  });
  after(async () => {
    await browser.close();
    await service.dispose();
  });

  const audience = async (): Promise<any> =>
    (await service.rest('GET', `/livestreams/${show.livestreamId}/audience`)).body.data;
  const isAt = (now: number): Promise<unknown> =>
    until(`${now} viewers`, async () => (await audience()).now === now, WAITING);
  async function watch(player: string, url: string, says = true, reports = ''): Promise<Page> {
    const page = await browser.open();
    await page.evaluate(`window.watch(${[player, url, says, reports].map((each) => JSON.stringify(each)).join()})`);
    await until(`${player} plays`, async () => ((await page.evaluate('window.seconds()')) as number) > 2, WAITING);
    return page;
  }
  /** Segments that were made so far. */
  async function made(): Promise<number> {
    const { mediaSequence, segments } = await mediaPlaylist(`${cmaf}/index.m3u8`);
    return mediaSequence + segments.length;
  }
  /** The player reports by itself, too (event mode), and is told that its reports are taken. */
  async function watchAndReport(player: string, url: string): Promise<Page> {
    const page = await watch(player, url, true, `${cmaf}/cmcd`);
    const taken = await page.waitForResponse((response) => response.request().method() === 'POST', {
      timeout: 120_000,
    });
    assert.deepEqual([taken.url(), taken.status()], [`${cmaf}/cmcd`, 204], player);
    return page;
  }

  it('players with CMCD are each one viewer, several of one address without it are one, ffmpeg is one, and nobody is once they have left', async (t) => {
    const urls = { 'hls.js': `${cmaf}/index.m3u8`, shaka: `${cmaf}/manifest.mpd`, 'dash.js': `${cmaf}/manifest.mpd` };
    const pages: Page[] = [await browser.open()];
    const firstRequest = pages[0]!.waitForRequest(/\.m4s/u, { timeout: 120_000 });
    await pages[0]!.evaluate(`window.watch('hls.js', '${urls['hls.js']}', true, '')`);
    const joinedAt = await firstRequest.then(made);
    await isAt(1);
    const joining = (await made()) - joinedAt;
    assert.ok(joining <= MAX_JOINING, `counted after ${joining} segments`);
    await pages.pop()!.close();
    await isAt(0);
    for (const [player, url] of Object.entries(urls))
      pages.push(await watch(player, url), await watchAndReport(player, url));
    await isAt(6);
    pages.push(await watch('hls.js', urls['hls.js'], false), await watch('hls.js', urls['hls.js'], false));
    await isAt(7);
    const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-re', '-i', urls['hls.js'], '-f', 'null', '-'], {
      stdio: 'ignore',
    });
    cleanUp(t, () => ffmpeg.kill('SIGKILL'));
    await isAt(8);
    const vlc = existsSync(VLC) ? startVlc(service.scratch, urls['hls.js']) : undefined;
    cleanUp(t, () => vlc?.kill('SIGKILL'));
    const others = vlc === undefined ? ['ffmpeg'] : ['VLC', 'ffmpeg'];
    await isAt(7 + others.length);
    const { told_apart_by: by, players, quality } = await audience();
    t.diagnostic(JSON.stringify({ by, players, quality }));
    assert.deepEqual(by, { session: 6, token: 0, address: 1 + others.length });
    assert.deepEqual(players.map(({ player }: { player: string }) => player).sort(), ['Chrome', ...others]);
    assert.equal(quality.sessions, 7, 'with the first one');
    assert.ok(quality.start_seconds > 0);
    ffmpeg.kill('SIGKILL');
    vlc?.kill('SIGKILL');
    for (const page of pages) await page.close();
    const leftAt = await made();
    await isAt(0);
    const leaving = (await made()) - leftAt;
    t.diagnostic(`counted after ${joining} segments, gone after ${leaving}`);
    assert.ok(leaving <= MAX_LEAVING, `gone after ${leaving} segments`);
    assert.equal((await audience()).peak, 7 + others.length);
  });

  it('a stall made by a throttled line is in the numbers, made out from requests or reported', async (t) => {
    for (const [player, url, isReported] of [
      ['hls.js', `${cmaf}/index.m3u8`, false],
      ['hls.js', `${cmaf}/index.m3u8`, true],
      ['dash.js', `${cmaf}/manifest.mpd`, false],
    ] as const) {
      const before = (await audience()).quality.stalls;
      const page = await (isReported ? watchAndReport : watch)(player, url);
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
