/**
 * What On air costs a browser, each beside a bare page that polls in the same run. ONAIR_BENCH_PAGE_MINUTES is how long its heap is looked
 * at, two minutes when left out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { bounded, median, percentile95, type Figure } from '../figures.ts';
import { launchChromium, openMeasured, type MeasuredPage, type Ordered, type SignIn } from './browser.ts';

const LOADS = 5;
const SETTLE_MS = 4000;
const MEASURED_MS = 10_000;
const KEYS = 20;
const BETWEEN_KEYS_MS = 300;
const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 2;
/** The heap grows until the histories of ten minutes are full. */
const FULL_MINUTES = 10;

export interface Watched {
  signIn: SignIn;
  runs: number;
  /** Pictures that the Device has made so far. */
  pictures(): Promise<number>;
}

export async function browserCosts(watched: Watched): Promise<Figure[]> {
  const browser = await launchChromium();
  try {
    const loads = await usefulPaint(browser, watched);
    const ours = await openMeasured(browser, watched.signIn, '/#/on-air');
    const bare = await openMeasured(browser, watched.signIn, '/bare');
    const openedMs = performance.now();
    await expectTiles(ours, watched.runs);
    const threads = await mainThreads(ours, bare, watched);
    return [loads, ...threads, ...(await keys(ours)), ...(await heaps(ours, bare, openedMs))];
  } finally {
    await browser.close();
  }
}

const besides = (value: number, bare: number, unit: string): string =>
  `a bare page that polls: ${bare.toFixed(1)} ${unit}, ratio ${(value / bare).toFixed(2)}`;

async function usefulPaint(browser: Browser, { signIn, runs }: Watched): Promise<Figure> {
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  while (times.ours.length < LOADS) {
    for (const [which, path] of [['bare', '/bare'] as const, ['ours', '/#/on-air'] as const]) {
      const page = await openMeasured(browser, signIn, path);
      times[which].push((await page.usefulMs()) / 1000);
      await page.close();
    }
  }
  const [ours, bare] = [median(times.ours), median(times.bare)];
  const note = `${besides(ours, bare, 's')}; ${runs} Live streams, median of ${LOADS} with an empty cache`;
  return bounded('from the navigation until the page is useful', ours, 1, 's', note);
}

async function expectTiles(page: MeasuredPage, runs: number): Promise<void> {
  await sleep(SETTLE_MS);
  const tiles = await page.count('article[data-state="on-air"], article[data-state="warning"]');
  if (tiles !== runs) throw new Error(`${tiles} tiles of ${runs} are on air`);
}

async function mainThreads(ours: MeasuredPage, bare: MeasuredPage, { pictures, runs }: Watched): Promise<Figure[]> {
  const polled = await bare.mainThread(MEASURED_MS);
  const before = await pictures();
  const withPictures = await ours.mainThread(MEASURED_MS);
  const rate = ((await pictures()) - before) / (MEASURED_MS / 1000);
  await ours.press('p');
  await sleep(SETTLE_MS);
  const ratesOnly = await ours.mainThread(MEASURED_MS);
  await ours.press('p');
  const how = `${runs} tiles, ${MEASURED_MS / 1000} s`;
  const name = 'CPU of the page’s main thread';
  return [
    bounded(`${name} with rates only`, ratesOnly, 100, 'ms/s', `${besides(ratesOnly, polled, 'ms/s')}; ${how}`),
    bounded(
      `${name} with pictures`,
      withPictures,
      250,
      'ms/s',
      `${rate.toFixed(0)} pictures a second; ${besides(withPictures, polled, 'ms/s')}; ${how}`,
    ),
  ];
}

/** Blackout and back on the first tile. */
async function keys(ours: MeasuredPage): Promise<Figure[]> {
  await ours.focus('article');
  await sleep(SETTLE_MS);
  const ordered: Ordered[] = [];
  while (ordered.length < KEYS) {
    ordered.push(await ours.order('b'));
    await sleep(BETWEEN_KEYS_MS);
  }
  const feedback = ordered.map((each) => each.feedback);
  const inForce = percentile95(ordered.map((each) => each.inForce)) / 1000;
  const note = `median of ${KEYS} until the next frame, 95th ${percentile95(feedback).toFixed(0)} ms; with pictures`;
  return [
    bounded('from a key to its feedback', median(feedback), 50, 'ms', note),
    bounded('from a key until it is in force', inForce, 2.5, 's', `95th of ${KEYS}, Device in memory`),
  ];
}

async function heaps(ours: MeasuredPage, bare: MeasuredPage, openedMs: number): Promise<Figure[]> {
  const minutes = Number(process.env['ONAIR_BENCH_PAGE_MINUTES'] ?? DEFAULT_MINUTES);
  const from = Math.min(FULL_MINUTES, minutes / 2);
  const at = async (minute: number): Promise<number> => {
    await sleep(Math.max(0, openedMs + minute * MINUTE_MS - performance.now()));
    return ours.heapMegabytes();
  };
  const early = await at(from);
  const late = await at(minutes);
  const note = `${besides(late, await bare.heapMegabytes(), 'MB')}; with pictures`;
  return [
    bounded(`heap of the page after ${minutes} min`, late, 60, 'MB', note),
    bounded(`growth of the heap from minute ${from} to ${minutes}`, late - early, 5, 'MB', 'after a collection each'),
  ];
}
