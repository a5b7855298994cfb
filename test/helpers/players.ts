/** hls.js, shaka-player and dash.js in headless Chromium, on a page of another origin with a script of the test. Only loopback is spoken to. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

import { BROWSER_ARGS } from './browser.ts';
import { cleanUp, type TestScope } from './clean-up.ts';

const { resolve } = createRequire(import.meta.url);
const PLAYERS: Record<string, string> = {
  '/hls.js': join(dirname(resolve('hls.js/package.json')), 'dist/hls.js'),
  '/shaka.js': join(dirname(resolve('shaka-player/package.json')), 'dist/shaka-player.compiled.js'),
  '/dash.js': resolve('dashjs'),
};

export interface PlayerBrowser {
  open(): Promise<Page>;
  close(): Promise<void>;
}

/**
 * `script` runs in each page, behind a video element; as text, for the compiler of the tests would put calls of its own into a function.
 * `more` are further arguments of the browser.
 */
export async function playerBrowser(
  script: string,
  video = '<video muted></video>',
  more: readonly string[] = [],
): Promise<PlayerBrowser> {
  const html = `<!doctype html><title>viewer</title>${video}<script src="/hls.js"></script><script src="/shaka.js"></script><script src="/dash.js"></script><script>${script}</script>`;
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: [...BROWSER_ARGS, ...more] });
  const server = createServer((request, response) => {
    const player = PLAYERS[request.url ?? ''];
    response.setHeader('content-type', player === undefined ? 'text/html' : 'text/javascript');
    response.end(player === undefined ? html : readFileSync(player));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    async open() {
      const page = await browser.newPage();
      // Encrypted media is for secure contexts; loopback is one.
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return page;
    },
    async close() {
      await browser.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A browser for one test, which reads the Device's delivery from its other port although that says nothing of other origins. */
export async function players(t: TestScope, script: string, video?: string): Promise<() => Promise<Page>> {
  const { open, close } = await playerBrowser(script, video, ['--disable-web-security']);
  cleanUp(t, close);
  return open;
}
