/** Who gets in, in the page: the sign-in by an identity provider, and tokens that may do only some of what their User may. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { freePort } from '../helpers/ports.ts';
import { startIdentityProvider, type TestProvider } from '../helpers/servers/identity-provider.ts';
import { startPageServer, type PageServer } from './page-fixture.ts';

/** ONAIR_PAGE_SHOTS: a folder that gets pictures of the page, for a person to look at. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['ONAIR_PAGE_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

describe('who gets in, in the page', () => {
  let provider: TestProvider;
  let server: PageServer;
  const ended: (() => unknown)[] = [];
  before(async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider(`${publicUrl}/svcapiv2/security/oidc/callback`);
    server = await startPageServer({ after: (task: () => unknown) => ended.push(task) } as unknown as TestContext, {
      ONAIR_PORT: String(port),
      ONAIR_PUBLIC_URL: publicUrl,
      ONAIR_OIDC_ISSUER: provider.issuer,
      ONAIR_OIDC_CLIENT_ID: provider.clientId,
      ONAIR_OIDC_CLIENT_SECRET: provider.clientSecret,
      ONAIR_OIDC_OPERATOR_ROLE: 'streamers',
    });
  });
  after(async () => {
    for (const task of ended.reverse()) await task();
    await provider.close();
  });

  it('an account with a role signs in without a password; one without is told so on the page, which offers both ways', async () => {
    const { page, assertAccessible, assertReflow } = await server.open();
    const form = page.getByRole('form', { name: 'Sign in' });
    const link = form.getByRole('link', { name: /127\.0\.0\.1/u });
    await link.waitFor();
    await form.getByLabel('Password').waitFor();
    await assertAccessible();
    await shot(page, 'sign-in');
    await page.setViewportSize({ width: 390, height: 800 });
    await assertReflow('the sign-in');
    await assertAccessible();
    await shot(page, 'sign-in-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    provider.account = { sub: 'guest-1', roles: ['guests'] };
    await link.click();
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
    await assertAccessible();
    await shot(page, 'sign-in-refused');
    provider.account = { sub: 'eve-1', roles: ['streamers'], preferred_username: 'eve', email: 'eve@example.org' };
    // The provider knows a browser again.
    const other = await server.open();
    await other.page.getByRole('link', { name: /127\.0\.0\.1/u }).click();
    await other.page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await other.page.getByRole('button', { name: /eve/u }).waitFor();
    await other.assertAccessible();
  });

  it('a token is made for one profile and some operations, and is refused what they do not allow', async () => {
    const { page, faults, assertAccessible, assertReflow } = await server.open({ role: 1, route: 'tokens' });
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByLabel('Name', { exact: true }).fill('display');
    await dialog.getByText('More', { exact: true }).click();
    await dialog.getByLabel('Tool profile').selectOption('Reads alone');
    const picker = dialog.getByRole('combobox', { name: 'Add an operation' });
    await picker.fill('getAllLivestreams');
    await page
      .getByRole('option', { name: /^getAllLivestreams/u })
      .first()
      .click();
    await dialog.getByRole('list', { name: 'Operations' }).getByText('getAllLivestreams', { exact: true }).waitFor();
    await assertAccessible();
    await shot(page, 'token');
    await page.setViewportSize({ width: 390, height: 800 });
    await assertReflow('the form of a token');
    await assertAccessible();
    await shot(page, 'token-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('button', { name: 'Create' }).click();
    const made = page.getByRole('dialog', { name: 'Token display' });
    const token = await made.getByLabel('Token', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /display.*Reads alone, 1 operation/u }).waitFor();
    await shot(page, 'tokens');
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`${server.service.url}/svcapiv2${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    assert.deepEqual([await statusOf('/livestreams'), await statusOf('/channels')], [200, 403]);
    assert.deepEqual(faults(), []);
  });
});
