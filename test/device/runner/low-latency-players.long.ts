/** Players of low latency in a browser, against a clock in the picture: each comes as near to it as low latency promises, and stays there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letPass } from '../../helpers/pass.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { players } from '../../helpers/players.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { READ_CLOCK, startClock } from './clock-source.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, rendition, runSpec, source } from './specs.ts';
import { serveLive } from './web-server.ts';

const SECONDS = 60;
const ON_AIR_SECONDS = 10;
const MAX_BEHIND_MS = 2000;
const [TS, CMAF, DASH] = [21, 22, 23];

const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
let stalls = 0;
video.addEventListener('waiting', () => { if (video.currentTime > 1) stalls += 1; });
window.look = () => ({ behind: window.behind(), stalls, errors, time: video.currentTime });
window.forget = () => { stalls = 0; };
window.watch = async (player, url) => {
  if (player === 'hls.js') {
    // Without it hls.js stays for good where its first segment came, however late that was.
    const hls = new Hls({ lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.5 });
    hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.details));
    hls.loadSource(url);
    hls.attachMedia(video);
  } else if (player === 'dash.js') {
    const dash = dashjs.MediaPlayer().create();
    dash.on('error', ({ error }) => errors.push(JSON.stringify(error)));
    dash.initialize(video, url, true);
  } else if (player === 'shaka') {
    shaka.polyfill.installAll();
    const shakaPlayer = new shaka.Player();
    // Its own measure begins at the hold-back of the playlist, or a buffer behind the newest part of the MPD.
    const liveSync = { enabled: true, targetLatency: 0.4, targetLatencyTolerance: 0.1 };
    shakaPlayer.configure({ streaming: { lowLatencyMode: true, liveSync } });
    shakaPlayer.addEventListener('error', ({ detail }) => errors.push('shaka ' + detail.code));
    await shakaPlayer.attach(video);
    await shakaPlayer.load(url).catch((error) => errors.push('shaka ' + error.code));
  }
  video.play().catch(() => undefined);
};
${READ_CLOCK}
`;

interface Seen {
  behind: number | null;
  stalls: number;
  errors: string[];
  time: number;
}

async function clockOnAir(t: TestScope): Promise<string> {
  const dir = folder(t);
  const port = await freePort();
  const low = { low_latency: true, segment_duration: 2 };
  const outputs = [output(TS, 'HLS / TS', low), output(CMAF, 'CMAF', low), output(DASH, 'DASH', low)];
  startClock(t, `udp://127.0.0.1:${port}?pkt_size=1316`);
  const feed = source('Stream', { url: `udp://127.0.0.1:${port}` });
  await running(
    startRunner(t, dir, runSpec('clock-on-air', feed, outputs, { renditions: [rendition(11, 320, 180, 800)] })),
  );
  return `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}`;
}

const WAYS = [
  ['hls.js', `${TS}/index.m3u8`],
  ['hls.js', `${CMAF}/index.m3u8`],
  ['dash.js', `${DASH}/manifest.mpd`],
  ['shaka', `${CMAF}/manifest.mpd`],
  ['shaka', `${TS}/index.m3u8`],
] as const;

for (const [player, path] of WAYS)
  test(`${player} gets to within low latency of the clock of ${path}, plays on, and is there still`, async (t) => {
    const base = await clockOnAir(t);
    // Viewers come to a show that has been on air for a while.
    await letPass(ON_AIR_SECONDS * 1000);
    const open = await players(t, SCRIPT);
    const page = await open();
    const look = async (): Promise<Seen> => page.evaluate('window.look()');
    await page.evaluate(`void window.watch(${JSON.stringify(player)}, ${JSON.stringify(`${base}/${path}`)})`);
    const samples: number[] = [];
    /** A machine that runs much else lets a player fall behind for a while. */
    const isNear = async (): Promise<boolean> => {
      const { behind, errors } = await look();
      assert.deepEqual(errors, []);
      if (behind !== null) samples.push(behind);
      return behind !== null && behind <= MAX_BEHIND_MS;
    };
    await until('near the clock', isNear, { everyMs: 250 });
    await page.evaluate('window.forget()');
    const { time } = await look();
    const isOver = async (): Promise<boolean> => (await isNear(), (await look()).time >= time + SECONDS);
    await until('so much of the show', isOver, { everyMs: 250, boundMs: 600_000 });
    await until('near the clock still', isNear, { everyMs: 250 });
    const { stalls } = await look();
    const sorted = samples.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)]!;
    t.diagnostic(`${player} ${path}: behind p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms; ${stalls} stalls`);
  });
