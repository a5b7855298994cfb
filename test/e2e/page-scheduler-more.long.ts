/** The Scheduler page over a Device in memory: pickers, planned actions, room, the week's choice, what became of the past, moved series, conflicts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page, Route } from 'playwright-core';
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

describe('pickers of forms', () => {
  const { on, open, close } = stage();
  before(open);
  after(close);

  it('a label names one field, open or not, and what was typed but not chosen is taken, or told and not saved', async () => {
    const { page, faults, assertAccessible } = await on().open({ role: 2, route: 'live-streams' });
    await page.getByRole('button', { name: 'New Live stream', exact: true }).click();
    await page.getByRole('link', { name: 'All settings' }).click();
    const form = page.getByRole('form', { name: 'New Live stream' });
    await form.getByRole('combobox', { name: 'Source', exact: true }).waitFor();
    for (const label of ['Source', 'Encoding', 'Destination', 'Where'])
      assert.equal(await form.getByLabel(label, { exact: true }).count(), 1, label);
    const source = form.getByLabel('Source', { exact: true });
    await source.click();
    await form.getByRole('option', { name: 'Camera' }).waitFor();
    assert.equal(await form.getByLabel('Source', { exact: true }).count(), 1);
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

describe('planned actions in the Scheduler', () => {
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

describe('room for what is planned', () => {
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

describe('a series in the Scheduler', () => {
  const { on, open, close } = stage();
  before(open);
  after(close);
  const bar = (page: Page, name: string): Locator => page.getByRole('button', { name: new RegExp(`^Show, ${name}, `) });

  /** Moves the one in focus by 15 minutes and answers the question. */
  async function moveSeries(page: Page, at: Locator, question: RegExp): Promise<void> {
    await at.focus();
    await page.keyboard.press(']');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: /^Move / });
    await dialog.getByText(question).waitFor();
    await dialog.getByText(/^From \w{3} .* \d\d:\d\d – .* to \w{3} .* \d\d:\d\d – /u).waitFor();
    await dialog.getByRole('button', { name: 'Move the series' }).click();
  }

  it('one that has begun keeps what comes before: it ends, a new one begins, and what was skipped stays skipped', async () => {
    const { app, plan } = on();
    const id = await plan('News', 0, 'daily');
    const DAY = 24;
    // Before noon there is one more.
    const today = 1 + Math.floor((Date.parse(iso(-DAY)) - Date.now()) / (DAY * HOUR_MS));
    await app.store.tx((tx) => {
      const row = tx.get('schedules', id)!;
      tx.put('schedules', { ...row, start: iso(-4 * DAY), end: iso(-4 * DAY + 1), effective_from: iso(-DAY) });
    });
    await app.data('skipOccurrence', { scheduleId: id, occurrence_start: iso(4 * DAY) });
    await plan('Late', 2 * DAY + 1.1);
    const { page, assertAccessible } = await on().open({ role: 2, route: 'scheduler' });
    await bar(page, 'News').nth(4).waitFor();
    await moveSeries(
      page,
      bar(page, 'News, planned').nth(2 + today),
      new RegExp(`The ${2 + today} before it stay`, 'u'),
    );
    const add = dialogOf(page, 'New Schedule');
    await add.getByRole('button', { name: 'Save' }).click();
    await add.getByText('"Late" has Live stream').first().waitFor();
    const { recurrence } = await app.data('getScheduleById', { scheduleId: id });
    assert.equal((recurrence as { until: string | null }).until, null);
    await assertAccessible();
    await add.getByRole('button', { name: 'Cancel' }).click();
    await moveSeries(
      page,
      bar(page, 'News, planned').nth(3 + today),
      new RegExp(`The ${3 + today} before it stay`, 'u'),
    );
    await add.getByRole('button', { name: 'Save' }).click();
    await add.waitFor({ state: 'detached' });
    const rows = await app.rows('getAllSchedules', { search: 'News' });
    const [old, next] = [rows.find((row) => row['id'] === id)!, rows.find((row) => row['id'] !== id)!];
    assert.equal((old['recurrence'] as { until: string }).until, iso(3 * DAY));
    assert.equal(next['start'], iso(3 * DAY + 0.25));
    await until('the skip is carried', async () => {
      const skips = await app.rows('listScheduleSkips', { scheduleId: next['id'] });
      return skips.length === 1 && skips[0]!['occurrence_start'] === iso(4 * DAY + 0.25);
    });
    await page.context().close();
  });

  it('seven days show hours, and each bar has its name beside or below the others; Today is pressed on the first day alone', async () => {
    await on().plan('Choir rehearsal with guests', 2);
    for (const [width, height] of [
      [1280, 800],
      [1440, 900],
      [1920, 1080],
    ] as const) {
      const { page } = await on().open({ role: 2, route: 'scheduler', width, height });
      await bar(page, 'Choir rehearsal with guests').waitFor();
      assert.equal(await page.getByRole('radio', { name: '7 days', exact: true }).isChecked(), true);
      const texts = await page.locator('.timeline-row [aria-hidden=true]').evaluateAll((spans) =>
        spans.map((span) => {
          const { left, top, right, bottom } = span.getBoundingClientRect();
          return { text: span.textContent ?? '', left, top, right, bottom };
        }),
      );
      const names = texts.filter(({ text }) => /News|Late|Choir/u.test(text));
      assert.ok(names.length >= 3, JSON.stringify(texts));
      for (const one of names) {
        assert.ok(one.right - one.left >= 50, `${one.text} has ${one.right - one.left} px at ${width}`);
        const covers = names.filter(
          (other) =>
            other !== one &&
            other.top < one.bottom &&
            other.bottom > one.top &&
            other.left < one.right &&
            other.right > one.left,
        );
        assert.deepEqual(covers, [], `${one.text} at ${width}`);
      }
      const hours = await page.locator('.timeline-head small').allTextContents();
      assert.deepEqual([...new Set(hours)], ['06', '12', '18']);
      const today = page.getByRole('button', { name: 'Today' });
      assert.equal(await today.getAttribute('aria-pressed'), 'true');
      await page.getByRole('button', { name: 'Later' }).click();
      assert.equal(await today.getAttribute('aria-pressed'), 'false');
      await page.context().close();
    }
  });

  it('pause, end, skip and delete of a Schedule that somebody has changed ask first', async () => {
    const { app, plan } = on();
    const id = await plan('Mass', 6, 'daily');
    const { page } = await on().open({ role: 2, route: 'scheduler' });
    await bar(page, 'Mass').nth(1).click();
    const region = page.getByRole('region', { name: 'Occurrence' });
    const changed = dialogOf(page, 'Changed meanwhile');
    /** Another person's change that the page has not heard of when the button is pressed. */
    const pressAfterChange = async (press: () => Promise<void>, description: string): Promise<void> => {
      const change = async (route: Route): Promise<void> => {
        await app.data('updateSchedule', { scheduleId: id, description });
        await route.continue();
      };
      await page.route(/\/schedules\/\d+$/u, change, { times: 1 });
      await press();
      await changed.getByText(description).waitFor();
    };
    await region.getByRole('button', { name: 'Pause series' }).waitFor();
    await pressAfterChange(() => region.getByRole('button', { name: 'Pause series' }).click(), 'at the chapel');
    await changed.getByRole('button', { name: 'Take theirs' }).click();
    assert.equal((await app.data('getScheduleById', { scheduleId: id }))['enabled'], true);
    await pressAfterChange(() => region.getByRole('button', { name: 'Skip this one' }).click(), 'at the arena');
    await changed.getByRole('button', { name: 'Keep mine' }).click();
    await region.getByRole('button', { name: 'Restore' }).waitFor();
    await page.context().close();
  });
});

