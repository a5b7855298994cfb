/** Sources, Encodings, Destinations, Devices and Assets in Chromium: made, changed, refused, used, deleted, and read by an operator. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startPageServer, type PageServer } from './page-fixture.ts';

/** A PNG of one transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

interface ResourceCase {
  route: string;
  title: string;
  tab?: string;
  button: string;
  /** Values by label; a choice is a select's value. */
  texts: Record<string, string>;
  choices?: Record<string, string>;
  members?: string[];
  /** The field whose value the server refuses, and what is told there. */
  wrong: { label: string; value: string; says: RegExp };
  name: string;
}

const CASES: ResourceCase[] = [
  {
    route: 'sources',
    title: 'Sources',
    button: 'New Source',
    texts: { Name: 'Camera 1', Host: 'camera.example.org', Port: '9000' },
    choices: { Type: 'SRT' },
    wrong: { label: 'Port', value: '70000', says: /65535/u },
    name: 'Camera 1',
  },
  {
    route: 'encodings',
    title: 'Encodings',
    button: 'New Encoding',
    texts: { Name: 'Half HD', Height: '540' },
    wrong: { label: 'Height', value: '541', says: /even|multiple/u },
    name: 'Half HD',
  },
  {
    route: 'encodings',
    title: 'Encodings',
    tab: 'Groups',
    button: 'New Group',
    texts: { Name: 'Ladder' },
    members: ['Full HD'],
    wrong: { label: 'Name', value: '', says: /\S/u },
    name: 'Ladder',
  },
  {
    route: 'destinations',
    title: 'Destinations',
    button: 'New Destination',
    texts: { Name: 'Partner', URL: 'rtmp://partner.example.org/live', 'Stream key': 'secret-key-1' },
    choices: { Type: 'RTMP' },
    wrong: { label: 'URL', value: 'http://partner.example.org', says: /rtmp/u },
    name: 'Partner',
  },
  {
    route: 'destinations',
    title: 'Destinations',
    tab: 'Groups',
    button: 'New Group',
    texts: { Name: 'Everywhere' },
    members: ['Web'],
    wrong: { label: 'Name', value: '', says: /\S/u },
    name: 'Everywhere',
  },
];

