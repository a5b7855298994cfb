/** The page Live streams over a Device in memory: every name, state and role; the start, the stop, the editor and the wizard's fields. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addBroadcast } from '../app/broadcast.ts';
import { until } from '../helpers/until.ts';
import type { OpenOptions, OpenPage } from './page-fixture.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

interface Stage extends MemoryPage {
  ids: Record<'news' | 'chapel' | 'arena' | 'studio' | 'starting', number>;
  runs: Record<'studio' | 'starting', string>;
}

const rowOf = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: 'Live streams' })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) });

function stage(): { on: () => Stage; close: () => Promise<void>; open: () => Promise<void> } {
  let made: Stage | undefined;
  const cleanUps: (() => unknown)[] = [];
  return {
    on: () => made!,
    async open() {
      const memory = await startMemoryPage({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
      memory.app.device.cores = 64;
      memory.app.device.goOffline();
      memory.app.device.goOnline();
      const { app } = memory;
      const { channelId, encodingId, publishingId, livestreamId: studio } = await addBroadcast(app, '', 'Studio 1');
      const add = async (name: string, more: object = {}): Promise<number> =>
        (await app.data('addLivestream', { name, channelId, encodingId, publishingId, ...more })).id;
      const [news, chapel, arena, starting] = [
        await add('Evening news'),
        await add('Chapel', { enabled: false }),
        await add('Arena 2'),
        await add('Derby'),
      ];
      const run = await memory.start(studio);
      app.device.running(run);
      const failing = await memory.start(arena);
      app.device.failed(failing, 'The source answers "bad key".');
      const begun = await memory.start(starting);
      await until('a failed start', async () => (await app.store.get('runs', arena))?.row.status === 3);
      made = { ...memory, ids: { news, chapel, arena, studio, starting }, runs: { studio: run, starting: begun } };
    },
    async close() {
      for (const task of cleanUps) await task();
    },
  };
}

async function shown(on: Stage, options: OpenOptions = {}): Promise<OpenPage> {
  const opened = await on.open({ role: 2, route: 'live-streams', ...options });
  await rowOf(opened.page, 'Studio 1').getByText('On air').waitFor();
  return opened;
}

describe('the list of Live streams', () => {
  const { on, open, close } = stage();
  before(open);
  after(close);

  it('each row has its name as header, Live or Off with the state in words, and the button that fits', async () => {
    const { page, faults, assertAccessible } = await shown(on());
    for (const [name, state, button] of [
      ['Studio 1', 'Live · On air', 'Stop Studio 1'],
      ['Arena 2', 'Live · Failed', 'Start Arena 2'],
      ['Derby', 'Live · Starting', 'Stop Derby'],
      ['Evening news', 'Off', 'Start Evening news'],
    ] as const) {
      const row = rowOf(page, name);
      assert.equal(await row.getByText(state, { exact: true }).count(), 1, name);
      assert.equal(await row.getByRole('button', { name: button, exact: true }).count(), 1, name);
      assert.equal(await row.getByRole('button', { name: `Open ${name}`, exact: true }).count(), 1, name);
    }
    assert.match((await rowOf(page, 'Arena 2').textContent()) ?? '', /bad key/u);
    assert.match((await rowOf(page, 'Studio 1').textContent()) ?? '', /Camera \(Stream\).*720p.*Web.*studio \/ 1/u);
    const steps = page.getByRole('list', { name: 'Steps of Derby' }).getByRole('listitem');
    assert.deepEqual(await steps.allTextContents(), [
      'Capacity reserved: done',
      'Source sends: under way',
      'Encoder runs: waits',
      'First Destination up: waits',
    ]);
    assert.match((await rowOf(page, 'Derby').textContent()) ?? '', /Given up in \d+ s/u);
    assert.equal(await page.evaluate(() => performance.getEntriesByName('useful').length > 0), true);
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('filter, radios and count go together, and keys walk from the filter through the rows to the dialogs', async () => {
    const { page, faults } = await shown(on());
    const count = page.getByRole('status', { name: 'Count' });
    const show = page.getByRole('radiogroup', { name: 'Show' });
    assert.equal(await count.textContent(), '5 of 5');
    for (const [choice, wanted] of [
      ['Live', '3 of 5'],
      ['Off', '2 of 5'],
      ['Failed', '1 of 5'],
      ['All', '5 of 5'],
    ] as const) {
      await show.getByRole('radio', { name: choice, exact: true }).check();
      await until(choice, async () => (await count.textContent()) === wanted);
    }
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('/');
    await page.keyboard.type('e');
    await until('the filtered list', async () => (await count.textContent()) === '4 of 5');
    await page.keyboard.press('ArrowDown');
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.querySelector('th')?.textContent);
    assert.equal(await focused(), 'Arena 2');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 'Chapel');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.getByRole('dialog', { name: 'Stop Derby?' }).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await focused(), 'Derby');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Start Chapel' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Chapel', exact: true }).waitFor();
    assert.match(page.url(), /#\/live-streams\/\d+$/u);
    await page.keyboard.press('Escape');
    assert.equal(await focused(), 'Chapel');
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('three chosen streams are stopped only after their number was typed', async () => {
    const { page, faults } = await shown(on());
    for (const name of ['Evening news', 'Chapel', 'Arena 2', 'Studio 1'])
      await page.getByLabel(`Choose ${name}`).check();
    await page.getByRole('button', { name: 'Start 3', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Start 3 Live streams?' });
    const button = dialog.getByRole('button', { name: 'Start 3' });
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await dialog.getByLabel('Type 3 to go on').fill('3');
    assert.equal(await button.getAttribute('aria-disabled'), null);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Enable 1' }).click();
    const enable = page.getByRole('dialog', { name: 'Enable 1 Live streams?' });
    assert.equal(await enable.getByRole('textbox').count(), 0);
    await page.keyboard.press('Escape');
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('a range is chosen by Shift, its acts are in the palette, and a column that nobody wants stays away', async () => {
    const { page, faults, assertAccessible } = await shown(on());
    await page.getByLabel('Choose Arena 2').check();
    await page.getByLabel('Choose Evening news').click({ modifiers: ['Shift'] });
    await page.getByText('4 chosen').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, stream or act' }).fill('start 3');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Start 3 Live streams?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Encoding' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Encoding' }).uncheck();
    await assertAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Encoding' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('columnheader', { name: 'Source' }).waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Encoding' }).count(), 0);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  for (const [width, theme] of [
    [1280, 'light'],
    [375, 'dark'],
  ] as const)
    it(`at ${width} px in the ${theme} theme list, drawer with all tabs, dialogs and editor have no violation`, async () => {
      const opened = await shown(on(), { width, theme, role: 1 });
      const { page, faults, assertAccessible, assertReflow } = opened;
      await assertReflow();
      await page.getByRole('button', { name: 'Open Studio 1', exact: true }).click();
      const region = page.getByRole('region', { name: 'Studio 1', exact: true });
      for (const act of ['Edit Studio 1', 'Delete Studio 1']) await region.getByRole('button', { name: act }).waitFor();
      for (const tab of await region.getByRole('tab').all()) {
        await tab.click();
        await region.getByRole('tabpanel').waitFor();
        await page.waitForTimeout(200);
        await assertAccessible();
        await assertReflow();
      }
      await region.getByRole('button', { name: 'Edit Studio 1' }).click();
      const locked = page.getByRole('dialog', { name: 'Edit Studio 1' });
      await locked.getByRole('button', { name: 'Change options' }).waitFor();
      await assertAccessible();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'New Live stream', exact: true }).click();
      await page.getByRole('link', { name: 'All settings' }).click();
      await page.getByRole('form', { name: 'New Live stream' }).getByRole('combobox', { name: 'Where' }).waitFor();
      await assertAccessible();
      assert.deepEqual(faults(), []);
      await page.context().close();
    });

  it('the event log follows the feed and is filtered by the server', async () => {
    const { ids, app, runs } = on();
    const { page, faults } = await shown(on(), { route: `live-streams/${ids.studio}` });
    await page.getByRole('tab', { name: 'Event log' }).click();
    const log = page.getByRole('list', { name: 'Event log' });
    await log.getByText('admin started "Studio 1".').waitFor();
    app.device.emit(runs.studio, 'source_lost', 'The source is silent since now.', 'warning');
    await log.getByText('The source is silent since now.').waitFor();
    await page.getByRole('radiogroup', { name: 'Severity' }).getByRole('radio', { name: 'Warning' }).check();
    await until('the warnings alone', async () => (await log.getByRole('listitem').count()) === 1);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });
});

describe('starting, stopping and editing a Live stream', () => {
  const { on, open, close } = stage();
  before(open);
  after(close);

  it('what is in the way of a start is listed with the act that removes it, and the start names place and outputs', async () => {
    const { app, ids } = on();
    const { page, faults, assertAccessible } = await shown(on());
    await page.getByRole('button', { name: 'Start Chapel', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Chapel', exact: true });
    const way = dialog.getByRole('list', { name: 'In the way' });
    await way.getByRole('listitem').first().waitFor();
    const button = dialog.getByRole('button', { name: 'Start Chapel', exact: true });
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await dialog.getByRole('table', { name: 'What goes out' }).getByRole('rowheader', { name: 'Web' }).waitFor();
    assert.equal(await dialog.getByRole('checkbox', { name: 'Web primary' }).isChecked(), true);
    await assertAccessible();
    await way.getByRole('button', { name: 'Enable Chapel' }).click();
    await way.waitFor({ state: 'detached' });
    const where = dialog.getByRole('radiogroup', { name: 'Where' });
    assert.equal(await where.getByRole('radio', { name: /^studio/u }).isChecked(), true);
    await until('the button', async () => (await button.getAttribute('aria-disabled')) === null);
    await dialog.getByRole('checkbox', { name: 'Web primary' }).uncheck();
    await way.getByText('Every Destination is switched off').waitFor();
    await dialog.getByRole('checkbox', { name: 'Web primary' }).check();
    await button.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Steps of Chapel' }).waitFor();
    const { runId } = (await app.store.get('runs', ids.chapel))!.row;
    await until('the run at the Device', () => app.device.runIds.includes(runId));
    app.device.running(runId);
    await rowOf(page, 'Chapel').getByText('Live · On air').waitFor();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('another client that enables a Live stream takes what is in the way out of an open dialog', async () => {
    const { app, ids } = on();
    await app.data('updateLivestream', { livestreamId: ids.news, enabled: false });
    const { page } = await shown(on());
    await page.getByRole('button', { name: 'Start Evening news', exact: true }).click();
    const way = page.getByRole('list', { name: 'In the way' });
    await way.waitFor();
    await app.data('updateLivestream', { livestreamId: ids.news, enabled: true });
    await way.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('the dialog of a stop has focus on Cancel and tells the effect; the row is off by the feed', async () => {
    const { app, ids, runs } = on();
    const { page, faults, assertAccessible } = await shown(on());
    await page.getByRole('button', { name: 'Stop Studio 1', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop Studio 1?', exact: true });
    await dialog.getByText('1 Destination ends.').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Cancel');
    await assertAccessible();
    await dialog.getByRole('button', { name: 'Stop Studio 1', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await until('the stop at the Device', () =>
      app.device.calls.some(({ method, runId }) => method === 'stop' && runId === runs.studio),
    );
    await rowOf(page, 'Studio 1').getByText('Off', { exact: true }).waitFor();
    assert.deepEqual(faults(), []);
    const again = await on().start(ids.studio);
    app.device.running(again);
    await page.context().close();
  });

  it('a new Live stream is made of searched parts, a Source of it in place, and a refusal lands at its field', async () => {
    const { app } = on();
    const { page, faults } = await shown(on());
    await page.getByRole('button', { name: 'New Live stream', exact: true }).click();
    await page.getByRole('link', { name: 'All settings' }).click();
    const form = page.getByRole('form', { name: 'New Live stream' });
    await form.getByLabel('Name').first().fill('Derby');
    await form.getByRole('combobox', { name: 'Encoding' }).fill('720');
    await page.getByRole('option', { name: '720p' }).click();
    await form.getByRole('combobox', { name: 'Destination' }).fill('we');
    await page.getByRole('option', { name: 'Web' }).click();
    await form.getByRole('combobox', { name: 'Source', exact: true }).fill('Cam 7');
    await page.getByRole('option', { name: 'New: Cam 7' }).click();
    const source = page.getByRole('form', { name: 'New Source' });
    await source.getByLabel('Type').selectOption('Stream');
    await source.getByLabel('URL').fill('http://127.0.0.1:9/seven.m3u8');
    await source.getByRole('button', { name: 'Save' }).click();
    await source.waitFor({ state: 'detached' });
    assert.equal(await form.getByRole('combobox', { name: 'Source', exact: true }).inputValue(), 'Cam 7');
    await form.getByRole('button', { name: 'Save' }).click();
    await until('the refusal', async () => (await form.locator('[aria-invalid=true]').count()) > 0);
    await form.getByLabel('Name').first().fill('Cup final');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Cup final', exact: true }).waitFor();
    const [row] = await app.rows('getAllLivestreams', { search: 'Cup final', includeChannel: true });
    assert.equal((row?.['channel'] as { name: string }).name, 'Cam 7');
    // The name that was taken was refused, and the browser tells of each refusal.
    assert.ok(
      faults().every((fault) => /409|conflict|status of 4/u.test(fault)),
      faults().join(),
    );
    await page.context().close();
  });

  for (const choice of ['Keep mine', 'Take theirs'] as const)
    it(`somebody else's change is told with both values; ${choice} does so`, async () => {
      const { app, ids } = on();
      await app.data('updateLivestream', { livestreamId: ids.news, description: 'before' });
      const { page } = await shown(on(), { role: 1, route: `live-streams/${ids.news}` });
      await page.getByRole('button', { name: 'Edit Evening news' }).click();
      const form = page.getByRole('form', { name: 'Edit Evening news' });
      await form.getByLabel('Description').fill('mine');
      await app.data('updateLivestream', { livestreamId: ids.news, description: 'theirs' }, { user: 'operator' });
      await form.getByRole('button', { name: 'Save' }).click();
      const changed = page.getByRole('dialog', { name: 'Changed meanwhile' });
      await changed.getByRole('cell', { name: 'theirs' }).waitFor();
      await changed.getByText('operator has changed Evening news').waitFor();
      await changed.getByRole('button', { name: choice }).click();
      if (choice === 'Take theirs') {
        await until('their value', async () => (await form.getByLabel('Description').inputValue()) === 'theirs');
        await form.getByRole('button', { name: 'Save' }).click();
      }
      await form.waitFor({ state: 'detached' });
      const stored = await app.data('getLivestreamById', { livestreamId: ids.news });
      assert.equal(stored['description'], choice === 'Keep mine' ? 'mine' : 'theirs');
      await page.context().close();
    });

  it('a Live stream is deleted after a question, and the drawer goes with it', async () => {
    const { app } = on();
    const { page } = await shown(on());
    const { channelId, encodingId, publishingId } = await addBroadcast(app, ' gone');
    await page.getByRole('button', { name: 'Open Show gone' }).click();
    assert.ok(channelId + encodingId + publishingId > 0);
    await page.getByRole('button', { name: 'Delete Show gone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Show gone?' });
    await dialog.getByRole('button', { name: 'Delete Show gone' }).click();
    await rowOf(page, 'Show gone').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('region', { name: 'Show gone' }).count(), 0);
    await page.context().close();
  });
});

describe('Live streams of many kinds of servers', () => {
  it('on a read-only server nothing can be started, stopped, made or chosen', async (t) => {
    const memory = await startMemoryPage(t, { profile: 'readonly' });
    const { livestreamId } = await addBroadcast(memory.app);
    const { page, faults } = await memory.open({ role: 1, route: `live-streams/${livestreamId}` });
    await page.getByRole('region', { name: 'Show', exact: true }).waitFor();
    for (const act of [/^Start/u, /^New/u, /^Edit/u, /^Delete/u])
      assert.equal(await page.getByRole('main').getByRole('button', { name: act }).count(), 0, String(act));
    assert.equal(await page.getByRole('checkbox', { name: /^Choose/u }).count(), 0);
    assert.deepEqual(faults(), []);
  });

  it('300 Live streams stand there, and a filter among them answers', async (t) => {
    const memory = await startMemoryPage(t);
    const { channelId, encodingId, publishingId } = await addBroadcast(memory.app);
    for (let number = 1; number < 300; number += 1)
      await memory.app.data('addLivestream', { name: `Stream ${number}`, channelId, encodingId, publishingId });
    const { page, go, faults } = await memory.open({ role: 2, route: 'sources' });
    await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
    await go('live-streams', 'Live streams');
    await rowOf(page, 'Stream 299').waitFor();
    const count = page.getByRole('status', { name: 'Count' });
    assert.equal(await count.textContent(), '300 of 300');
    await page.getByRole('searchbox', { name: 'Filter' }).fill('stream 27');
    await until('the filtered list', async () => (await count.textContent()) === '11 of 300');
    assert.deepEqual(faults(), []);
  });

  it('an empty store shows the wizard with all its fields, and what it lacks is told at once', async (t) => {
    const memory = await startMemoryPage(t);
    const { page, faults, assertAccessible } = await memory.open({ role: 2, route: 'live-streams', width: 375 });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.getByLabel('Video file').waitFor();
    await wizard.getByLabel('Address').waitFor();
    await wizard.getByLabel('Name').waitFor();
    await assertAccessible();
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    assert.equal(
      await wizard.getByRole('alert').textContent(),
      'Choose a video, type an address, or choose an encoder.',
    );
    assert.deepEqual(faults(), []);
    await wizard.getByLabel('Address').fill('gopher://nowhere');
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    await wizard.getByRole('list', { name: 'Steps' }).getByText('Source').waitFor();
    assert.equal(await wizard.getByLabel('Address').getAttribute('aria-invalid'), 'true');
    await assertAccessible();
  });

  it('On air shows the wizard too while the store is empty, and not once it has a Live stream', async (t) => {
    const memory = await startMemoryPage(t);
    const { page, faults, assertAccessible } = await memory.open({ role: 2 });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.getByRole('button', { name: 'Put on air' }).waitFor();
    await assertAccessible();
    await addBroadcast(memory.app);
    await wizard.waitFor({ state: 'detached' });
    assert.deepEqual(faults(), []);
  });
});
