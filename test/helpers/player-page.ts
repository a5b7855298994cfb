/** A page of another origin with hls.js and shaka-player in headless Chromium: what a customer's web site is. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { BROWSER_ARGS } from './browser.ts';

const { resolve } = createRequire(import.meta.url);
const SCRIPTS: Record<string, string> = {
  '/shaka.js': join(dirname(resolve('shaka-player/package.json')), 'dist/shaka-player.compiled.js'),
  '/hls.js': join(dirname(resolve('hls.js/package.json')), 'dist/hls.min.js'),
};
/** As text: it runs in the page, and the compiler of the tests would put calls of its own into a function. */
const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
window.look = () => ({
  currentTime: video.currentTime,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  errors,
});
window.watch = async (player, url) => {
  if (player === 'hls.js') {
    const hls = new Hls();
    hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.details + ' ' + (data.response?.code ?? '')));
    hls.loadSource(url);
    hls.attachMedia(video);
    video.play().catch(() => undefined);
    return;
  }
  shaka.polyfill.installAll();
  const shakaPlayer = new shaka.Player();
  const failed = (error) => errors.push('shaka ' + error.code + ' ' + JSON.stringify(error.data ?? '').slice(0, 200));
  shakaPlayer.addEventListener('error', (event) => failed(event.detail));
  try {
    await shakaPlayer.attach(video);
    await shakaPlayer.load(url);
    await video.play();
  } catch (error) {
    failed(error);
  }
};
`;
const PAGE = `<!doctype html><title>player</title><video muted></video><script src="/hls.js"></script><script src="/shaka.js"></script><script>${SCRIPT}</script>`;

export interface Seen {
  currentTime: number;
  /** Pictures that were decoded. */
  frames: number;
  /** The error that ended the player. */
  errors: string[];
}

export interface PlayerPages {
  watch(player: 'hls.js' | 'shaka', url: string): Promise<{ look(): Promise<Seen>; close(): Promise<void> }>;
  close(): Promise<void>;
}

export async function playerPages(): Promise<PlayerPages> {
  const server = createServer((request, response) => {
    const script = SCRIPTS[request.url ?? ''];
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script === undefined ? PAGE : readFileSync(script));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: BROWSER_ARGS,
  });
  return {
    async watch(player, url) {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.evaluate(`void window.watch(${JSON.stringify(player)}, ${JSON.stringify(url)})`);
      return { look: () => page.evaluate('window.look()'), close: () => page.close() };
    },
    async close() {
      await browser.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
