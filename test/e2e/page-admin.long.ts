/** Administrators see to these on the page: folders, integrations, Users, tokens, the audit, the system. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { freePort } from '../helpers/ports.ts';
import { endAll, PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { makeIssuer, type Issuer } from '../helpers/licences.ts';
import { startWebdav, webdavMissing, type WebdavServer } from '../helpers/servers/webdav.ts';
import { goBack } from '../helpers/went-back.ts';
import { PASSWORD, startPageServer, type PageServer } from './page-fixture.ts';
import { startMemoryPage } from './page-memory.ts';

const [USER, CANARY] = ['clips', 'canary-page-7Qw2'];

describe('the pages of Administrators', { skip: webdavMissing }, () => {
  let server: PageServer;
  let webdav: WebdavServer;
  let issuer: Issuer;
  let devicePort: number;
  const cleanUps: (() => unknown)[] = [];
  before(async () => {
    webdav = await startWebdav(USER, CANARY);
    cleanUps.unshift(() => webdav.stop());
    issuer = makeIssuer();
    const after = (task: unknown): void => void cleanUps.unshift(task as () => unknown);
    devicePort = await freePort();
    const settings = { ONAIR_LICENSE_KEY: issuer.publicPem, ONAIR_DEVICE_PORT: String(devicePort) };
    server = await startPageServer({ after }, settings);
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

  it('a Remote Folder is made, validated with the words of the server, changed and deleted', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 1, route: 'storage' });
    await button(page, 'New Remote Folder').click();
    const form = dialog(page, 'New Remote Folder');
    await form.getByLabel('Name', { exact: true }).fill('NAS');
    await form.getByLabel('Type', { exact: true }).selectOption('WEBDAV');
    await form.getByLabel('Host').fill(`http://127.0.0.1:${webdav.port}`);
    await form.getByLabel('Folder', { exact: true }).fill('/rw');
    await form.getByLabel('User', { exact: true }).fill(USER);
    await form.getByLabel('Password').fill(CANARY);
    await assertAccessible();
    await button(page, 'Save').click();
    const row = page.getByRole('table', { name: 'Remote Folders' }).getByRole('row', { name: /NAS/u });
    await row.getByText('Not tried yet').waitFor();
    await button(page, 'Validate NAS').click();
    await dialog(page, 'Validate NAS').getByText('Works').waitFor();
    await page.keyboard.press('Escape');
    await row.getByText('Works').waitFor();
    await button(page, 'Edit NAS').click();
    await dialog(page, 'Edit NAS').getByLabel('Folder', { exact: true }).fill('/ro');
    await button(page, 'Save').click();
    await row.getByText('Not tried yet').waitFor();
    await button(page, 'Validate NAS').click();
    const validation = dialog(page, 'Validate NAS');
    await validation.getByText('Fails').waitFor();
    assert.match((await validation.textContent()) ?? '', /not writable/u, 'the step that failed is named');
    await assertAccessible();
    await page.keyboard.press('Escape');
    await button(page, 'Delete NAS').click();
    await dialog(page, 'Delete NAS?').getByRole('button', { name: 'Delete NAS' }).click();
    await page.getByText('There is no Remote Folder yet.').waitFor();
    assert.deepEqual(faults(), []);
  });

  it('a User is made, given the right to issue tokens, and disabled after the sessions that end are told', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 1, route: 'users' });
    const ana = await server.open({ role: 2 });
    const table = page.getByRole('table', { name: 'Users' });
    await table.getByRole('row', { name: /^ana Operator/u }).waitFor();
    await button(page, 'Disable ana').click();
    const question = dialog(page, 'Disable ana?');
    await question.getByText('1 session ends at once.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
    await assertAccessible();
    await question.getByRole('button', { name: 'Disable ana' }).click();
    await table.getByRole('row', { name: /ana.*disabled/u }).waitFor();
    await ana.page.getByRole('form', { name: 'Sign in' }).waitFor();
    await button(page, 'Enable ana').click();
    await button(page, 'Disable ana').waitFor();
    await button(page, 'New User').click();
    const form = dialog(page, 'New User');
    await form.getByLabel('User name').fill('ben');
    await form.getByLabel('Email').fill('ben@example.org');
    await form.getByLabel('Role').selectOption({ label: 'Administrator' });
    await button(page, 'Save').click();
    await table.getByRole('row', { name: /^ben Administrator.*no password/u }).waitFor();
    await button(page, 'Open ben').click();
    await page.getByRole('region', { name: 'ben' }).getByRole('button', { name: 'Edit profile of ben' }).click();
    await dialog(page, 'Edit profile of ben').getByLabel('May issue tokens').check();
    await button(page, 'Save').click();
    await page.getByRole('region', { name: 'ben' }).getByText('Yes', { exact: true }).waitFor();
    await button(page, 'Delete ben').click();
    await dialog(page, 'Delete ben?').getByRole('button', { name: 'Delete ben' }).click();
    await table.getByRole('row', { name: /^ben/u }).waitFor({ state: 'detached' });
    assert.deepEqual(faults(), []);
  });

  it('a new token is shown once with a configuration that MCP takes, and is refused once it is revoked', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 1, route: 'tokens' });
    await button(page, 'New token').click();
    await dialog(page, 'New token').getByLabel('Name', { exact: true }).fill('assistant');
    await button(page, 'Create').click();
    const made = dialog(page, 'Token assistant');
    const token = await made.getByLabel('Token', { exact: true }).inputValue();
    const { mcpServers } = JSON.parse((await made.locator('pre').textContent()) ?? '');
    const { url, headers } = mcpServers.onair as { url: string; headers: Record<string, string> };
    assert.deepEqual([url, headers], [`${server.service.url}/mcp`, { Authorization: `Bearer ${token}` }]);
    await assertAccessible();
    await button(page, 'Done').click();
    assert.ok(!(await page.content()).includes(token), 'it is shown once');
    const me = () => fetch(`${server.service.url}/svcapiv2/security/me`, { headers });
    assert.equal((await me()).status, 200);
    await button(page, 'Revoke assistant').click();
    await dialog(page, 'Revoke assistant?').getByRole('button', { name: 'Revoke assistant' }).click();
    await page.getByRole('row', { name: /^assistant/u }).waitFor({ state: 'detached' });
    assert.equal((await me()).status, 401);
    assert.deepEqual(faults(), []);
  });

  it('a join token is made and shown once with its command, counted, and revoked after what that means was told', async () => {
    const opened = await server.open({ role: 1, route: 'devices' });
    const { page, faults, assertAccessible, assertReflow } = opened;
    await page.getByRole('tab', { name: 'Join tokens' }).click();
    await page.getByText('There is no join token.').waitFor();
    await button(page, 'New join token').click();
    const form = dialog(page, 'New join token');
    await form.getByLabel('Name', { exact: true }).fill('studio 7');
    await form.getByLabel('Machines').fill('2');
    await assertAccessible();
    await button(page, 'Save').click();
    const made = dialog(page, 'Join token studio 7');
    await made.getByText('It is shown now and never again.').waitFor();
    const [token = '', command = ''] = await made.locator('code').allTextContents();
    assert.match(token, /^\S{32,}$/u);
    assert.ok(command.startsWith(`ONAIR_JOIN_TOKEN=${token} onair device --join 127.0.0.1:`), command);
    await assertAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await assertReflow('a join token');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Done').click();
    await page.getByRole('row', { name: /^studio 7.*0 of 2/u }).waitFor();
    assert.ok(!(await page.content()).includes(token), 'it is shown once');
    const listed = async (): Promise<{ kid: string; name: string }[]> =>
      (await server.service.rest('GET', '/devices/joinTokens')).body.rows;
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ['studio 7'],
    );
    await button(page, 'Delete studio 7').click();
    const sure = dialog(page, 'Delete studio 7?');
    await sure.getByText('No machine joins with studio 7 any more.').waitFor();
    await sure.getByRole('button', { name: 'Delete studio 7' }).click();
    await page.getByText('There is no join token.').waitFor();
    assert.deepEqual(await listed(), []);
    const operator = await server.open({ role: 2, route: 'devices' });
    await operator.page.getByRole('tab', { name: 'Groups' }).waitFor();
    assert.equal(await operator.page.getByRole('tab', { name: 'Join tokens' }).count(), 0);
    assert.deepEqual([...faults(), ...operator.faults()], []);
  });

  it('an encoder machine joins by the one line that is copied, and appears', async (t) => {
    const { page, faults, assertAccessible, assertReflow } = await server.open({ role: 1, route: 'devices' });
    await button(page, 'Add an encoder machine').click();
    const adding = dialog(page, 'Add an encoder machine');
    await assertAccessible();
    await button(page, 'Make the line').click();
    const line = (await adding.locator('code').textContent()) ?? '';
    const [variable = '', program, ...args] = line.split(' ');
    assert.deepEqual([program, ...args], ['onair', 'device', '--join', `127.0.0.1:${devicePort}`]);
    const state = adding.getByRole('status', { name: 'The machine' });
    await state.getByText('Waiting for the machine').waitFor();
    await assertAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await assertReflow('the line of a machine');
    await page.setViewportSize({ width: 1280, height: 800 });
    const dir = mkdtempSync(join(tmpdir(), 'onair-page-machine-'));
    t.after(() => endAll(dir));
    const [name = '', token = ''] = variable.split('=');
    const env: NodeJS.ProcessEnv = { ...process.env, ONAIR_DATA: dir, XDG_CONFIG_HOME: dir, [name]: token };
    delete env['NODE_OPTIONS'];
    spawn(process.execPath, [PROGRAM, ...args, '--media-port', '0'], { env, stdio: 'ignore' });
    await state.getByText('has joined.').waitFor();
    await button(page, 'Done').click();
    const rows = page.getByRole('table', { name: 'Devices' }).getByRole('row');
    await until('the machine in the list', async () => (await rows.filter({ hasText: 'online' }).count()) === 2);
    assert.ok(!(await page.content()).includes(token), 'it is shown once');
    assert.deepEqual(faults(), []);
  });

  it('the audit is filtered by User, operation and request id, and a refusal links to its entry', async () => {
    await server.service.rest('POST', '/channels', { name: '' }, { 'X-Request-Id': 'page-audit-1' });
    const { page, faults, go, assertAccessible } = await server.open({ role: 1, route: 'audit' });
    const rows = page.getByRole('table', { name: 'Audit' }).getByRole('row');
    await page.getByLabel('Request id').fill('page-audit-1');
    await page.getByRole('status', { name: 'Count' }).getByText('1 of 1').waitFor();
    await rows.getByText('addChannel', { exact: true }).waitFor();
    await page.getByText('Details', { exact: true }).last().click();
    await assertAccessible();
    await button(page, 'Clear the filter').click();
    await page.getByRole('combobox', { name: 'Operation' }).fill('login');
    await page.getByRole('option', { name: 'login', exact: true }).click();
    await page.getByRole('combobox', { name: 'User' }).fill('admin');
    await page.getByRole('option', { name: 'admin', exact: true }).click();
    await rows.getByText('addChannel').first().waitFor({ state: 'detached' });
    await rows.getByText('login').first().waitFor();
    assert.deepEqual(faults(), []);
    await go('users', 'Users');
    await button(page, 'Disable admin').click();
    await dialog(page, 'Disable admin?').getByRole('button', { name: 'Disable admin' }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'System Administrator' });
    await refusal.getByRole('link', { name: 'Find it in Audit' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByRole('status', { name: 'Count' }).getByText('1 of 1').waitFor();
    await rows.getByText('updateUser', { exact: true }).waitFor();
  });

  it('a licence is installed from its file, a file that is none is refused, and the support bundle is a zip', async () => {
    const { page, assertAccessible } = await server.open({ role: 1, route: 'system' });
    await page.getByRole('table', { name: 'System' }).getByText('ready').waitFor();
    await page.getByRole('region', { name: 'Alarms' }).waitFor();
    const install = async (content: string): Promise<void> => {
      const buffer = Buffer.from(content);
      const file = { name: 'onair.licence', mimeType: 'text/plain', buffer };
      await dialog(page, 'Install licence').getByLabel('Licence file').setInputFiles(file);
      await dialog(page, 'Install licence').getByRole('button', { name: 'Install licence' }).click();
    };
    await button(page, 'Install licence').click();
    await install('no licence');
    await dialog(page, 'Install licence').getByRole('alert').waitFor();
    await assertAccessible();
    await install(await issuer.issue({ expires_at: null, customer: 'Station North' }));
    await page
      .getByRole('table', { name: 'Licences' })
      .getByRole('row', { name: /Station North.*in force/u })
      .waitFor();
    const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString();
    await button(page, 'Install licence').click();
    await install(await issuer.issue({ expires_at: inTenDays, customer: 'Station South' }));
    const system = page.getByRole('link', { name: 'System', exact: true });
    await until('the mark', async () =>
      /^A licence ends on/u.test((await system.getAttribute('aria-description')) ?? ''),
    );
    const waiting = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download support bundle' }).click();
    assert.match((await waiting).suggestedFilename(), /\.zip$/u);
  });

  it('DRM providers, Cloud accounts and Transcription have their tables, and one without a provider asks none', async () => {
    await server.service.create('/settings/integrations/drmproviders', {
      name: 'Keys',
      provider_type: 'STATIC',
      credentials: { keys: [{ kid: 'a'.repeat(32), key: 'b'.repeat(32) }] },
    });
    const { page, faults, assertAccessible } = await server.open({ role: 1, route: 'integrations' });
    await page
      .getByRole('table', { name: 'DRM providers' })
      .getByRole('row', { name: /^Keys STATIC/u })
      .waitFor();
    await button(page, 'Validate Keys').click();
    await dialog(page, 'Validate Keys').getByText('Works').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Cloud accounts' }).click();
    await button(page, 'New Cloud account').waitFor();
    await page.getByRole('tab', { name: 'Transcription' }).click();
    await page.getByText('Not set up.').waitFor();
    await button(page, 'Edit Transcription').click();
    await assertAccessible();
    const form = dialog(page, 'Edit Transcription');
    await form.getByLabel('Tenant URL').fill('http://127.0.0.1:9/');
    await button(page, 'Save').click();
    await page.getByRole('table', { name: 'Transcription' }).getByText('http://127.0.0.1:9/').waitFor();
    assert.deepEqual(faults(), []);
  });

  it('one’s own password is changed in the Account menu, and the session goes on', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 1, route: 'users' });
    const menu = page.getByRole('button', { name: 'Account admin' });
    await menu.click();
    await button(page, 'Change password').click();
    const form = dialog(page, 'Change password');
    const fill = async (present: string, next: string, again = next): Promise<void> => {
      await form.getByLabel('Present password').fill(present);
      await form.getByLabel('New password', { exact: true }).fill(next);
      await form.getByLabel('New password again').fill(again);
      await button(page, 'Save').click();
    };
    await fill(PASSWORD, PASSWORD, 'another');
    await form.getByText('The two are not the same.').waitFor();
    await assertAccessible();
    await fill(PASSWORD, PASSWORD);
    await form.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Users' }).waitFor();
    await page.reload();
    await page.getByRole('table', { name: 'Users' }).waitFor();
    const operator = await server.open({ role: 2 });
    await operator.page.getByRole('button', { name: 'Account ana' }).click();
    await button(operator.page, 'Change password').click();
    await dialog(operator.page, 'Change password').getByLabel('Present password').waitFor();
    assert.deepEqual([...faults(), ...operator.faults()], []);
  });
});

describe('a store that was put back', () => {
  it('is told on every page to both roles, until an Administrator says that it was looked at', async (t) => {
    const memory = await startMemoryPage(t);
    await goBack(memory.app.store);
    const [admin, operator] = [
      await memory.open({ role: 1, route: 'on-air' }),
      await memory.open({ role: 2, route: 'scheduler' }),
    ];
    const banner = (page: Page) =>
      page.getByRole('region', { name: 'The store was put back to an earlier state.', exact: true });
    for (const { page } of [admin, operator])
      await banner(page)
        .getByText(/^The store .* Lost is what/u)
        .waitFor();
    assert.equal(await banner(operator.page).getByRole('button').count(), 0);
    await admin.assertAccessible();
    await admin.page.setViewportSize({ width: 390, height: 844 });
    await admin.assertReflow('the banner');
    await admin.go('audit', 'Audit');
    await banner(admin.page).getByRole('button', { name: 'I have looked: let the Schedules go on' }).click();
    for (const { page } of [admin, operator]) await banner(page).waitFor({ state: 'detached' });
    assert.equal((await memory.app.data('getRestore', {}))['waiting'], false);
    assert.deepEqual([...admin.faults(), ...operator.faults()], []);
  });
});
