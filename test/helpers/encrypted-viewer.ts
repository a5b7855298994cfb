/** A viewer of encrypted streams: shaka-player with ClearKey in headless Chromium. Only loopback is spoken to. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Attempt } from './attempts.ts';
import { chromium, type Browser } from 'playwright-core';
import { BROWSER_ARGS } from './browser.ts';
import { cleanUp } from './clean-up.ts';

const PLAYER = join(
  dirname(createRequire(import.meta.url).resolve('shaka-player/package.json')),
  'dist/shaka-player.compiled.js',
);
// The page and the Device's delivery have ports of their own.
const ARGS = [...BROWSER_ARGS, '--disable-web-security'];
/** As text: it runs in the page, and the compiler of the tests would put calls of its own into a function. */
const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
const failed = (error) =>
  errors.push('shaka ' + error.code + ' ' + JSON.stringify(error.data ?? String(error)).slice(0, 300));
shaka.polyfill.installAll();
const player = new shaka.Player();
player.addEventListener('error', (event) => failed(event.detail));
video.addEventListener('error', () => errors.push('media ' + video.error?.code + ' ' + video.error?.message));
window.look = () => ({
  currentTime: video.currentTime,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  errors,
  keySystem: player.drmInfo()?.keySystem,
});
window.watch = (url, keys) => {
  const begin = async () => {
    await player.attach(video);
    if (Object.keys(keys).length > 0) player.configure({ drm: { clearKeys: keys } });
    await player.load(url);
    await video.play();
  };
  begin().catch(failed);
};
`;
const PAGE = `<!doctype html><title>viewer</title><video muted></video><script src="/shaka.js"></script><script>${SCRIPT}</script>`;

export interface Sight {
  currentTime: number;
  /** Pictures that were decoded. */
  frames: number;
  /** Errors of shaka-player and the browser since the beginning. */
  errors: string[];
  keySystem: string | undefined;
}

export interface EncryptedViewer {
  /** `keys`: content keys by key id, hexadecimal; none: a viewer without a licence. */
  watch(url: string, keys: Record<string, string>): Promise<{ look(): Promise<Sight>; close(): Promise<void> }>;
}

export async function encryptedViewer(t: Attempt): Promise<EncryptedViewer> {
  const server = createServer((request, response) => {
    const isPlayer = request.url === '/shaka.js';
    response.setHeader('content-type', isPlayer ? 'text/javascript' : 'text/html');
    response.end(isPlayer ? readFileSync(PLAYER) : PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => server.close());
  const browser: Browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ARGS,
  });
  cleanUp(t, () => browser.close());
  return {
    async watch(url, keys) {
      const page = await browser.newPage();
      // Encrypted media is for secure contexts; loopback is one.
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.evaluate(`window.watch(${JSON.stringify(url)}, ${JSON.stringify(keys)})`);
      return {
        look: () => page.evaluate('window.look()'),
        close: () => page.close(),
      };
    },
  };
}
