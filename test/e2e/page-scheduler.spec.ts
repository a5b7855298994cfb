/** The Scheduler in a browser, over the Device in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';
import type { OpenPage } from './page-fixture.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;

describe('the page Scheduler', () => {
  let memory: MemoryPage;
  let livestreamId: number;

  const cleanUps: (() => unknown)[] = [];

  before(async () => {
    memory = await startMemoryPage({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    const { app } = memory;
    const { id: channelId } = await app.data('addChannel', {
      name: 'Camera',
      type: 'Stream',
      settings: { url: 'http://127.0.0.1:9/a.m3u8' },
    });
    const { id: encodingId } = await app.data('addEncoding', {
      name: '360p',
      settings_video: { height: 360, bitrate: 700 },
    });
    const { id: publishingId } = await app.data('addPublishing', { name: 'Web', type: 'HLS / TS' });
    livestreamId = (await app.data('addLivestream', { name: 'Chapel', channelId, encodingId, publishingId }))
      .id as number;
  });

  after(async () => {
    for (const task of cleanUps) await task();
  });

  const schedule = (name: string, inHours: number, recurrence = 'none'): Promise<{ id: number }> => {
    // Whole hours, so that a step of a quarter is one.
    const start = Math.ceil((Date.now() + inHours * HOUR_MS) / HOUR_MS) * HOUR_MS;
    const span = { start: new Date(start).toISOString(), end: new Date(start + HOUR_MS).toISOString() };
    return memory.app.data('addSchedule', { name, livestreamId, ...span, recurrence: { type: recurrence } }) as never;
  };

  async function openScheduler(role: 1 | 2, width = 1280): Promise<OpenPage> {
    const opened = await memory.open({ role, width, route: 'scheduler' });
    await opened.page.getByRole('heading', { level: 1, name: 'Scheduler' }).waitFor();
    return opened;
  }

  it('a Schedule is made in the dialog, shown in the list, skipped, restored, edited and deleted, by an operator', async () => {
    const { page, faults, assertAccessible, assertReflow } = await openScheduler(2, 375);
    const list = page.getByRole('radio', { name: 'List' });
    assert.ok(await list.isChecked(), 'a narrow window has the list');
    await page.getByRole('button', { name: 'New Schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New Schedule' });
    await dialog.getByLabel('Name', { exact: true }).fill('Mass');
    await dialog.getByRole('combobox', { name: 'Live stream' }).fill('Chap');
    await page.getByRole('option', { name: /Chapel/u }).click();
    await dialog.getByLabel('Time zone').fill('Europe/Zurich');
    const day = new Date(Date.now() + 48 * HOUR_MS).toISOString().slice(0, 10);
    await dialog.getByLabel('Start').fill(`${day}T09:00`);
    await dialog.getByLabel('End').fill(`${day}T10:30`);
    await dialog.getByLabel('Repeat').selectOption('Daily');
    await assertAccessible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const table = page.getByRole('table', { name: 'Occurrences' });
    const row = table
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'Mass' }) })
      .first();
    await row.getByText('planned').waitFor();
    await row.click();
    const region = page.getByRole('region', { name: 'Occurrence' });
    await region.getByRole('button', { name: 'Skip this one' }).click();
    await row.getByText('skipped').waitFor();
    await region.getByRole('button', { name: 'Restore' }).click();
    await row.getByText('planned').waitFor();
    await region.getByRole('button', { name: 'Pause series' }).click();
    await region.getByRole('button', { name: 'Resume series' }).click();
    await region.getByRole('button', { name: 'Pause series' }).waitFor();
    await region.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Mass' });
    await edit.getByLabel('Name', { exact: true }).fill('High mass');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await region.getByRole('heading', { name: 'High mass' }).waitFor();
    await assertAccessible();
    await assertReflow();
    await region.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete High mass?' });
    await question.getByRole('button', { name: 'Delete High mass' }).click();
    await until(
      'no occurrence of it',
      async () => (await page.getByText('High mass').count()) === 0 || (await table.count()) === 0,
    );
    assert.deepEqual(faults(), []);
  });

  it('an occurrence is moved by keys: nothing is saved before the dialog is', async () => {
    const { id } = await schedule('Vesper', 2);
    const before = await memory.app.data('getScheduleById', { scheduleId: id });
    const { page, faults, assertAccessible } = await openScheduler(1);
    const item = page.getByRole('button', { name: /^Chapel, Vesper, planned, / }).first();
    await item.focus();
    await page.keyboard.press(']');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit Vesper' });
    await dialog.waitFor();
    assert.deepEqual(await memory.app.data('getScheduleById', { scheduleId: id }), before);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const after = await memory.app.data('getScheduleById', { scheduleId: id });
    assert.equal(Date.parse(after.start as string) - Date.parse(before.start as string), 15 * 60_000);
    await assertAccessible();
    assert.deepEqual(faults(), []);
  });

  it('an overlap is refused in the words of the server, and the dialog stays', async () => {
    await schedule('Concert', 30);
    const { page } = await openScheduler(2);
    await page.getByRole('button', { name: 'New Schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New Schedule' });
    const start = new Date(Math.ceil((Date.now() + 30 * HOUR_MS) / HOUR_MS) * HOUR_MS).toISOString();
    await dialog.getByLabel('Name', { exact: true }).fill('Rival');
    await dialog.getByRole('combobox', { name: 'Live stream' }).fill('Chap');
    await page.getByRole('option', { name: /Chapel/u }).click();
    await dialog.getByLabel('Time zone').fill('UTC');
    await dialog.getByLabel('Start').fill(start.slice(0, 16));
    await dialog.getByLabel('End').fill(new Date(Date.parse(start) + HOUR_MS).toISOString().slice(0, 16));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByText(/Concert/u)
      .first()
      .waitFor();
  });

  it('a time that clocks skip is told at its field', async () => {
    const { page } = await openScheduler(2);
    await page.getByRole('button', { name: 'New Schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New Schedule' });
    await dialog.getByLabel('Time zone').fill('Europe/Zurich');
    await dialog.getByLabel('Start').fill('2027-03-28T02:30');
    await dialog.getByText('Clocks in Europe/Zurich skip this time').waitFor();
  });

  it('the week has a row a day, and a key takes a move back', async () => {
    await schedule('Choir', 50, 'weekly');
    const { page, assertAccessible } = await openScheduler(2);
    await page.getByRole('radio', { name: 'Week' }).check({ force: true });
    const item = page.getByRole('button', { name: /^Chapel, Choir, planned, / });
    const name = await item.getAttribute('aria-label');
    await item.focus();
    await page.keyboard.press(']');
    await until('it stands later', async () => (await item.getAttribute('aria-label')) !== name);
    await page.keyboard.press('Escape');
    await until('it stands where it was', async () => (await item.getAttribute('aria-label')) === name);
    await page.keyboard.press(']');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Move Choir?' }).getByRole('button', { name: 'Only this one' }).click();
    await page.getByRole('button', { name: /^Chapel, Choir, skipped, / }).waitFor();
    await assertAccessible();
  });
});
