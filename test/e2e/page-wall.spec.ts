/** The wall in Chromium over a Device in memory: where every tile stands while eight of nine broadcasts fail, and how much is loaded for it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import type { PathStatus } from '../../domain/livestream-status.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { OpenPage } from './page-fixture.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

const [STREAMS, FAULTS] = [9, 8];
/** Longer than any column. */
const LONG_ERROR = `its server refuses the request (403 ${'a word of the error '.repeat(20)})`;

describe('the wall while broadcasts fail', () => {
  const cleanUps: (() => unknown)[] = [];
  let memory: MemoryPage;
  const runs: string[] = [];
  let opened: OpenPage;
  let page: Page;

  before(async () => {
    memory = await startMemoryPage({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    const { app } = memory;
    app.device.cores = 64;
    app.device.goOffline();
    app.device.goOnline();
    const { livestreamId: first, channelId, encodingId } = await addBroadcast(app, '', 'Show 1');
    const ids = [first];
    for (let number = 2; number <= STREAMS; number += 1) {
      // The far end takes one at a time.
      const settings = { url: 'rtmp://cdn.example.org/live', stream_key: `key-${number}-of-the-cdn` };
      const cdn = { name: `CDN ${number}`, type: 'RTMP', settings };
      const { id: publishingId } = await app.data('addPublishing', cdn);
      const row = { name: `Show ${number}`, channelId, encodingId, publishingId };
      ids.push((await app.data('addLivestream', row)).id as number);
    }
    for (const id of ids) {
      const runId = await memory.start(id);
      app.device.running(runId, { peaks: [-14, -17], flags: 0 });
      runs.push(runId);
    }
    opened = await memory.open({ role: 2, width: 1280, height: 800 });
    page = opened.page;
    await page
      .getByRole('article')
      .nth(STREAMS - 1)
      .waitFor();
    await until('all on air', async () => (await inState('on-air')) === STREAMS);
  });
  after(async () => {
    await page?.context().close();
    for (const task of cleanUps) await task();
  });

  const inState = (state: string): Promise<number> => page.locator(`[data-livestream][data-state=${state}]`).count();
  const boxes = (of = page): Promise<number[][]> =>
    of.locator('[data-livestream]').evaluateAll((tiles) =>
      tiles.map((tile) => {
        const { x, y, width, height } = tile.getBoundingClientRect();
        return [x, y, width, height];
      }),
    );
  /** Tiles of which nothing is outside the window or below the bar of acts. */
  const whole = async (): Promise<number> => {
    const bar = await page.getByRole('toolbar').boundingBox();
    return (await boxes()).filter(([, y = 0, , height = 0]) => y >= 0 && y + height <= bar!.y).length;
  };

  /** Source and Destination of the first eight. */
  function tellAll(isWell: boolean): void {
    const at = new Date(Date.now() - 60_000).toISOString();
    for (const runId of runs.slice(0, FAULTS)) {
      const { source, publishings } = memory.app.device.report(runId);
      const path: Partial<PathStatus> = isWell
        ? { state: 'up', last_error: null, next_retry_at: null }
        : { state: 'retrying', since: at, attempts: 9, last_error: LONG_ERROR, next_retry_at: at };
      memory.app.device.tell(runId, {
        source: { ...source, state: isWell ? 'up' : 'lost', last_frame_at: isWell ? new Date().toISOString() : at },
        publishings: publishings.map((each) => ({ ...each, primary: { ...each.primary, ...path } })),
      });
    }
  }

  it('no tile moves when eight faults come and heal, six are whole at 1280 × 800, and Attention has a line a stream', async () => {
    const first = page.getByRole('article', { name: 'Show 1', exact: true });
    await first.focus();
    const calm = await boxes();
    tellAll(false);
    await until('eight faults', async () => (await inState('failing')) === FAULTS);
    const attention = page.getByRole('region', { name: 'Attention' });
    await until('their lines', async () => (await attention.getByRole('listitem').count()) === FAULTS);
    assert.deepEqual(await boxes(), calm);
    assert.ok((await whole()) >= 6, `${await whole()} tiles are whole`);
    await attention.getByRole('button', { name: 'More of Show 1', exact: true }).click();
    await attention.getByText('is not reached').first().waitFor();
    assert.deepEqual(await boxes(), calm, 'what is opened in Attention moves nothing either');
    await opened.assertAccessible();
    tellAll(true);
    await until('healed', async () => (await inState('on-air')) === STREAMS);
    await attention.getByText('healed at').first().waitFor();
    assert.deepEqual(await boxes(), calm);
    assert.deepEqual(opened.faults(), []);
  });

  it('the acts are in one line, and the second Tab goes to the tiles', async () => {
    await page.reload();
    await page
      .getByRole('article')
      .nth(STREAMS - 1)
      .waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const tile = page.getByRole('article').first();
    assert.ok(await tile.evaluate((element) => element === document.activeElement));
    const tops = await page
      .getByRole('toolbar')
      .getByRole('button')
      .evaluateAll((buttons) => [...new Set(buttons.map((button) => button.getBoundingClientRect().top))]);
    assert.equal(tops.length, 1);
  });

  it('the monitor has nothing to press but the size, and all tiles are on it', async () => {
    const { page: monitor, faults } = await memory.open({ role: 2, route: 'wall' });
    await monitor
      .getByRole('article')
      .nth(STREAMS - 1)
      .waitFor();
    for (const absent of [
      monitor.getByRole('navigation'),
      monitor.getByRole('searchbox'),
      monitor.getByRole('link', { name: /^Skip/u }),
    ])
      assert.equal(await absent.count(), 0);
    await until('all on the screen', async () =>
      (await boxes(monitor)).every(([, y = 0, , height = 0]) => y + height <= 800),
    );
    assert.deepEqual(faults(), []);
    await monitor.context().close();
  });

  it('a stop by somebody else closes the question about it, and says who it was', async () => {
    const run = runs.at(-1)!;
    const tile = page.getByRole('article', { name: `Show ${STREAMS}`, exact: true });
    await tile.focus();
    await page.keyboard.press('x');
    const dialog = page.getByRole('dialog', { name: `Stop Show ${STREAMS}?` });
    await dialog.waitFor();
    const { livestreamId } = memory.app.device.report(run);
    await memory.app.data('stopLivestream', { livestreamId });
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(`Show ${STREAMS} is off already`).first().waitFor();
  });

  it('one long error leaves Stop and Open inside the window', async () => {
    memory.app.device.failed(runs[0]!, LONG_ERROR);
    await opened.go('live-streams', 'Live streams');
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Show 1', exact: true }) });
    await row.getByText('a word of the error').waitFor();
    const inside = async (button: Locator): Promise<boolean> => {
      const { x, width } = (await button.boundingBox())!;
      return x + width <= 1280;
    };
    assert.ok(await inside(row.getByRole('button', { name: 'Open Show 1' })));
    assert.ok(await inside(page.getByRole('button', { name: 'Stop Show 2', exact: true })));
    await opened.assertReflow('Live streams');
  });

  it('an address of a row opens it where the page has rows, and is none elsewhere', async () => {
    const { page: admin, go } = await memory.open({ role: 1, route: `users/${memory.app.users.admin}` });
    await admin.getByRole('region', { name: 'admin', exact: true }).waitFor();
    await go('assets/1', 'There is no such page.');
    await admin.context().close();
  });

  it('an Administrator is told on every page which Device does not answer, and no Operator is', async () => {
    const { page: admin } = await memory.open({ role: 1, route: 'sources' });
    const link = (of: Page): Locator => of.getByRole('link', { name: 'Devices', exact: true });
    const trouble = (of: Page): Promise<string | null> => link(of).getAttribute('aria-description');
    memory.app.device.goOffline();
    await until('the mark', async () => (await trouble(admin)) === 'Does not answer: studio.');
    assert.equal(await trouble(page), null);
    memory.app.device.goOnline();
    await until('no mark', async () => (await trouble(admin)) === null);
    await admin.context().close();
  });
});

describe('the first load with nothing on air', () => {
  it('has at most 100 kB of code, the wizard of an empty store too', () => {
    const web = join(dirname(PROGRAM), '..', 'dist', 'web');
    const read = (name: string): string => readFileSync(join(web, name), 'utf8');
    const html = read('index.html');
    const importsOf = (name: string, pattern: RegExp): string[] =>
      [...read(`assets/${name}`).matchAll(pattern)].map(([, found]) => found!);
    const loaded = new Set<string>();
    const load = (name: string): void => {
      if (loaded.has(name)) return;
      loaded.add(name);
      importsOf(name, /(?:from|import)\s*"\.\/([^"]+\.js)"/gu).forEach(load);
    };
    const later = (chunk: string): string =>
      [...loaded].flatMap((name) => importsOf(name, /import\("\.\/([^"]+\.js)"\)/gu)).find((n) => n.startsWith(chunk))!;
    load(/assets\/(app-[^"]+\.js)/u.exec(html)![1]!);
    load(later('on-air-'));
    load(later('first-broadcast-'));
    load(/assets\/(worker-[^"]+\.js)/u.exec(html)![1]!);
    const files = [...loaded, /assets\/(app-[^"]+\.css)/u.exec(html)![1]!];
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(`assets/${name}`), { level: 9 }).length, 0);
    assert.ok(bytes + gzipSync(html).length <= 100_000, `${bytes} bytes`);
  });
});
