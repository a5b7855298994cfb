/** The Scheduler page in Chromium: what is planned, made, edited, skipped, paused, ended and deleted. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { until } from '../helpers/until.ts';
import { startPageServer, type PageServer } from './page-fixture.ts';

const HOUR_MS = 3_600_000;

describe('the Scheduler page', () => {
  let server: PageServer;
  let show: SmallBroadcast;
  const cleanUps: (() => unknown)[] = [];
  /** Noon of the next day, so that it is one page later at any hour. */
  const tomorrow = Math.ceil(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;
  const iso = (hours: number): string => new Date(tomorrow + hours * HOUR_MS).toISOString();
  const plan = (name: string, hours: number, type = 'none'): Promise<number> =>
    server.service.create('/schedules', {
      name,
      livestreamId: show.livestreamId,
      start: iso(hours),
      end: iso(hours + 1),
      timezone: 'UTC',
      recurrence: { type },
    });

  before(async () => {
    server = await startPageServer({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    show = await smallBroadcast(server.service);
    await plan('News', 0, 'daily');
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  it('a Schedule is made and edited in its own zone, and what the server refuses stands at its field', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: 'scheduler' });
    await page.getByRole('radio', { name: 'List' }).check();
    const table = page.getByRole('table', { name: 'Occurrences' });
    await table.getByRole('rowheader', { name: 'News' }).first().waitFor();
    await page.getByRole('button', { name: 'New Schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New Schedule' });
    await dialog.getByLabel('Name', { exact: true }).fill('Derby');
    await dialog.getByRole('combobox', { name: 'Live stream' }).click();
    await dialog.getByRole('option', { name: 'Show', exact: true }).click();
    const zone = dialog.getByLabel('Time zone', { exact: true });
    await zone.fill('Europe/Zurich');
    const [start, end] = [dialog.getByLabel('Start', { exact: true }), dialog.getByLabel('End', { exact: true })];
    await start.fill('2027-03-28T02:30');
    await dialog.getByText('There is no such time in Europe/Zurich').waitFor();
    await start.fill('2027-10-31T02:30');
    await dialog.getByText('This time comes twice in Europe/Zurich').waitFor();
    const local = new Date(tomorrow + 5 * HOUR_MS).toISOString().slice(0, 16);
    await start.fill(local);
    await end.fill(local);
    await dialog.getByLabel('Repeat', { exact: true }).selectOption('Weekly');
    await assertAccessible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must be later than start').first().waitFor();
    assert.equal(await end.getAttribute('aria-invalid'), 'true');
    await end.fill(local.replace(/T.*/u, 'T23:59'));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until('saved', async () => (await page.getByRole('dialog').count()) === 0);
    const region = page.getByRole('region', { name: 'Occurrence' });
    await region.getByText('Derby').waitFor();
    await region.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Derby' });
    assert.equal(await edit.getByLabel('Start', { exact: true }).inputValue(), local);
    assert.equal(await edit.getByLabel('Repeat', { exact: true }).inputValue(), 'weekly');
    await edit.getByLabel('Name', { exact: true }).fill('Cup');
    await edit.getByRole('button', { name: 'Save' }).click();
    await table.getByRole('rowheader', { name: 'Cup' }).first().waitFor();
    assert.deepEqual(
      faults().filter((fault) => !/4\d\d/u.test(fault)),
      [],
    );
    await page.context().close();
  });

  it('the Rundown is walked, moved and taken back by keys; a move of one of a series asks what is moved', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: 'scheduler' });
    await page.getByRole('searchbox', { name: 'Filter' }).fill('News');
    await until(
      'the other one is left out',
      async () => (await page.getByRole('button', { name: /, Cup, /u }).count()) === 0,
    );
    const bars = page.getByRole('button', { name: /^Show, News, planned, .* to / });
    await bars.nth(1).waitFor();
    await bars.first().focus();
    await page.keyboard.press('ArrowRight');
    assert.ok(await bars.nth(1).evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Occurrence' }).getByRole('heading', { name: 'Show · News' }).waitFor();
    await page.keyboard.press(']');
    await page.keyboard.press('Shift+}');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.keyboard.press(']');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Move News?' }).getByRole('button', { name: 'Move the series' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit News' });
    const wanted = new Date(tomorrow + HOUR_MS / 4).toISOString().slice(0, 16);
    assert.equal(await edit.getByLabel('Start', { exact: true }).inputValue(), wanted);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await bars.first().focus();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New Schedule' }).waitFor();
    await page.keyboard.press('Escape');
    await assertAccessible();
    await page.getByRole('radio', { name: 'Week' }).check();
    await bars.first().waitFor();
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('a drag opens the dialog with its times, and an overlap is refused in the words of the server', async () => {
    const { page } = await server.open({ role: 2, route: 'scheduler' });
    await page.getByRole('radio', { name: '1 day' }).check();
    await page.getByRole('button', { name: 'Later' }).click();
    const bar = page.getByRole('button', { name: /^Show, News, planned, .* to / }).first();
    const box = (await bar.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height + 6);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 2, box.y + box.height + 6, { steps: 5 });
    await page.getByText('Overlaps News').waitFor();
    await page.mouse.up();
    const dialog = page.getByRole('dialog', { name: 'New Schedule' });
    await dialog.getByLabel('Name', { exact: true }).fill('Beside');
    assert.match(await dialog.getByLabel('Start', { exact: true }).inputValue(), /:(?:00|15|30|45)$/u);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('"News" has Live stream').first().waitFor();
    await page.context().close();
  });

  it('a phone shows the List first and scrolls one way', async () => {
    const { page, faults, assertAccessible, assertReflow } = await server.open({
      role: 2,
      width: 375,
      route: 'scheduler',
    });
    await page.getByRole('table', { name: 'Occurrences' }).waitFor();
    await assertAccessible();
    await assertReflow();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('one is skipped, taken back, and restored; a series is paused, resumed, ended and deleted', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: 'scheduler' });
    await page.getByRole('radio', { name: 'List' }).check();
    const table = page.getByRole('table', { name: 'Occurrences' });
    await page.getByRole('searchbox', { name: 'Filter' }).fill('News');
    await table.getByRole('button', { name: 'News' }).nth(2).click();
    const region = page.getByRole('region', { name: 'Occurrence' });
    const act = (name: string) => region.getByRole('button', { name, exact: true });
    await act('Skip this one').click();
    await act('Restore').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await act('Skip this one').waitFor();
    await act('Skip this one').click();
    await act('Restore').click();
    await act('Skip this one').waitFor();
    await assertAccessible();
    await act('Pause series').click();
    await act('Resume series').waitFor();
    await page.getByRole('region', { name: 'Paused Schedules' }).getByRole('button', { name: 'Open News' }).waitFor();
    await act('Resume series').click();
    await act('Skip this one').waitFor();
    await act('End series from here').click();
    await page.getByRole('dialog', { name: 'End News?' }).getByRole('button', { name: 'End News' }).click();
    await until('two are left', async () => (await table.getByRole('rowheader', { name: 'News' }).count()) === 2);
    await act('Delete').click();
    await page.getByRole('dialog', { name: 'Delete News?' }).getByRole('button', { name: 'Delete News' }).click();
    await until('none is left', async () => (await table.getByRole('rowheader', { name: 'News' }).count()) === 0);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });
});
