/** The Scheduler page over a Device in memory: pickers, planned actions, room, the week's choice, what became of the past, moved series, conflicts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addBroadcast } from '../app/broadcast.ts';
import { until } from '../helpers/until.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

const HOUR_MS = 3_600_000;

interface Stage extends MemoryPage {
  show: Awaited<ReturnType<typeof addBroadcast>>;
  /** Plans a Schedule of the Live stream Show so many hours after the noon of tomorrow. */
  plan(name: string, hours: number, type?: string, more?: object): Promise<number>;
}

/** Noon of the next day, so that it is one page later at any hour. */
const tomorrow = Math.ceil(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;
const iso = (hours: number): string => new Date(tomorrow + hours * HOUR_MS).toISOString();

function stage(): { on: () => Stage; open: () => Promise<void>; close: () => Promise<void> } {
  let made: Stage | undefined;
  const cleanUps: (() => unknown)[] = [];
  return {
    on: () => made!,
    async open() {
      const memory = await startMemoryPage({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
      const show = await addBroadcast(memory.app);
      made = {
        ...memory,
        show,
        async plan(name, hours, type = 'none', more = {}) {
          const { livestreamId } = show;
          const times = { start: iso(hours), end: iso(hours + 1), timezone: 'UTC' };
          return (await memory.app.data('addSchedule', { name, livestreamId, ...times, recurrence: { type }, ...more }))
            .id;
        },
      };
    },
    async close() {
      for (const task of cleanUps) await task();
    },
  };
}

const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });

describe('pickers of forms', { timeout: 300_000 }, () => {
  const { on, open, close } = stage();
  before(open);
  after(close);

  it('a label names one field, open or not, and what was typed but not chosen is taken, or told and not saved', async () => {
    const { page, faults, assertAccessible } = await on().open({ role: 2, route: 'live-streams' });
    await page.getByRole('button', { name: 'New Live stream', exact: true }).click();
    const form = page.getByRole('form', { name: 'New Live stream' });
    await form.getByRole('combobox', { name: 'Source' }).waitFor();
    for (const label of ['Source', 'Encoding', 'Destination', 'Where'])
      assert.equal(await form.getByLabel(label).count(), 1, label);
    const source = form.getByLabel('Source');
    await source.click();
    await form.getByRole('option', { name: 'Camera' }).waitFor();
    assert.equal(await form.getByLabel('Source').count(), 1);
    await assertAccessible();
    await form.getByLabel('Name').first().fill('Derby');
    await source.fill('camera');
    await form.getByLabel('Encoding').fill('720P');
    await form.getByLabel('Destination').fill('nowhere');
    assert.equal(await source.inputValue(), 'Camera');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('“nowhere” is not in the list').waitFor();
    assert.equal(await form.getByLabel('Destination').getAttribute('aria-invalid'), 'true');
    await until('focus at the field', () =>
      form.getByLabel('Destination').evaluate((element) => element === document.activeElement),
    );
    await assertAccessible();
    await form.getByLabel('Destination').fill('web');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const [row] = await on().app.rows('getAllLivestreams', { search: 'Derby', includeChannel: true });
    assert.equal((row?.['channel'] as { name: string }).name, 'Camera');
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('the Live stream of a Schedule is named whole and never lost', async () => {
    const { page } = await on().open({ role: 2, route: 'scheduler' });
    await page.getByRole('button', { name: 'New Schedule' }).click();
    const dialog = dialogOf(page, 'New Schedule');
    const stream = dialog.getByLabel('Live stream');
    await dialog.getByLabel('Name', { exact: true }).fill('Cup');
    await stream.fill('shower');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('“shower” is not in the list').waitFor();
    assert.equal(await stream.inputValue(), 'shower');
    await stream.press('Escape');
    assert.equal(await stream.inputValue(), '');
    await stream.fill('SHOW');
    await stream.press('Tab');
    await until('it is taken', async () => (await stream.inputValue()) === 'Show');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.context().close();
  });
});

describe('planned actions in the Scheduler', { timeout: 300_000 }, () => {
  const { on, open, close } = stage();
  before(open);
  after(close);

  it('one is added to an occurrence, moved by drag and by keys, and saved only by its dialog', async () => {
    const { app, show } = on();
    await on().plan('News', 0);
    const { page, faults, assertAccessible } = await on().open({ role: 2, route: 'scheduler' });
    await page.getByRole('button', { name: /^Show, News, planned/ }).click();
    const region = page.getByRole('region', { name: 'Occurrence' });
    await region.getByRole('button', { name: 'Add a planned action' }).click();
    const add = dialogOf(page, 'New planned action of Show');
    await add.getByLabel('What', { exact: true }).selectOption('cue');
    await add.getByLabel('Duration (s)').fill('90');
    await assertAccessible();
    await add.getByRole('button', { name: 'Plan it' }).click();
    await region.getByText('cue 90 s').first().waitFor();
    const stored = async (): Promise<Record<string, unknown>> =>
      (await app.rows('getAllPlannedActions', { livestreamId: show.livestreamId }))[0]!;
    const { execute_at } = await stored();
    assert.equal(execute_at, new Date(tomorrow + 300_000).toISOString());
    const mark = page.getByRole('button', { name: /^Show, cue 90 s, / });
    const box = (await mark.boundingBox())!;
    await page.mouse.move(box.x + 12, box.y + 12);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 12, { steps: 4 });
    await page.mouse.up();
    const edit = dialogOf(page, 'Edit cue 90 s of Show');
    const moved = await edit.getByLabel('When').inputValue();
    assert.match(moved, /:(?:00|15|30|45)$/u);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    assert.equal((await stored())['execute_at'], execute_at);
    await mark.focus();
    await page.keyboard.press(']');
    await page.keyboard.press('Escape');
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    await page.keyboard.press('Enter');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    assert.equal((await stored())['execute_at'], new Date(tomorrow + 2_100_000).toISOString());
    await mark.press('ArrowLeft');
    await region.getByRole('button', { name: /^Delete cue 90 s/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete cue/ })
      .click();
    await until('it is gone', async () => (await mark.count()) === 0);
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });
});

describe('room for what is planned', { timeout: 300_000 }, () => {
  const { on, open, close } = stage();
  before(open);
  after(close);

  it('more at once than there are slots is told where it is', async () => {
    const { app, show, plan } = on();
    app.device.cores = 2;
    app.device.goOffline();
    app.device.goOnline();
    const { channelId, encodingId, publishingId } = show;
    await plan('News', 0);
    for (const name of ['Chapel', 'Arena']) {
      const { id } = await app.data('addLivestream', { name, channelId, encodingId, publishingId });
      await plan(`${name} live`, 0, 'none', { livestreamId: id });
    }
    const { page, faults, assertAccessible } = await on().open({ role: 2, route: 'scheduler' });
    const room = page.getByRole('group', { name: 'studio: at most 3 at once, 2 slots' });
    await room.getByText('3 want studio, 2 slots').waitFor();
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });
});
