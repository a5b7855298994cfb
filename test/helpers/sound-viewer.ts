/** A viewer who listens: hls.js or shaka-player in headless Chromium, the languages that they offer, and the pitch that is heard. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Attempt } from './attempts.ts';
import { BROWSER_ARGS } from './browser.ts';
import { cleanUp } from './clean-up.ts';

const require = createRequire(import.meta.url);
const PLAYERS: Record<string, string> = {
  '/hls.js': join(dirname(require.resolve('hls.js/package.json')), 'dist/hls.js'),
  '/shaka.js': join(dirname(require.resolve('shaka-player/package.json')), 'dist/shaka-player.compiled.js'),
};
/** As text: it runs in the page. Beeps of 100 ms come once a second, so the loudest pitch of some seconds is taken. */
const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
let offered = () => [];
let select = () => undefined;
window.look = () => ({ offered: offered(), time: video.currentTime, errors });
window.choose = (language) => select(language);
window.watchHls = (url) => {
  const hls = new Hls({ enableWorker: false });
  hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.details));
  offered = () => hls.audioTracks.map(({ lang, name }) => lang + ' ' + name);
  select = (language) => (hls.audioTrack = hls.audioTracks.findIndex(({ lang }) => lang === language));
  hls.loadSource(url);
  hls.attachMedia(video);
};
window.watchDash = async (url) => {
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  player.addEventListener('error', ({ detail }) => errors.push('shaka ' + detail.code));
  offered = () => player.getAudioTracks().map(({ language, label }) => language + ' ' + label);
  select = (language) => player.selectAudioTrack(player.getAudioTracks().find((track) => track.language === language), 0);
  await player.attach(video);
  await player.load(url).catch((error) => errors.push('shaka ' + error.code));
};
let analyser;
window.hear = async (pitches) => {
  if (analyser === undefined) {
    const context = new AudioContext();
    await context.resume();
    analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0 });
    context.createMediaElementSource(video).connect(analyser);
    await video.play();
  }
  const bins = new Float32Array(analyser.frequencyBinCount);
  const loudest = pitches.map(() => -Infinity);
  const end = performance.now() + 2500;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    analyser.getFloatFrequencyData(bins);
    pitches.forEach((pitch, i) => {
      const at = Math.round((pitch * analyser.fftSize) / analyser.context.sampleRate);
      loudest[i] = Math.max(loudest[i], bins[at]);
    });
  }
  return loudest;
};
`;
const PAGE = `<!doctype html><title>viewer</title><video></video><script src="/hls.js"></script><script src="/shaka.js"></script><script>${SCRIPT}</script>`;

export interface Listener {
  /** Language and name of each track that the player offers. */
  look(): Promise<{ offered: string[]; time: number; errors: string[] }>;
  choose(language: string): Promise<void>;
  /** Loudness in dB of each of these pitches within some seconds. */
  hear(pitches: readonly number[]): Promise<number[]>;
}

export async function soundViewer(
  t: Attempt,
): Promise<(how: 'watchHls' | 'watchDash', url: string) => Promise<Listener>> {
  const server = createServer((request, response) => {
    const player = PLAYERS[request.url ?? ''];
    response.setHeader('content-type', player === undefined ? 'text/html' : 'text/javascript');
    response.end(player === undefined ? PAGE : readFileSync(player));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => server.close());
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const args = [...BROWSER_ARGS, '--disable-web-security'];
  const browser = await chromium.launch({ executablePath, args });
  cleanUp(t, () => browser.close());
  return async (how, url) => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.evaluate(`window.${how}(${JSON.stringify(url)})`);
    return {
      look: () => page.evaluate('window.look()'),
      choose: (language) => page.evaluate(`void window.choose(${JSON.stringify(language)})`),
      hear: (pitches) => page.evaluate(`window.hear(${JSON.stringify(pitches)})`),
    };
  };
}
