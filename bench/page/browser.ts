/** Headless Chromium, and what a page in it costs: time until it is useful, time of its main thread, its heap. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type CDPSession } from 'playwright-core';
import { BROWSER_ARGS } from '../../test/helpers/browser.ts';
import { until } from '../../test/helpers/until.ts';

/** A monitor on which so many tiles are seen that they share 40 pictures a second. */
const VIEWPORT = { width: 1920, height: 1080 };
const MAX_WAIT_MS = 60_000;
const IS_USEFUL = 'performance.getEntriesByName("useful").length > 0';

export interface SignIn {
  origin: string;
  username: string;
  password: string;
}

export interface MeasuredPage {
  press(key: string): Promise<void>;
  focus(selector: string): Promise<void>;
  /** Presses the key of a button in the toolbar that is busy first, and then pressed or no longer pressed. */
  order(key: string): Promise<Ordered>;
  count(selector: string): Promise<number>;
  /** Milliseconds from the begin of the navigation until `performance.mark('useful')`. */
  usefulMs(): Promise<number>;
  /** CPU of the main thread in ms a second, from now on for so long. */
  mainThread(measuredMs: number): Promise<number>;
  /** MB that are in use after a collection. */
  heapMegabytes(): Promise<number>;
  close(): Promise<void>;
}

/** Milliseconds since a key was pressed. */
export interface Ordered {
  /** Until the first frame in which the button is busy. */
  feedback: number;
  /** Until the button has its new state. */
  inForce: number;
}

const SEE_ORDER = `void (window.ordered = new Promise((resolve) => {
  const button = document.querySelector('[role=toolbar] button[aria-pressed]');
  const before = button.getAttribute('aria-pressed');
  let at, feedback;
  const look = () => {
    if (feedback === undefined && button.getAttribute('aria-busy') === 'true')
      feedback = new Promise((seen) => requestAnimationFrame(() => seen(performance.now() - at)));
    if (feedback === undefined || button.getAttribute('aria-pressed') === before) return;
    observer.disconnect();
    const inForce = performance.now() - at;
    feedback.then((ms) => resolve({ feedback: ms, inForce }));
  };
  const observer = new MutationObserver(look);
  observer.observe(button, { attributes: true });
  addEventListener('keydown', ({ timeStamp }) => { at = timeStamp; }, { capture: true, once: true });
}))`;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: BROWSER_ARGS });
}

/** Opens a page in a context of its own, with an empty cache, for a user who is signed in. */
export async function openMeasured(
  browser: Browser,
  { origin, ...credentials }: SignIn,
  path: string,
): Promise<MeasuredPage> {
  const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB' });
  const reply = await context.request.post(`${origin}/svcapiv2/security/login`, { data: credentials });
  if (!reply.ok()) throw new Error(`The sign-in answers ${reply.status()}: ${await reply.text()}`);
  const page = await context.newPage();
  page.on('pageerror', (error) => process.stderr.write(`${path}: ${error.message}\n`));
  const cdp = await context.newCDPSession(page);
  // CPU, not time: what else runs on the machine counts for nothing.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${origin}${path}`);
  await until('a useful page', () => page.evaluate(IS_USEFUL), { boundMs: MAX_WAIT_MS });
  return {
    press: (key) => page.keyboard.press(key),
    focus: (selector) => page.locator(selector).first().focus(),
    async order(key) {
      await page.evaluate(SEE_ORDER);
      await page.keyboard.press(key);
      return page.evaluate('ordered');
    },
    count: (selector) => page.locator(selector).count(),
    usefulMs: async () => Number(await page.evaluate('performance.getEntriesByName("useful")[0].startTime')),
    mainThread: (measuredMs) => mainThread(cdp, measuredMs),
    async heapMegabytes() {
      await cdp.send('HeapProfiler.collectGarbage');
      return (await cdp.send('Runtime.getHeapUsage')).usedSize / 1_000_000;
    },
    close: () => context.close(),
  };
}

async function mainThread(cdp: CDPSession, measuredMs: number): Promise<number> {
  const before = await taskSeconds(cdp);
  const begun = performance.now();
  await sleep(measuredMs);
  const after = await taskSeconds(cdp);
  return ((after - before) * 1000) / ((performance.now() - begun) / 1000);
}

async function taskSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}
