/** Forms of walls and of mail rules, and the assistants that people have connected. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addBroadcast } from '../app/broadcast.ts';
import { startMailServer, type MailServer } from '../helpers/servers/smtp.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

async function choose(page: Page, form: string, field: string, name: string): Promise<void> {
  await dialog(page, form).getByRole('group', { name: field }).getByRole('combobox').fill(name);
  await page.getByRole('option', { name, exact: true }).click();
}

describe('walls, mail rules and assistants', () => {
  const cleanUps: (() => unknown)[] = [];
  let memory: MemoryPage;
  let mailServer: MailServer;
  before(async () => {
    mailServer = await startMailServer({ user: 'onair', password: 'a-password' });
    cleanUps.push(() => mailServer.stop());
    const scope = { after: (task: unknown) => void cleanUps.unshift(task as () => unknown) };
    memory = await startMemoryPage(scope, { mail: { smtpUrl: mailServer.url, from: 'onair@example.org' } });
    for (const suffix of [' 1', ' 2', ' 3']) await addBroadcast(memory.app, suffix);
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  it('a wall is made of Live streams in an order, refused under a name that is taken, changed, shown and deleted', async () => {
    const { page, faults, assertAccessible, assertReflow } = await memory.open({ role: 2, route: 'walls' });
    const [first, second] = (await memory.app.rows('getAllLivestreams')) as { id: number; name: string }[];
    const add = async (): Promise<void> => {
      await button(page, 'New wall').first().click();
      await dialog(page, 'New wall').getByLabel('Name', { exact: true }).fill('Gallery');
    };
    await add();
    await dialog(page, 'New wall').getByLabel('Layout').selectOption({ label: '2 × 2' });
    const streams = 'Live streams, in the order of their tiles';
    await choose(page, 'New wall', streams, first!.name);
    await choose(page, 'New wall', streams, second!.name);
    await button(page, `${second!.name} up`).click();
    await assertAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await assertReflow('the form of a wall');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Save').click();
    const row = page.getByRole('row', { name: /^Gallery 2 × 2 2 Live streams/u });
    await row.waitFor();
    const [wall] = await memory.app.rows('getAllWalls');
    assert.deepEqual(wall!['livestreamIds'], [second!.id, first!.id]);
    assert.deepEqual(faults(), []);
    await add();
    await button(page, 'Save').click();
    await dialog(page, 'New wall').getByRole('alert').waitFor();
    await assertAccessible();
    await page.keyboard.press('Escape');
    await button(page, 'Discard the changes').click();
    await button(page, 'Edit Gallery').click();
    await dialog(page, 'Edit Gallery').getByLabel('All others').check();
    await button(page, 'Save').click();
    await page.getByRole('row', { name: /2 Live streams, all others on air/u }).waitFor();
    await page.getByRole('link', { name: 'Show Gallery' }).click();
    await page.getByRole('article').nth(1).waitFor();
    assert.deepEqual(
      await page.getByRole('article').evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('aria-label'))),
      [second!.name, first!.name],
    );
    await page.goBack();
    await button(page, 'Delete Gallery').click();
    await dialog(page, 'Delete Gallery?').getByText('Displays that show Gallery go dark').waitFor();
    await dialog(page, 'Delete Gallery?').getByRole('button', { name: 'Delete Gallery' }).click();
    await page.getByText('There is no wall yet.').waitFor();
  });

  it('a mail rule is refused at the address that is none, made, tried at the mail server with what it says, switched off and deleted', async () => {
    const { page, faults, assertAccessible, assertReflow } = await memory.open({ role: 1, route: 'system' });
    const section = page.getByRole('region', { name: 'Mails about faults' });
    await section.getByText('Nobody gets a mail when something is wrong.').waitFor();
    await button(page, 'New mail rule').first().click();
    const form = dialog(page, 'New mail rule');
    await form.getByLabel('Name', { exact: true }).fill('Desk');
    await form.getByRole('button', { name: 'Add to Recipients' }).click();
    await form.getByRole('textbox', { name: 'Recipients 1' }).fill('nobody');
    await form.getByText('More', { exact: true }).click();
    const kinds = form.getByRole('group', { name: 'Kinds of events' });
    await kinds.getByText('Picture, sound and encoder 4 of 14', { exact: true }).click();
    await kinds.getByLabel('Black ended', { exact: true }).check();
    await kinds.getByText('Picture, sound and encoder 5 of 14', { exact: true }).waitFor();
    assert.ok(await kinds.getByLabel('Black', { exact: true }).isChecked());
    assert.doesNotMatch((await kinds.textContent()) ?? '', /[a-z]_[a-z]/u, 'kinds are told in words');
    await assertAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await assertReflow('the form of a mail rule');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Save').click();
    await form.getByText('must be an e-mail address', { exact: true }).waitFor();
    await form.getByRole('textbox', { name: 'Recipients 1' }).fill('desk@example.org');
    await button(page, 'Save').click();
    const row = section.getByRole('row', { name: /^Desk/u });
    await row.getByText('none yet').waitFor();
    const test = async (): Promise<void> => button(page, 'Test Desk').click();
    const outcome = dialog(page, 'Test Desk');
    await test();
    await outcome.getByText('The mail server took the mail for desk@example.org.').waitFor();
    assert.deepEqual(
      mailServer.mails.map(({ to }) => to),
      [['desk@example.org']],
    );
    await outcome.getByText('Close', { exact: true }).click();
    mailServer.refused.add('desk@example.org');
    await test();
    await outcome.getByText('What the other side answered').click();
    await outcome.getByRole('alert').getByText('no such mailbox').waitFor();
    await assertAccessible();
    await outcome.getByText('Close', { exact: true }).click();
    await button(page, 'Edit Desk').click();
    await dialog(page, 'Edit Desk').getByLabel('Enabled').uncheck();
    await button(page, 'Save').click();
    await row.getByText('off', { exact: true }).waitFor();
    await button(page, 'Delete Desk').click();
    await dialog(page, 'Delete Desk?').getByRole('button', { name: 'Delete Desk' }).click();
    await section.getByText('Nobody gets a mail when something is wrong.').waitFor();
    const refused = faults().filter((fault) => !/^console error: Failed to load resource/u.test(fault));
    assert.deepEqual(
      refused.map((fault) => fault.slice(0, 3)),
      ['400', '502'],
    );
    await page.context().close();
  });

  it('everybody sees and ends their own assistants, an Administrator those of all, and has what connects one', async () => {
    const { app, url } = memory;
    const [ana] = (await app.store.find('users', { where: { username: 'ana' } })).rows;
    const [now, later] = [Date.now(), Date.now() + 86_400_000].map((at) => new Date(at).toISOString()) as [
      string,
      string,
    ];
    const connect = (kid: string, name: string, userId: number): Promise<unknown> =>
      app.store.tx((tx) =>
        tx.insert('tokens', {
          created_at: now,
          updated_at: now,
          kid,
          name,
          userId,
          token_hash: `hash of ${kid}`,
          expires_at: later,
          revoked_at: null,
          profile: 'operator',
          oauth: {
            client_id: name,
            client_name: name,
            redirect_host: 'assistant.example',
            family_hash: `family of ${kid}`,
            refresh_hash: `refresh of ${kid}`,
            access_expires_at: later,
            ends_at: null,
            last_used_at: now,
          },
        }),
      );
    await connect('of-ana', 'Helper of Ana', ana!.id);
    await connect('of-admin', 'Helper of admin', app.users.admin);
    const [operator, admin] = [
      await memory.open({ role: 2, route: 'assistants' }),
      await memory.open({ role: 1, route: 'assistants' }),
    ];
    const rows = (page: Page, name?: RegExp) =>
      page.getByRole('table', { name: 'Connected assistants' }).getByRole('row', name && { name });
    const ofAna = /^Helper of Ana/u;
    await rows(operator.page, ofAna).waitFor();
    assert.equal(await rows(operator.page).count(), 2, 'a head, and her own');
    await rows(admin.page, ofAna).waitFor();
    await admin.page.getByRole('row', { name: /^Helper of admin.*admin What an Operator may do/u }).waitFor();
    await admin.page.getByText(`${url}/mcp`, { exact: true }).waitFor();
    const place = async (program: string): Promise<string> =>
      (await admin.page.getByRole('link', { name: `Add to ${program}` }).getAttribute('href')) ?? '';
    const code = new URL(await place('VS Code'));
    assert.deepEqual(JSON.parse(decodeURIComponent(code.search.slice(1))), {
      name: 'onair',
      type: 'http',
      url: `${url}/mcp`,
    });
    const cursor = new URL(await place('Cursor')).searchParams.get('config') ?? '';
    assert.deepEqual(JSON.parse(Buffer.from(cursor, 'base64').toString()), { url: `${url}/mcp` });
    for (const { page, assertAccessible, assertReflow } of [operator, admin]) {
      await assertAccessible();
      await page.setViewportSize({ width: 320, height: 640 });
      await assertReflow('assistants');
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await button(operator.page, 'Disconnect Helper of Ana').click();
    const sure = dialog(operator.page, 'Disconnect Helper of Ana?');
    await sure.getByText('gets no new access unless somebody connects it again').waitFor();
    await sure.getByRole('button', { name: 'Disconnect Helper of Ana' }).click();
    await operator.page.getByText('No assistant is connected.').waitFor();
    await rows(admin.page, ofAna).waitFor({ state: 'detached' });
    const [ended] = (await app.store.find('tokens', { where: { kid: 'of-ana' } })).rows;
    assert.notEqual(ended!.revoked_at, null);
    assert.deepEqual([...operator.faults(), ...admin.faults()], []);
  });
});
