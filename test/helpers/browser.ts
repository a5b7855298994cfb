import { chromium, type Browser } from 'playwright-core';
import { atProcessEnd } from './process-end.ts';
import { wordsOf } from './words.ts';

/** How tests start Chromium: only loopback is spoken to, its own background requests are off. */
export const BROWSER_ARGS = wordsOf(`
  --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
  --disable-component-update --disable-sync --autoplay-policy=no-user-gesture-required
`);

/** It only ends a hopeless wait, as in until.ts. */
export const PAGE_BOUND_MS = 120_000;

let shared: Promise<Browser> | undefined;

/** One Chromium for the specs of a process; each has contexts of its own, which it closes. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchChromium().then((browser) => {
    atProcessEnd(() => browser.close());
    return browser;
  });
  return shared;
}

export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: [...BROWSER_ARGS, ...args], timeout: PAGE_BOUND_MS });
}