describe('the pages of resources', () => {
  let server: PageServer;
  const cleanUps: (() => unknown)[] = [];
  const made = async (path: string, body: object): Promise<number> => {
    const { body: answer } = await server.service.rest('POST', path, body);
    return (answer as { data: { id: number } }).data.id;
  };
  before(async () => {
    server = await startPageServer({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    const channelId = await made('/channels', {
      name: 'Used',
      type: 'Stream',
      settings: { url: 'http://example.org/a' },
    });
    const encodingId = await made('/encodings', { name: 'Full HD', settings_video: { height: 1080, bitrate: 5000 } });
    const publishingId = await made('/publishings', { name: 'Web', type: 'HLS / TS' });
    await made('/livestreams', { name: 'Studio 1', channelId, encodingId, publishingId });
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  for (const each of CASES)
    it(`${each.tab ?? each.title} of ${each.title}: a refused value stands at its field, what is saved is in the table, and is deleted`, async () => {
      const opened = await server.open({ role: 2, route: each.route });
      const { page, faults } = opened;
      await page.getByRole('heading', { level: 1, name: each.title, exact: true }).waitFor();
      if (each.tab !== undefined) await page.getByRole('tab', { name: each.tab }).click();
      await page.getByRole('button', { name: each.button, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: each.button, exact: true });
      for (const [label, value] of Object.entries(each.choices ?? {}))
        await dialog.getByLabel(label, { exact: true }).selectOption(value);
      for (const [label, value] of Object.entries(each.texts))
        await dialog.getByLabel(label, { exact: true }).fill(label === each.wrong.label ? each.wrong.value : value);
      for (const member of each.members ?? []) {
        await dialog.getByRole('combobox', { name: 'Add a member' }).click();
        await dialog.getByRole('option', { name: member }).click();
      }
      const field = dialog.getByLabel(each.wrong.label, { exact: true });
      await field.fill(each.wrong.value);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.locator('[aria-invalid]').first().waitFor();
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      assert.match(await descriptionOf(page, `${each.wrong.label}`), each.wrong.says);
      await opened.assertAccessible();
      await field.fill(each.texts[each.wrong.label] ?? '');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      const table = page.getByRole('table', { name: each.tab ?? each.title, exact: true });
      await table.getByRole('rowheader', { name: each.name, exact: true }).waitFor();
      await page.getByRole('button', { name: `Open ${each.name}` }).click();
      await page.getByRole('region', { name: each.name, exact: true }).waitFor();
      await opened.assertAccessible();
      await page.getByRole('button', { name: `Edit ${each.name}` }).click();
      const edit = page.getByRole('dialog', { name: `Edit ${each.name}`, exact: true });
      await edit.getByLabel('Name', { exact: true }).fill(`${each.name} B`);
      await edit.getByRole('button', { name: 'Save' }).click();
      await edit.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: `Delete ${each.name} B` }).click();
      const sure = page.getByRole('dialog', { name: `Delete ${each.name} B?` });
      await sure.getByRole('button', { name: `Delete ${each.name} B` }).click();
      await sure.waitFor({ state: 'detached' });
      await table.getByRole('rowheader', { name: `${each.name} B` }).waitFor({ state: 'detached' });
      assert.deepEqual(unexpected(faults(), 400), []);
      await page.context().close();
    });

  for (const { route, title, name } of [
    { route: 'sources', title: 'Sources', name: 'Used' },
    { route: 'encodings', title: 'Encodings', name: 'Full HD' },
    { route: 'destinations', title: 'Destinations', name: 'Web' },
  ])
    it(`${title}: what a Live stream uses is not deleted, and the refusal names the Live stream`, async () => {
      const { page, faults } = await server.open({ role: 2, route });
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await page.getByRole('button', { name: `Delete ${name}`, exact: true }).click();
      const sure = page.getByRole('dialog', { name: `Delete ${name}?` });
      await sure.getByRole('button', { name: `Delete ${name}`, exact: true }).click();
      await sure.getByText('Live stream Studio 1', { exact: true }).waitFor();
      await sure.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: `Open ${name}`, exact: true }).click();
      await page.getByRole('list', { name: 'Used by' }).getByRole('link', { name: 'Studio 1' }).waitFor();
      assert.deepEqual(unexpected(faults(), 409), []);
      await page.context().close();
    });

  it('a link opens its row, Close leads back to the list, and a link to a row that is gone says so', async () => {
    const { page, go, faults } = await server.open({ role: 2, route: 'sources' });
    for (const [route, title, name] of [
      ['sources/1', 'Sources', 'Used'],
      ['encodings/1', 'Encodings', 'Full HD'],
      ['destinations/1', 'Destinations', 'Web'],
    ] as const) {
      await go(route, title);
      const drawer = page.getByRole('region', { name, exact: true });
      await drawer.getByRole('list', { name: 'Used by' }).getByRole('link', { name: 'Studio 1' }).waitFor();
      await drawer.getByRole('button', { name: 'Close' }).click();
      await drawer.waitFor({ state: 'detached' });
      await page.waitForURL(`**/#/${title.toLowerCase()}`);
    }
    assert.deepEqual(faults(), []);
    for (const [route, title] of [
      ['sources/999', 'Sources'],
      ['live-streams/999', 'Live streams'],
    ] as const) {
      await go(route, title);
      await page.getByRole('alert').filter({ hasText: '999' }).waitFor();
    }
    assert.deepEqual(unexpected(faults(), 404), []);
    await page.context().close();
  });

  it('Devices: an operator sees load, slots and capabilities, and no act; an Administrator may pair', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: 'devices' });
    const row = page.getByRole('table', { name: 'Devices', exact: true }).getByRole('row').nth(1);
    await row.getByRole('meter', { name: /^Load of / }).waitFor();
    await row.getByRole('meter', { name: /^Slots of / }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^(New|Edit|Delete) / }).count(), 0);
    await row.getByRole('button', { name: /^Open / }).click();
    await page.getByText('Video encoders', { exact: true }).waitFor();
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await page.context().close();
    const admin = await server.open({ role: 1, route: 'devices' });
    await admin.page.getByRole('button', { name: 'New Device', exact: true }).click();
    const dialog = admin.page.getByRole('dialog', { name: 'New Device', exact: true });
    await dialog.getByLabel('One-time user name').fill('onair');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('[data-path=ip_address] [aria-invalid]').waitFor();
    await admin.assertAccessible();
    await admin.page.context().close();
  });

  it('Assets: a dropped logo is uploaded, shown on both grounds, and deleted', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: 'assets' });
    await page.getByRole('tab', { name: 'Logos' }).click();
    await page.getByText('There is no logo yet').waitFor();
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob('${PIXEL}'), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'bug.png', { type: 'image/png' }));
      const zone = document.querySelector('.drop-zone');
      for (const type of ['dragover', 'drop'])
        zone.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
    const table = page.getByRole('table', { name: 'Logos', exact: true });
    await table.getByRole('rowheader', { name: 'bug.png' }).waitFor();
    await table.getByRole('img', { name: 'bug.png on black' }).waitFor();
    const width = `(async () => {
      const image = document.querySelector('.logo-pictures .black img');
      await image.decode();
      return image.naturalWidth;
    })()`;
    assert.equal(await page.evaluate(width), 1);
    await assertAccessible();
    await page.getByRole('button', { name: 'Delete bug.png' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete bug.png' }).click();
    await page.getByText('There is no logo yet').waitFor();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('Assets: a file that is chosen in the dialog gets the name that was typed', async () => {
    const { page, faults } = await server.open({ role: 2, route: 'assets' });
    await page.getByRole('tab', { name: 'Logos' }).click();
    await page.getByRole('button', { name: 'New Logo', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New Logo' });
    await dialog.getByLabel('Name').fill('corner.png');
    const file = { name: 'x.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    await dialog.getByLabel('File').setInputFiles(file);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'corner.png' }).waitFor();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('a Source is made, opened and deleted by the keyboard alone', async () => {
    const { page, faults } = await server.open({ role: 2, route: 'sources' });
    await page.getByRole('button', { name: 'New Source', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New Source' }).getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.type('By keys');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Stream');
    await page.keyboard.press('Tab');
    await page.keyboard.type('http://example.org/keys');
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: 'By keys' }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('By keys');
    await page.getByText('1 of 1').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'By keys' }).waitFor();
    await page.getByRole('button', { name: 'Delete By keys' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete By keys?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: 'By keys' }).waitFor({ state: 'detached' });
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  for (const theme of ['dark', 'light'] as const)
    it(`at 375 px in the ${theme} theme the pages and a form have no violation and nothing to scroll aside`, async () => {
      const { page, go, faults, assertAccessible, assertReflow } = await server.open({ role: 2, width: 375, theme });
      for (const title of ['Sources', 'Encodings', 'Destinations', 'Devices', 'Assets']) {
        await go(title.toLowerCase(), title);
        await page.getByRole('status', { name: 'Count' }).filter({ hasText: / of / }).waitFor();
        await assertReflow();
        await assertAccessible();
      }
      await go('destinations', 'Destinations');
      await page.getByRole('button', { name: 'New Destination', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'New Destination' });
      await dialog.getByLabel('Type', { exact: true }).selectOption('CMAF');
      await dialog.getByRole('checkbox', { name: 'DRM' }).check();
      await assertReflow();
      await assertAccessible();
      assert.deepEqual(faults(), []);
      await page.context().close();
    });
});

/** Without the refusals that the test provokes, which the browser writes to its console as well. */
function unexpected(faults: readonly string[], status: number): string[] {
  return faults.filter((fault) => !fault.startsWith(`${status} `) && !fault.includes(`status of ${status}`));
}

/** The text that describes the field, as a reader of screens says it. */
async function descriptionOf(page: Page, label: string): Promise<string> {
  const ids = await page.getByRole('dialog').getByLabel(label, { exact: true }).getAttribute('aria-describedby');
  const texts = (ids ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).textContent());
  return (await Promise.all(texts)).join(' ');
}
