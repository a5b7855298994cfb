/** Tasks of people, each with its clicks and keys counted, and a wall of 12 and of 60 that stands still at four sizes of window. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addBroadcast } from '../app/broadcast.ts';
import { until } from '../helpers/until.ts';
import { troubleList, type OpenOptions, type OpenPage } from './page-fixture.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

const HOUR_MS = 3_600_000;
const CAMERAS = 10;
/** Each click, choice and key counts once, and so does each field that is typed into. */
const COUNT = `{
  window.acts = 0;
  const isTyped = (target) => target instanceof HTMLInputElement && !['radio', 'checkbox'].includes(target.type);
  addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) window.acts += 1; }, true);
  addEventListener('keydown', ({ isTrusted, key, target }) => {
    if (isTrusted && !['Shift', 'Control'].includes(key) && !isTyped(target)) window.acts += 1;
  }, true);
  addEventListener('change', ({ target }) => {
    if (isTyped(target) || target instanceof HTMLSelectElement) window.acts += 1;
  }, true);
}`;

const acts = async (page: Page): Promise<number> => Number(await page.evaluate('window.acts'));

async function openMemory(cleanUps: (() => unknown)[]): Promise<MemoryPage> {
  const memory = await startMemoryPage({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
  memory.app.device.cores = 512;
  memory.app.device.goOffline();
  memory.app.device.goOnline();
  return memory;
}

describe('tasks on the page', () => {
  const cleanUps: (() => unknown)[] = [];
  let memory: MemoryPage;
  let runId: string;
  let livestreamId: number;
  before(async () => {
    memory = await openMemory(cleanUps);
    const { app } = memory;
    ({ livestreamId } = await addBroadcast(app, '', 'Derby'));
    for (let number = 1; number <= CAMERAS; number += 1)
      await app.data('addChannel', {
        name: `Field ${String(number).padStart(2, '0')}`,
        type: 'Stream',
        settings: { url: `http://127.0.0.1:9/${number}.m3u8` },
      });
    runId = await memory.start(livestreamId);
    app.device.running(runId, { peaks: [-14, -17], flags: 0 });
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  const open = async (options: OpenOptions): Promise<OpenPage> => {
    const opened = await memory.open({ role: 2, ...options });
    await opened.page.evaluate(COUNT);
    return opened;
  };

  it('the right camera of ten is on air after six keys, and no other was', async () => {
    const { page } = await open({ route: 'on-air' });
    const tile = page.getByRole('article', { name: 'Derby', exact: true });
    await tile.focus();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: 'Switch source of Derby' });
    const first = dialog.getByRole('radio', { name: /^Field 01/u });
    await until('the first that can be taken', () => first.evaluate((radio) => radio === document.activeElement));
    for (let turn = 0; turn < 4; turn += 1) await page.keyboard.press('ArrowDown');
    await dialog.getByRole('status').getByText('Field 05').waitFor();
    const orders = (): Promise<Record<string, unknown>[]> =>
      memory.app.rows('getAuditLog', { operation: 'runtimeApplySourceSwitch' });
    assert.equal((await orders()).length, 0, 'what is armed is not on air');
    await page.keyboard.press('Enter');
    await tile.getByText('Field 05').waitFor();
    assert.equal(await acts(page), 6);
    assert.equal((await orders()).length, 1);
    await page.context().close();
  });

  it('the beginning and end of a blackness are read after two presses', async () => {
    const { device } = memory.app;
    device.emit(runId, 'black', 'It is black.', 'warning', { channelId: 1, seconds: 60 });
    device.emit(runId, 'black_ended', 'It has a picture again.', 'info', { channelId: 1, seconds: 61 });
    await until('the event', async () => (await memory.app.rows('getAllEvents', { kind: 'black_ended' })).length > 0);
    const { page } = await open({ route: 'on-air' });
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByLabel('Kind').selectOption({ label: 'Black picture' });
    const row = page.getByRole('table', { name: 'Events' }).getByRole('row').filter({ hasText: 'Black picture' });
    await row.waitFor();
    assert.equal(await row.locator('time').count(), 2, 'set and cleared');
    assert.equal(await acts(page), 2);
    await page.context().close();
  });

  it('a show in a week of forty is an hour later after seven presses', async () => {
    const noon = Math.ceil(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;
    for (let number = 0; number < 40; number += 1) {
      const start = noon + (number % 7) * 24 * HOUR_MS + Math.floor(number / 7) * 1.5 * HOUR_MS;
      const [from, to] = [start, start + HOUR_MS / 2].map((at) => new Date(at).toISOString());
      await memory.app.data('addSchedule', {
        name: `Show ${number}`,
        livestreamId,
        start: from,
        end: to,
        timezone: 'UTC',
      });
    }
    const { page } = await open({ route: 'scheduler' });
    const bar = page.getByRole('button', { name: /^Derby, Show 0, planned/u });
    await bar.click();
    for (let turn = 0; turn < 4; turn += 1) await page.keyboard.press(']');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit Show 0' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await acts(page), 7);
    const [moved] = (await memory.app.rows('getAllSchedules', { search: 'Show 0' })).filter(
      ({ name }) => name === 'Show 0',
    );
    assert.equal(moved!['start'], new Date(noon + HOUR_MS).toISOString());
    await page.context().close();
  });

  it('a fault is acknowledged on a phone by two presses, and before everybody it is', async () => {
    const at = new Date(Date.now() - 60_000).toISOString();
    const { source } = memory.app.device.report(runId);
    memory.app.device.tell(runId, { source: { ...source, state: 'lost', last_frame_at: at } });
    // What is acknowledged is the event in the log.
    memory.app.device.emit(runId, 'source_lost', 'The source is lost.', 'warning', { channelId: 1 });
    await until('the event', async () => (await memory.app.rows('getAllEvents', { kind: 'source_lost' })).length > 0);
    const other = await memory.open({ role: 1, route: 'on-air' });
    const known = (await troubleList(other.page)).getByText('acknowledged by ana').first();
    const phone = await open({ route: 'on-air', width: 390, height: 844 });
    const attention = phone.page.getByRole('region', { name: 'Attention' });
    await attention.getByText('1 fault').waitFor();
    await attention.getByRole('button', { name: 'Show all' }).click();
    await phone.page.getByRole('button', { name: 'Acknowledge Derby' }).first().click();
    await known.waitFor();
    assert.equal(await acts(phone.page), 2);
    await other.page.getByRole('region', { name: 'Attention' }).getByText('1 acknowledged').waitFor();
    for (const { page } of [other, phone]) await page.context().close();
  });

  it('OBS goes on air to two platforms after ten presses, with its address and key shown, and a second time after two', async () => {
    const { page } = await open({ route: 'on-air' });
    await page.getByRole('link', { name: 'Live streams', exact: true }).click();
    await page.getByRole('button', { name: 'New Live stream' }).click();
    const wizard = page.getByRole('region', { name: 'Put a broadcast on air' });
    await wizard.getByLabel('Encoder that pushes').selectOption('OBS and others, by RTMP');
    await wizard.getByLabel('Name').fill('Vespers');
    await wizard.getByRole('button', { name: 'Deliver to one more' }).click();
    for (const [place, platform] of ['YouTube', 'Twitch'].entries()) {
      const destination = wizard.getByRole('group', { name: `Destination ${place + 1}` });
      await destination.getByLabel('Deliver to').selectOption(platform);
      await destination.getByLabel('Stream key').fill(`a-key-of-nobody-081${place}`);
    }
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    const encoder = wizard.getByRole('region', { name: 'The encoder' });
    await encoder.getByRole('button', { name: 'Copy server' }).waitFor();
    await encoder.getByText('Waiting for OBS').waitFor();
    assert.equal(await acts(page), 10);
    const { app } = memory;
    const [{ id }] = (await app.rows('getAllLivestreams', { search: 'Vespers' })) as [{ id: number }];
    const comes = async (): Promise<void> => {
      const run = await until('its run', async () => (await app.store.get('runs', id))?.row.runId);
      await until('the run at the Device', () => app.device.runIds.includes(run));
      app.device.running(run, { peaks: [-14, -17], flags: 0 });
    };
    await comes();
    await wizard.getByText('"Vespers" is on air.').waitFor();
    await app.data('stopLivestream', { livestreamId: id });
    const start = page.getByRole('button', { name: 'Start Vespers', exact: true });
    await start.click();
    await page.getByRole('dialog', { name: 'Start Vespers' }).getByRole('radio').first().waitFor();
    await until('the button', () => start.last().evaluate((button) => button === document.activeElement));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Start Vespers' }).waitFor({ state: 'detached' });
    assert.equal(await acts(page), 12);
    await comes();
    await page.getByRole('row').filter({ hasText: 'Vespers' }).getByText('Live · On air').waitFor();
    await page.context().close();
  });

  it('the line that makes a machine a Device is copied after four presses', async () => {
    const { page } = await open({ role: 1, route: 'on-air' });
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await page.getByRole('button', { name: 'Add an encoder machine' }).click();
    await page.getByRole('button', { name: 'Make the line' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an encoder machine' });
    await dialog.getByRole('alert').getByText('This server takes no Devices yet.').waitFor();
    await dialog.getByRole('button', { name: 'Copy command' }).click();
    assert.equal(await acts(page), 4);
    await page.context().close();
  });
});

describe('a wall of many', () => {
  /** Width, height, and how many of 12 and of 60 tiles are whole at least. */
  const SCREENS = [
    [1280, 800, 6, 6],
    [1440, 900, 8, 8],
    [1920, 1080, 12, 15],
    [390, 844, 3, 3],
  ] as const;
  const FAULTS = 50;
  const cleanUps: (() => unknown)[] = [];
  const runs: string[] = [];
  let memory: MemoryPage;
  let opened: OpenPage;
  before(async () => {
    memory = await openMemory(cleanUps);
    const { channelId, encodingId } = await addBroadcast(memory.app, '', 'Show 01');
    for (let number = 2; number <= 60; number += 1) {
      const { id: publishingId } = await memory.app.data('addPublishing', { name: `Web ${number}`, type: 'HLS / TS' });
      const name = `Show ${String(number).padStart(2, '0')}`;
      await memory.app.data('addLivestream', { name, channelId, encodingId, publishingId });
    }
    opened = await memory.open({ role: 2, route: 'on-air' });
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  async function startAll(count: number): Promise<void> {
    const rows = (await memory.app.rows('getAllLivestreams', { pageSize: 500, sort: 'name' })) as { id: number }[];
    for (const { id } of rows.slice(runs.length, count)) {
      const runId = await memory.start(id);
      memory.app.device.running(runId, { peaks: [-14, -17], flags: 0 });
      runs.push(runId);
    }
    await opened.page
      .locator('[data-livestream][data-state=on-air]')
      .nth(count - 1)
      .waitFor();
  }

  function tell(isWell: boolean): void {
    const at = new Date(Date.now() - (isWell ? 0 : 60_000)).toISOString();
    for (const runId of runs.slice(0, FAULTS)) {
      const { source } = memory.app.device.report(runId);
      memory.app.device.tell(runId, { source: { ...source, state: isWell ? 'up' : 'lost', last_frame_at: at } });
    }
  }

  /** Place and size of each tile, and how many have no corner outside the window or below something else. */
  const look = (): Promise<{ boxes: number[][]; whole: number }> =>
    opened.page.locator('[data-livestream]').evaluateAll((tiles) => {
      scrollTo(0, 0);
      const isWhole = (tile: Element): boolean => {
        const { left, right, top, bottom } = tile.getBoundingClientRect();
        return [left + 3, right - 3].every((x) =>
          [top + 3, bottom - 3].every((y) => tile.contains(document.elementFromPoint(x, y))),
        );
      };
      const boxes = tiles.map((tile) => {
        const { x, y, width, height } = tile.getBoundingClientRect();
        return [x, y, width, height];
      });
      return { boxes, whole: tiles.filter(isWhole).length };
    });

  for (const count of [12, 60] as const)
    it(`${count} on air: the tiles that are whole at four sizes, and none has moved after ${FAULTS} faults came and healed`, async (t) => {
      await startAll(count);
      for (const [width, height, of12, of60] of SCREENS) {
        await opened.page.setViewportSize({ width, height });
        const calm = await until('tiles at rest', async () => {
          const before = await look();
          await opened.page.waitForTimeout(300);
          const now = await look();
          return JSON.stringify(before) === JSON.stringify(now) && now;
        });
        const failing = opened.page.locator('[data-livestream][data-state=failing]');
        tell(false);
        await until('the faults', async () => (await failing.count()) === Math.min(FAULTS, count));
        const failed = await look();
        tell(true);
        await until('healed', async () => (await failing.count()) === 0);
        t.diagnostic(`${width} × ${height}: ${calm.whole} of ${count} whole`);
        assert.deepEqual([failed, await look()], [calm, calm], `${width} × ${height}`);
        assert.ok(calm.whole >= (count === 12 ? of12 : of60), `${width} × ${height}: ${calm.whole} whole`);
      }
    });
});
