/** A viewer: headless Chromium opens the watch page and must see the picture move. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser } from 'playwright-core';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { BROWSER_ARGS } from '../helpers/browser.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

describe('the watch page', () => {
  let service: Service;
  let show: SmallBroadcast;
  let browser: Browser;

  before(async () => {
    service = await startService();
    show = await smallBroadcast(service);
    await goOnAir(service, show.livestreamId);
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: BROWSER_ARGS,
    });
  });
  after(async () => {
    await browser?.close();
    await service.dispose();
  });

  it('the watch page plays the live stream and says so', async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    const status = await service.rest('GET', `/livestreams/${show.livestreamId}/status`);
    assert.equal(status.body.data.status, 2);
    await page.goto(`${service.url}/watch?src=${encodeURIComponent(await show.playlist())}`);
    const timeOf = (): Promise<number> => page.evaluate('document.querySelector("video")?.currentTime ?? 0');
    const first = await until('the picture to start', async () => (await timeOf()) > 0 && timeOf());
    await until('the picture to move on', async () => (await timeOf()) > first + 2);
    const decoded = await page.evaluate('document.querySelector("video").getVideoPlaybackQuality().totalVideoFrames');
    assert.ok(Number(decoded) > 30, `${decoded} frames`);
    assert.deepEqual(faults, []);
    if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });
  });
});