const STREAMS = 200;

describe('a full week in the Scheduler', () => {
  const { on, open, close } = stage();
  before(open);
  after(close);

  it('200 rows with 1,400 occurrences are painted, and a bar among them is dragged; the week shows the streams that are chosen', async () => {
    const { app, show } = on();
    const { channelId, encodingId, publishingId } = show;
    for (let number = 1; number < STREAMS; number += 1)
      await app.data('addLivestream', { name: `Stream ${number}`, channelId, encodingId, publishingId });
    const streams = await app.rows('getAllLivestreams', { pageSize: 500 });
    for (const { id } of streams)
      await app.data('addSchedule', {
        name: `Daily ${id}`,
        livestreamId: id,
        start: iso(-12),
        end: iso(-10),
        timezone: 'UTC',
        recurrence: { type: 'daily' },
      });
    const { page } = await on().open({ role: 2, route: 'on-air', width: 1440, height: 900 });
    const bars = page.getByRole('button', { name: /, planned, / });
    await page.evaluate("location.hash = '#/scheduler'");
    await bars.first().waitFor();
    const moved = await page.evaluate(`(() => {
        const bar = document.querySelectorAll('button.bar-planned')[1];
        const { left, top, width } = bar.getBoundingClientRect();
        const at = (type, x) => bar.dispatchEvent(
          new PointerEvent(type, { clientX: x, clientY: top + 9, button: 0, bubbles: true, isPrimary: true }));
        at('pointerdown', left + width / 2);
        at('pointermove', left + width / 2 + 80);
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
          const now = document.querySelector('.bar-draft')?.getBoundingClientRect().left ?? left;
          at('pointercancel', left + width / 2 + 80);
          resolve(now - left);
        })));
      })()`);
    assert.ok(Number(moved) > 0, `moved by ${moved} px`);
    await page.getByRole('radio', { name: 'Week' }).check();
    await page.getByRole('button', { name: 'Choose Live streams' }).click();
    const dialog = dialogOf(page, 'Live streams in the week');
    await dialog.getByRole('checkbox', { checked: true }).last().uncheck();
    await dialog.getByRole('searchbox', { name: 'Filter' }).fill('Stream 150');
    await dialog.getByRole('checkbox', { name: 'Stream 150' }).check();
    await dialog.getByRole('button', { name: 'Show these' }).click();
    await page
      .getByRole('button', { name: /^Stream 150, Daily/ })
      .first()
      .waitFor();
    await page.context().close();
  });
});
