/**
 * Players at the address of the server, which stays while the broadcast goes to another Device: in a planned move, when its Device dies, and when it
 * answers nothing any more.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { playerBrowser, type PlayerBrowser } from '../helpers/players.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { processesOf, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
window.look = () => ({
  time: video.currentTime,
  pictures: video.getVideoPlaybackQuality().totalVideoFrames,
  buffered: Array.from({ length: video.buffered.length }, (_, at) => [video.buffered.start(at), video.buffered.end(at)]),
  errors,
});
window.watch = async (player, url) => {
  if (player === 'hls.js') {
    const hls = new Hls();
    hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.details));
    hls.loadSource(url);
    hls.attachMedia(video);
  } else if (player === 'dash.js') {
    const dash = dashjs.MediaPlayer().create();
    dash.on('error', ({ error }) => errors.push('dash.js ' + error.code));
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

/** Pictures of the time that a player is behind at most. */
const MORE = { 'index.m3u8': 450, 'manifest.mpd': 900 };

interface Seen {
  time: number;
  pictures: number;
  buffered: [number, number][];
  errors: string[];
}

const WAYS = [
  ['hls.js', 'HLS / TS', 'index.m3u8'],
  ['hls.js', 'CMAF', 'index.m3u8'],
  ['shaka', 'HLS / TS', 'index.m3u8'],
  ['shaka', 'CMAF', 'index.m3u8'],
  ['shaka', 'CMAF', 'manifest.mpd'],
  ['dash.js', 'DASH', 'manifest.mpd'],
] as const;

/** A machine that has lost its power answers nothing: connections to it are neither refused nor closed. */
const LOSSES = [
  ['dies', 'SIGKILL'],
  ['answers nothing', 'SIGSTOP'],
] as const;

describe('players at the address of the server', () => {
  let service: Service;
  let remotes: RemoteDevice[];
  let browser: PlayerBrowser;
  let show: SmallBroadcast;
  const deviceIds: number[] = [];
  const destinations = new Map<string, number>();

  before(async () => {
    [service, browser, ...remotes] = await Promise.all([
      startService(),
      playerBrowser(SCRIPT, undefined, ['--disable-web-security']),
      startRemoteDevice(),
      startRemoteDevice(),
    ]);
    for (const [number, remote] of remotes.entries()) {
      const device = { name: `enc${number + 1}`, ip_address: remote.address, ...remote.credentials() };
      deviceIds.push(await service.create('/devices', device));
    }
    await bothOnline();
    show = await smallBroadcast(service, [
      { name: 'fragments', type: 'CMAF', settings: { segment_duration: 2 } },
      // dash.js gets no further once it has played all that it had before the next Period came.
      { name: 'dash', type: 'DASH', settings: { segment_duration: 6 } },
    ]);
    destinations
      .set('HLS / TS', show.publishingId)
      .set('CMAF', show.publishingId + 1)
      .set('DASH', show.publishingId + 2);
    const idEncoderGroup = await service.create('/devices/groups', { name: 'Pool', devices: deviceIds });
    const change = { idEncoderGroup, onDeviceLoss: 'move' };
    assert.equal((await service.rest('PUT', `/livestreams/${show.livestreamId}`, change)).status, 200);
    await goOnAir(service, show.livestreamId);
  });
  after(async () => {
    await browser?.close();
    await service?.dispose();
    await Promise.all((remotes ?? []).map((remote) => remote.dispose()));
  });

  const bothOnline = () =>
    until('two Devices', async () => {
      const { body } = await service.rest('GET', '/devices?fields=*');
      const rows = body.rows as { id: number; online: boolean; capabilities: unknown }[];
      const ready = rows.filter(({ id, online, capabilities }) => deviceIds.includes(id) && online && capabilities);
      return ready.length === 2;
    });
  const deviceOf = async (): Promise<number> =>
    ((await service.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data as { deviceId: number })
      .deviceId;
  const isOnAir = async (): Promise<boolean> =>
    (await service.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data.status === 2;

  /** Players tell of media that a dead Device does not give, and try again: what counts is that they play on. Resolves with words of it. */
  async function playsOn(page: Page, more: number, act: () => Promise<unknown>): Promise<string> {
    const look = async (): Promise<Seen> => (await page.evaluate('window.look()')) as Seen;
    await until('it plays', async () => (await look()).pictures > 300, { everyMs: 250 });
    const from = await deviceOf();
    await act();
    let [pictures, since, longest] = [(await look()).pictures, performance.now(), 0];
    let after = 0;
    await until(
      'it plays what the other Device makes',
      async () => {
        const seen = await look();
        const now = performance.now();
        if (seen.pictures > pictures) [pictures, since] = [seen.pictures, now];
        longest = Math.max(longest, now - since);
        if (after === 0 && (await deviceOf()) !== from && (await isOnAir())) after = pictures + more;
        return after > 0 && seen.pictures > after;
      },
      { everyMs: 250, boundMs: 120_000 },
    ).catch(async (error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await look())}`, { cause: error });
    });
    const { errors } = await look();
    return `${(longest / 1000).toFixed(1)} s without a new picture; errors that it told: ${errors.join(', ') || 'none'}`;
  }

  for (const [player, type, path] of WAYS) {
    const watch = async (): Promise<Page> => {
      await bothOnline();
      await until('on air', isOnAir);
      const page = await browser.open();
      const url = `${service.url}/live/${show.livestreamId}/${destinations.get(type)}/${path}`;
      await page.evaluate(`void window.watch('${player}', '${url}')`);
      return page;
    };
    it(`${player} goes on with ${path} of ${type} in a planned move`, async (t) => {
      const page = await watch();
      const gap = await playsOn(page, MORE[path], async () => {
        const from = await deviceOf();
        const deviceId = deviceIds.find((id) => id !== from);
        const { status } = await service.rest('POST', `/livestreams/${show.livestreamId}/move`, { deviceId });
        assert.ok(status < 300, String(status));
      });
      t.diagnostic(gap);
      await page.close();
    });
    for (const [loss, signal] of LOSSES)
      it(`${player} goes on with ${path} of ${type} when the Device ${loss}`, async (t) => {
        const page = await watch();
        const former = remotes[deviceIds.indexOf(await deviceOf())]!;
        const pids = processesOf(former.dir).map(({ pid }) => pid);
        try {
          const lose = async (): Promise<void> => pids.forEach((pid) => process.kill(pid, signal));
          t.diagnostic(await playsOn(page, MORE[path], lose));
        } finally {
          if (signal === 'SIGKILL') await former.restart();
          else for (const pid of pids) process.kill(pid, 'SIGCONT');
          await page.close();
        }
      });
  }
});
