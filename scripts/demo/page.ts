/** Opens the operators' page in a browser without a window, as somebody who signs in for the first time. */
import { existsSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { setTimeout as pause } from 'node:timers/promises';
import type { DemoServer } from './service.ts';

const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** Software rendering is enough; the sandbox of Chromium needs rights that root in a container does not have. */
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
const WAIT_MS = 60_000;
/** Video black is 16. */
const BLACK_LUMA = 20;

/** Signs in, and waits for the tile on air with a picture that is not black. Throws when one of them does not come. */
export async function checkPage(server: DemoServer, livestream: string, say: (text: string) => void): Promise<void> {
  if (!existsSync(BROWSER)) {
    say(`There is no ${BROWSER} here, so that the page is not checked (npm test installs it).`);
    return;
  }
  say('Checking the page in Chromium …');
  const browser = await chromium.launch({ executablePath: BROWSER, args: ARGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(server.url);
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.getByLabel('User name').fill('admin');
    await form.getByLabel('Password').fill(server.password);
    await form.getByRole('button', { name: 'Sign in' }).click();
    await page.locator(`article[data-state="on-air"][aria-label="${livestream}"]`).waitFor();
    say(`  signed in; the tile of ${livestream} is on air`);
    say(`  its picture has a mean brightness of ${Math.round(await brightness(page, livestream))} of 255`);
  } finally {
    await browser.close();
  }
}

/** Mean luma of the tile's picture. Throws when it stays black. */
async function brightness(page: Page, livestream: string): Promise<number> {
  const script = `(() => {
    const canvas = document.querySelector('article[aria-label="${livestream}"] canvas');
    if (canvas === null || canvas.width === 0) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let at = 0; at < data.length; at += 4) sum += 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
    return sum / (data.length / 4);
  })()`;
  const end = performance.now() + WAIT_MS;
  // The policy of the page lets Playwright's own waiting evaluate nothing.
  for (;;) {
    const luma = (await page.evaluate(script)) as number;
    if (luma > BLACK_LUMA) return luma;
    if (performance.now() > end) throw new Error(`the picture of ${livestream} stays black`);
    await pause(500);
  }
}
