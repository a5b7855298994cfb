/** The frame of the operators' page in Chromium: sign-in, landmarks, keys, palette, theme, language, and silence. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { itLong, someOf } from '../helpers/counts.ts';
import { PASSWORD, sharedPageServer, type PageServer } from './page-fixture.ts';

describe('the frame of the page', () => {
  let server: PageServer;
  before(async () => {
    server = await sharedPageServer();
  });

  it('a browser without a session gets the sign-in form alone, and nothing is written to its console', async () => {
    const { page, faults, assertAccessible } = await server.open();
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByRole('form').count(), 1);
    assert.equal(await page.getByText('the first start prints the password').count(), 1);
    await assertAccessible();
    await page.context().addCookies([{ name: 'onair_session', value: 'x'.repeat(43), url: server.service.url }]);
    await page.reload();
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    assert.deepEqual(faults(), []);
  });

  it('a refused sign-in tells why in an alert, and a good one opens On air', async () => {
    const { page, signIn } = await server.open();
    await signIn(2, 'no such password');
    assert.match((await page.getByRole('alert').textContent()) ?? '', /\S/u);
    await signIn(2);
    await page.getByRole('heading', { level: 1, name: 'On air', exact: true }).waitFor();
  });

  // The widths between, and each page's own state, are in page-walk.long.ts.
  const SIZES = [
    [320, 'light'],
    [1280, 'dark'],
  ] as const;
  for (const [width, theme] of someOf(SIZES, 1))
    it(`at ${width} px in the ${theme} theme every page of an Administrator has its heading, no violation and no message`, async () => {
      const opened = await server.open({ role: 1, width, theme });
      const { page, faults, assertAccessible, assertReflow } = opened;
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      const names = await links.allTextContents();
      assert.equal(names.length, 18);
      for (const name of names) {
        await links.filter({ hasText: new RegExp(`^${name}$`, 'u') }).click();
        await page.getByRole('main').getByRole('heading', { level: 1, name, exact: true }).waitFor();
        assert.equal(await page.getByRole('main').getByRole('heading', { level: 1 }).count(), 1);
        assert.equal(await page.locator('[aria-current=page]').textContent(), name);
        await assertReflow();
      }
      await assertAccessible();
      assert.deepEqual(faults(), []);
      await page.context().close();
    });

  itLong('an operator has no link to the pages of Administrators, and a deep link tells who may open one', async () => {
    const { page, faults } = await server.open({ role: 2, route: 'users' });
    await page.getByText('This page is for Administrators.').waitFor();
    const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    assert.deepEqual([names.length, names.includes('Users')], [12, false]);
    assert.deepEqual(faults(), []);
  });

  itLong('landmarks, the link to the content and the regions that speak are there', async () => {
    const { page } = await server.open({ role: 2 });
    assert.equal(
      await page.getByRole('banner').getByRole('status', { name: 'Summary' }).textContent(),
      '0 on air · 0 failing · 0 starting',
    );
    await page.getByRole('status', { name: 'Connection' }).waitFor();
    assert.equal(await page.getByRole('status', { name: 'Changes' }).count(), 1);
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN');
  });

  itLong('keys go to pages, open the list of keys and the palette, and can be switched off', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2 });
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await heading('Scheduler').waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    const search = palette.getByRole('combobox', { name: 'Page, stream or act' });
    assert.equal(await page.evaluate('document.activeElement.role'), await search.getAttribute('role'));
    await page.keyboard.type('sour');
    await palette.getByRole('listbox').getByRole('option', { name: 'Sources' }).waitFor();
    await assertAccessible();
    await page.keyboard.press('Enter');
    await heading('Sources').waitFor();
    assert.equal(await palette.count(), 0);
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    assert.equal(await keys.count(), 0);
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.keyboard.press('?');
    assert.equal(await keys.count(), 0);
    assert.equal(await heading('Sources').count(), 1);
    assert.deepEqual(faults(), []);
  });

  itLong('theme, language and zone are chosen in the header and outlive a reload', async () => {
    const { page, faults } = await server.open({ role: 2 });
    const account = page.getByRole('button', { name: 'Account ana' });
    await account.click();
    await page.getByRole('checkbox', { name: 'Light theme' }).check();
    await page.getByLabel('Language').selectOption('es');
    await page.keyboard.press('Escape');
    await page.getByRole('radiogroup', { name: 'Zona horaria' }).getByRole('radio', { name: 'UTC' }).check();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'En el aire', exact: true }).waitFor();
    assert.deepEqual(await page.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme]'), [
      'es',
      'light',
    ]);
    assert.ok(await page.getByRole('radio', { name: 'UTC' }).isChecked());
    assert.deepEqual(faults(), []);
  });

  itLong('a browser in Spanish gets Spanish: labels, help, refusals, remedies and findings at fields', async () => {
    const { page, assertAccessible } = await server.open({ context: { locale: 'es-ES' } });
    const form = page.getByRole('form', { name: 'Iniciar sesión' });
    const signIn = async (password: string): Promise<void> => {
      await form.getByLabel('Usuario').fill('ana');
      await form.getByLabel('Contraseña').fill(password);
      await form.getByRole('button', { name: 'Iniciar sesión' }).click();
    };
    await signIn('no such password');
    await form.getByRole('alert').getByText('no coinciden').waitFor();
    await signIn(PASSWORD);
    await page.getByRole('heading', { level: 1, name: 'En el aire', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cuenta ana' }).click();
    await page.getByRole('button', { name: 'Cambiar la contraseña' }).click();
    const change = page.getByRole('dialog', { name: 'Cambiar la contraseña' });
    await change.getByLabel('Contraseña actual').fill('no such password');
    await change.getByLabel('Contraseña nueva', { exact: true }).fill(PASSWORD);
    await change.getByLabel('Contraseña nueva, otra vez').fill(PASSWORD);
    await change.getByRole('button', { name: 'Guardar' }).click();
    await change.getByText('No es la actual.').waitFor();
    await change.getByText('Algo no está bien en lo que se ha enviado.').waitFor();
    await change.getByText('Corrija lo que se indica en los campos e inténtelo de nuevo.').waitFor();
    await assertAccessible();
  });

  it('a session that ends leaves the page under a veil, and a sign-in goes on where it was', async () => {
    const { page, signIn } = await server.open({ role: 2, route: 'destinations' });
    await page.getByRole('heading', { level: 1, name: 'Destinations', exact: true }).waitFor();
    await page.getByRole('main').evaluate((main) => (main.dataset['mark'] = 'same'));
    const { data } = await (await page.request.get(`${server.service.url}/svcapiv2/security/me`)).json();
    const headers = { 'X-CSRF-Token': data.csrf_token as string };
    await page.request.post(`${server.service.url}/svcapiv2/security/logout`, { headers });
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByRole('main').count(), 0, 'what lies under the veil is not to be reached');
    assert.equal(await page.locator('main h1').textContent(), 'Destinations');
    await signIn(2);
    await page.getByRole('heading', { level: 1, name: 'Destinations', exact: true }).waitFor();
    assert.equal(await page.getByRole('main').getAttribute('data-mark'), 'same');
    assert.equal(await page.getByRole('form', { name: 'Sign in' }).count(), 0);
  });

  itLong('signing out shows the sign-in form without a message in the console', async () => {
    const { page, faults } = await server.open({ role: 2 });
    await page.getByRole('button', { name: 'Account ana' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByRole('navigation').count(), 0);
    await page.reload();
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    assert.deepEqual(faults(), []);
  });
});
