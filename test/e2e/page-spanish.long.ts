/** The page for people who read Spanish: every page with rows, forms, help and refusals, without a sentence in English. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { PASSWORD, startPageServer, type OpenPage } from './page-fixture.ts';

/** Words that English sentences are made of and that are none of Spanish. */
const ENGLISH =
  /\b(?:the|and|of|with|which|that|this|these|those|from|is|are|was|were|not|cannot|must|should|has|have|been|by|it|its|there|their|for|what|where|when|until|while|than|who|whose|one|any|all|other|each|every)\b/iu;

/** All that is shown or heard, but for what the page itself calls English. */
async function textsOf(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const texts = [];
    const isForeign = (element) => element.closest('[lang=en], code, pre, [hidden]') !== null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, nodeValue } = walker.currentNode;
      if (parentElement && !isForeign(parentElement) && !parentElement.closest('script, style')) texts.push(nodeValue.trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [aria-description]'))
      if (!isForeign(element))
        for (const name of ['aria-label', 'title', 'placeholder', 'aria-description']) texts.push(element.getAttribute(name) ?? '');
    return texts.filter((text) => text !== '');
  })()`)) as string[];
}

/** Two of these words make a sentence; one may be the name of something. */
function englishIn(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => (text.match(new RegExp(ENGLISH, 'giu')) ?? []).length > 1);
}

describe('the page in Spanish', () => {
  async function shown(opened: OpenPage, place: string, found: string[]): Promise<void> {
    await opened.page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
    found.push(...englishIn(await textsOf(opened.page)).map((text) => `${place}: ${text}`));
  }

  it('is what a browser in Spanish gets, and no page, form, help or refusal has an English sentence', async (t) => {
    const { service, open } = await startPageServer(t);
    const { create } = service;
    const channelId = await create('/channels', {
      name: 'Cámara',
      type: 'SRT',
      settings: { mode: 'listener', port: 9998 },
    });
    const encodingId = await create('/encodings', { name: '360p' });
    const publishingId = await create('/publishings', { name: 'Web', type: 'HLS / TS' });
    const livestreamId = await create('/livestreams', { name: 'Estudio', channelId, encodingId, publishingId });
    const plan = { start: '2030-01-05T10:00:00Z', end: '2030-01-05T11:00:00Z', recurrence: { type: 'weekly' } };
    await create('/schedules', { name: 'Semanal', livestreamId, ...plan });
    const opened = await open({ context: { locale: 'es-ES' } });
    const { page } = opened;
    const found: string[] = [];
    const form = page.getByRole('form', { name: 'Entrar' });
    await form.waitFor();
    await shown(opened, 'sign-in', found);
    await form.getByRole('textbox').first().fill('admin');
    await form.locator('input[type=password]').fill('a wrong password');
    await form.getByRole('button').last().click();
    await form.getByRole('alert').waitFor();
    await shown(opened, 'a refused sign-in', found);
    await form.locator('input[type=password]').fill(PASSWORD);
    await form.getByRole('button').last().click();
    const links = page.locator('nav.rail a');
    await links.first().waitFor();
    const count = await links.count();
    for (let at = 0; at < count; at += 1) {
      await links.nth(at).click();
      const name = (await links.nth(at).textContent()) ?? '';
      await page.getByRole('main').getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await shown(opened, name, found);
      const tabs = page.getByRole('main').getByRole('tab');
      for (let tab = 0; tab < Math.max(1, await tabs.count()); tab += 1) {
        if ((await tabs.count()) > 0) await tabs.nth(tab).click();
        await shown(opened, `${name}, tab ${tab}`, found);
        await filledForm(opened, `${name}, tab ${tab}`, found);
      }
    }
    for (const code of Object.keys(ERROR_CODES)) {
      await page.route('**/svcapiv2/channels?**', (route) =>
        route.fulfill({
          status: 400,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            code,
            detail: 'This is not what the server has been asked for.',
            remedy: ERROR_CODES[code as keyof typeof ERROR_CODES].remedy,
            errors: [{ field: 'name', code: 'of_a_newer_server', message: 'is not the one that it has.' }],
          }),
        }),
      );
      await page.evaluate("location.hash = '#/on-air'");
      await page.evaluate("location.hash = '#/sources'");
      await page.reload();
      const alert = page.getByRole('main').getByRole('alert');
      await alert.first().waitFor();
      await shown(opened, `a refusal of ${code}`, found);
      await page.unroute('**/svcapiv2/channels?**');
    }
    assert.deepEqual(found, []);
  });

  /** The form of a new row as it opens, with all that is folded, and as the server refuses it. */
  async function filledForm(opened: OpenPage, place: string, found: string[]): Promise<void> {
    const { page } = opened;
    const add = page.getByRole('main').locator('.bar .button-main').first();
    if ((await add.count()) === 0 || !(await add.isVisible())) return;
    await add.click();
    const dialog = page.getByRole('dialog').last();
    if ((await dialog.count()) === 0) return;
    await dialog.waitFor();
    await page.locator('dialog [aria-busy=true]').first().waitFor({ state: 'detached' });
    for (const fold of await dialog.locator('details:not([open]) > summary').all()) await fold.click();
    await shown(opened, `${place}, form`, found);
    await dialog
      .locator('button[type=submit]')
      .last()
      .click({ timeout: 2000 })
      .catch(() => undefined);
    await dialog
      .locator('[aria-invalid], [role=alert]')
      .first()
      .waitFor({ timeout: 5000 })
      .catch(() => undefined);
    await shown(opened, `${place}, refused form`, found);
    await page.keyboard.press('Escape');
    const discard = page.getByRole('dialog').locator('.button-danger, .button-main').last();
    if ((await page.getByRole('dialog').count()) > 1) await discard.click();
    await page
      .getByRole('dialog')
      .first()
      .waitFor({ state: 'detached', timeout: 5000 })
      .catch(() => undefined);
  }
});
