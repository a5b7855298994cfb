/** The wall in Chromium over a Device in memory: where every tile stands while eight of nine broadcasts fail, and how much is loaded for it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { StillPainter } from '../../device/media/frames/still-painter.ts';
import type { PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { itLong, someOf } from '../helpers/counts.ts';
import { PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { troubleList, type OpenPage } from './page-fixture.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

const [STREAMS, FAULTS] = [9, 8];
const COPY = 2;
/** Width, height, and how many of the tiles are whole at least. */
const SCREENS = [
  [1280, 800, 6],
  [1440, 900, 6],
  [1920, 1080, STREAMS],
  [390, 844, 3],
] as const;
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
      // One copies: nobody measures its sound.
      app.device.running(runId, { flags: 0, ...(id !== ids[COPY] && { peaks: [-14, -17] }) });
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
        return [x, y + scrollY, width, height];
      }),
    );
  /** Tiles of which nothing is outside the window or below its lowest bar: of acts, or on a phone of pages. */
  const whole = async (): Promise<number> => {
    const isPhone = page.viewportSize()!.width < 600;
    const bar = await page.getByRole(isPhone ? 'navigation' : 'toolbar').boundingBox();
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

  /** The tiles once nothing moves them any more. */
  async function atRest(): Promise<number[][]> {
    let last = await boxes();
    return until('the tiles at rest', async () => {
      const before = last;
      last = await boxes();
      return isDeepStrictEqual(before, last) && last;
    });
  }

  for (const [width, height, least] of someOf(SCREENS, 1))
    it(`at ${width} × ${height} no tile moves when eight faults come and heal, ${least} are whole, and Attention has them in one line, opened in a list`, async () => {
      await page.setViewportSize({ width, height });
      await page.getByRole('article', { name: 'Show 1', exact: true }).focus();
      const attention = page.getByRole('region', { name: 'Attention' });
      const counts = (text: string): Promise<void> => attention.getByText(text).waitFor();
      const calm = await atRest();
      tellAll(false);
      await until('eight faults', async () => (await inState('failing')) === FAULTS);
      await counts(`${2 * FAULTS} faults`);
      assert.deepEqual(await boxes(), calm);
      assert.ok((await whole()) >= least, `${await whole()} tiles are whole`);
      const list = await troubleList(page);
      await until('their rows', async () => (await list.getByRole('listitem').count()) === FAULTS);
      await list.getByText('is not reached').first().waitFor();
      const beside = await atRest();
      await opened.assertReflow();
      await opened.assertAccessible();
      tellAll(true);
      await until('healed', async () => (await inState('on-air')) === STREAMS);
      await list.getByText('healed at').first().waitFor();
      assert.deepEqual(await boxes(), beside, 'nothing moves beside the list either');
      tellAll(false);
      await until('eight faults', async () => (await inState('failing')) === FAULTS);
      assert.deepEqual(await boxes(), beside);
      await attention.getByRole('button', { name: 'Hide' }).click();
      tellAll(true);
      await until('healed', async () => (await inState('on-air')) === STREAMS);
      await counts(`${2 * FAULTS} healed`);
      assert.deepEqual(await boxes(), calm);
      assert.deepEqual(opened.faults(), []);
    });

  it('a trouble begins at one instant before everybody, and who acknowledges it is named to everybody, until it is told anew', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    tellAll(false);
    const { device } = memory.app;
    const path = { publishingId: device.report(runs[1]!).publishings[0]!.publishingId, path: 'primary' };
    device.emit(runs[1]!, 'source_lost', 'The source is lost.', 'warning', { channelId: 1 });
    device.emit(runs[1]!, 'destination_retrying', 'It refuses.', 'warning', path);
    const other = await memory.open({ role: 1, route: 'on-air' });
    const tile = page.getByRole('article', { name: 'Show 2', exact: true });
    await tile.getByText(/^Failing, on air since [\d:]+: source lost since [\d:]+/u).waitFor();
    const lineOf = async (of: Page): Promise<Locator> =>
      (await troubleList(of)).getByRole('listitem').filter({ hasText: 'Show 2' });
    const [mine, theirs] = [await lineOf(page), await lineOf(other.page)];
    for (const line of [mine, theirs]) await line.waitFor();
    const begins = [mine, theirs].map((line) => line.getByText(/^since [\d:]+$/u).allTextContents());
    const [first, second] = await Promise.all(begins);
    assert.deepEqual(first, second);
    await until('the events', async () => (await memory.app.rows('getAllEvents', { kind: 'source_lost' })).length > 0);
    await tile.focus();
    await page.keyboard.press('Shift+a');
    const dialog = page.getByRole('dialog', { name: 'Acknowledge Show 2' });
    await dialog.getByLabel('Note').fill('the line is down');
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    const known = (line: Locator): Promise<number> =>
      line.getByText('acknowledged by ana: the line is down', { exact: true }).count();
    for (const line of [mine, theirs]) await until('both are known', async () => (await known(line)) === 2);
    await other.page.reload();
    const again = await lineOf(other.page);
    await until('known after a reload', async () => (await known(again)) === 2);
    device.emit(runs[1]!, 'destination_retrying', 'Its key is wrong.', 'warning', path);
    for (const line of [mine, again]) await until('one is new', async () => (await known(line)) === 1);
    await other.page.context().close();
    await page.getByRole('region', { name: 'Attention' }).getByRole('button', { name: 'Hide' }).click();
    tellAll(true);
    await until('healed', async () => (await inState('on-air')) === STREAMS);
  });

  it('the page Events has the fault of an hour ago with its beginning and end, and one that goes on, at the width of a phone too', async () => {
    const { device } = memory.app;
    const [{ livestreamId }] = [device.report(runs[3]!)];
    device.emit(runs[3]!, 'black', 'It is black.', 'warning', { channelId: 1, seconds: 60 });
    device.emit(runs[3]!, 'black_ended', 'It has a picture again.', 'info', { channelId: 1, seconds: 61 });
    device.emit(runs[3]!, 'silence', 'It is silent.', 'warning', { channelId: 1, seconds: 5 });
    const own = await memory.open({ role: 2, route: `events?livestream=${livestreamId}`, width: 390, height: 844 });
    const table = own.page.getByRole('table', { name: 'Events' });
    const row = (text: string): Locator => table.getByRole('row').filter({ hasText: text });
    await row('Black picture')
      .getByText(/^1:\d\d$/u)
      .waitFor();
    await row('No sound').getByText('goes on').waitFor();
    await own.assertReflow();
    await own.assertAccessible();
    await row('No sound')
      .getByRole('button', { name: /^Acknowledge No sound/u })
      .click();
    await row('No sound').getByText('ana', { exact: true }).waitFor();
    await own.page.getByLabel('State').selectOption('closed');
    await until('those that are over', async () => (await row('No sound').count()) === 0);
    assert.equal(await row('Black picture').count(), 1);
    device.emit(runs[3]!, 'silence_ended', 'It has sound again.', 'info', { channelId: 1, seconds: 9 });
    await row('No sound').waitFor();
    assert.deepEqual(own.faults(), []);
    await own.page.context().close();
  });

  itLong('a picture keeps its own shape, and sound that nobody measures has no meter', async () => {
    const tile = (number: number): Locator => page.getByRole('article', { name: `Show ${number}`, exact: true });
    await tile(COPY + 1)
      .getByText('not measured')
      .waitFor();
    assert.equal(
      await tile(COPY + 1)
        .getByRole('meter')
        .count(),
      0,
    );
    assert.equal(await tile(1).getByRole('meter').count(), 2);
    const { device } = memory.app;
    const made = device.picture.bind(device);
    const canvas = tile(1).getByRole('img', { name: 'Picture of Show 1' });
    /** Each with a place across its frame where the picture is, and one where it is not. */
    for (const [width, height, inside, beside] of [
      [90, 160, 0.6, 0.75],
      [160, 120, 0.8, 0.95],
    ] as const) {
      const painter = await StillPainter.load({ width, height }, { width, height }, 80);
      const white = new Uint8Array(width * height * 1.5).fill(128).fill(235, 0, width * height);
      const jpeg = await painter.jpeg(white);
      device.picture = async (...of) => ({ ...(await made(...of)), jpeg });
      const sizeOf = (): Promise<number[]> =>
        canvas.evaluate((element) => [(element as HTMLCanvasElement).width, (element as HTMLCanvasElement).height]);
      await until(`${width} × ${height}`, async () => isDeepStrictEqual(await sizeOf(), [width, height]));
      const { width: across, height: down, data } = PNG.sync.read(await canvas.screenshot());
      const light = (share: number): number => data[4 * (Math.floor(down / 2) * across + Math.floor(across * share))]!;
      assert.ok(light(inside) > 200 && light(beside) < 50, `${width} × ${height}: ${light(inside)}, ${light(beside)}`);
    }
    device.picture = made;
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

  it('a display shows its wall by a link without a sign-in, fills the screen, turns it, and ends with a revocation', async () => {
    const { app } = memory;
    const livestreamIds = [runs[2]!, runs[0]!].map((run) => app.device.report(run).livestreamId);
    const wall = { name: 'Lobby', layout: 4, livestreamIds, others: true };
    const wallId = (await app.data('addWall', wall)).id as number;
    const { token, kid } = await app.data('createDisplayLink', { wallId, name: 'Screen' });
    const { device } = app;
    const made = device.picture.bind(device);
    const painter = await StillPainter.load({ width: 160, height: 90 }, { width: 160, height: 90 }, 80);
    const jpeg = await painter.jpeg(new Uint8Array(160 * 90 * 1.5).fill(128));
    device.picture = async (...of) => ({ ...(await made(...of)), jpeg });
    const {
      page: display,
      faults,
      assertAccessible,
    } = await memory.open({ route: `wall/${wallId}?key=${String(token)}` });
    const shows = (names: string[]): Promise<unknown> =>
      until(names.join(), async () => {
        const tiles = display.getByRole('article');
        const shown = await tiles.evaluateAll((all) => all.map((tile) => tile.getAttribute('aria-label')));
        return isDeepStrictEqual(shown, names);
      });
    await shows(['Show 3', 'Show 1', 'Show 2', 'Show 4']);
    for (const role of ['navigation', 'banner', 'form'] as const)
      assert.equal(await display.getByRole(role).count(), 0);
    for (const [x = 0, y = 0, width = 0, height = 0] of await boxes(display)) {
      assert.ok(width > 630 && height > 390, `${width} × ${height}`);
      assert.ok(x + width <= 1280 && y + height <= 800);
    }
    await until('a picture', async () => (await display.locator('.picture:not([data-empty])').count()) === 4);
    await assertAccessible();
    assert.ok(!display.url().includes(String(token)), 'the address has no token any more');
    await display.keyboard.press('ArrowRight');
    await display.getByText('Screen 2 of 3').waitFor();
    await shows(['Show 5', 'Show 6', 'Show 7', 'Show 8']);
    await app.data('updateWall', { wallId, others: false, layout: 1 });
    await shows(['Show 3']);
    await display.reload();
    await shows(['Show 3']);
    assert.deepEqual(faults(), []);
    await app.data('revokeDisplayLink', { wallId, kid });
    await display.getByRole('alert').getByText('has ended').waitFor();
    device.picture = made;
    await display.context().close();
  });

  itLong('a display turns its screens by itself, until somebody pauses pictures', async () => {
    const wallId = (await memory.app.data('addWall', { name: 'Turning', layout: 1, others: true })).id as number;
    const { page: shown } = await memory.open({ role: 2, route: `wall/${wallId}` });
    await shown.clock.install();
    await shown.reload();
    await shown.getByText('Screen 1 of 9').waitFor();
    await shown.clock.fastForward(10_500);
    await shown.getByText('Screen 2 of 9').waitFor();
    await shown.keyboard.press('p');
    await shown.clock.fastForward(30_500);
    assert.equal(await shown.getByText('Screen 2 of 9').count(), 1);
    await shown.context().close();
  });

  itLong('a monitor renews its session by itself, and another page for somebody who uses it', async () => {
    for (const route of ['wall', 'on-air']) {
      const { page: shown } = await memory.open({ role: 2, route });
      await shown.clock.install();
      await shown.reload();
      await shown.getByRole('article').first().waitFor();
      const renewals: number[] = [];
      shown.on('response', (answer) => {
        if (answer.url().endsWith('/security/renew')) renewals.push(answer.status());
      });
      await shown.clock.fastForward('31:00');
      if (route !== 'wall') {
        await shown.evaluate(() => fetch('svcapiv2/security/me'));
        assert.deepEqual(renewals, [], 'nobody is there');
        await shown.keyboard.press('Shift');
      }
      await until(`a renewal of ${route}`, () => renewals.length > 0);
      assert.deepEqual(renewals, [200]);
      await shown.context().close();
    }
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

  it('one that has failed has no figures, and its long error leaves Stop and Open inside the window', async () => {
    memory.app.device.failed(runs[0]!, LONG_ERROR);
    const tile = page.getByRole('article', { name: 'Show 1', exact: true });
    await until('failed', async () => (await tile.getAttribute('data-state')) === 'failed');
    assert.equal(await tile.getByRole('meter').count(), 0);
    assert.doesNotMatch((await tile.textContent()) ?? '', /fps/u, 'what is over has no figures');
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
