/** A walk through one page that presses what it finds there, and tells what is shown after each press. */
import type { Locator, Page } from 'playwright-core';

/** Sentences of the server are marked as English, or are folded. */
const OF_OTHERS = '[lang]:not(html), details:not([open]) > :not(summary), pre, code, kbd, script, style';
/** It signs out, downloads, or leaves the page. */
const LEFT_ALONE = /^(?:Cerrar sesión|Descargar|Cuenta )/u;
/** Each is of the rows of a list, of which one is enough. */
const MAX_ALIKE = 1;

type Tell = (texts: readonly string[], where: string) => void;

/** Texts and names that people see or hear on the page as it stands. */
export function shownTexts(page: Page): Promise<string[]> {
  return page.evaluate((others) => {
    const found: string[] = [];
    const isSeen = (element: Element): boolean => element.checkVisibility() && element.closest(others) === null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement !== null && isSeen(node.parentElement)) found.push(node.textContent ?? '');
    const names = ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'placeholder', 'alt'];
    for (const element of document.body.querySelectorAll('*'))
      if (isSeen(element)) found.push(...names.map((name) => element.getAttribute(name) ?? ''));
    return [document.title, ...found].filter((text) => /\p{L}{2}/u.test(text));
  }, OF_OTHERS);
}

/** Presses each kind of button of a page and of its tabs, and chooses each entry of the lists in a dialog that opens. */
export async function walkButtons(page: Page, place: string, tell: Tell): Promise<void> {
  await goTo(page, place);
  tell(await shownTexts(page), place);
  const tabs = page.getByRole('main').getByRole('tab');
  for (let tab = 0; tab < Math.max(1, await tabs.count()); tab += 1) {
    const names = new Set<string>();
    const kinds = new Map<string, number>();
    if (tab > 0) await tabs.nth(tab).click();
    await settled(page);
    tell(await shownTexts(page), `${place} tab ${tab}`);
    for (const name of await namesOf(page.getByRole('main').getByRole('button'))) {
      const kind = name.split(' ').slice(0, 2).join(' ');
      if (LEFT_ALONE.test(name) || (kinds.get(kind) ?? 0) >= MAX_ALIKE) continue;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      names.add(name);
    }
    for (const name of names) {
      await press(page, name, `${place} “${name}”`, tell);
      await goTo(page, place);
      if (tab > 0) await tabs.nth(tab).click();
      await settled(page);
    }
  }
}

async function press(page: Page, name: string, where: string, tell: Tell): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name, exact: true }).first();
  // One that was there may be gone, such as the acts of a tile that is not focused any more.
  if (!(await button.isVisible()) || !(await button.isEnabled())) return;
  await button.evaluate((element) => (element as HTMLElement).click());
  await lookAround(page, where, tell);
  for (let turn = 0; turn < 3 && (await page.getByRole('dialog').count()) > 0; turn += 1)
    await page.keyboard.press('Escape');
}

/** Tells the page as it stands, and all of the dialog that is open. */
export async function lookAround(page: Page, where: string, tell: Tell): Promise<void> {
  await settled(page);
  tell(await shownTexts(page), where);
  const dialog = page.getByRole('dialog').last();
  if (await dialog.isVisible()) await lookInto(page, dialog, where, tell);
}

async function lookInto(page: Page, dialog: Locator, where: string, tell: Tell): Promise<void> {
  const tabs = dialog.getByRole('tab');
  for (let tab = 0; tab < (await tabs.count()); tab += 1) {
    await tabs.nth(tab).click();
    await settled(page);
    tell(await shownTexts(page), `${where} tab ${tab}`);
  }
  const folded = dialog.locator('details:not(.server-text):not([open]) > summary');
  for (let turn = 0; turn < 10 && (await folded.count()) > 0; turn += 1) await folded.first().click();
  const type = dialog.locator('select').first();
  if ((await type.count()) === 0 || !(await type.isEnabled())) return;
  const values = await type
    .locator('option')
    .evaluateAll((options) => options.map((each) => (each as HTMLOptionElement).value));
  for (const value of values) {
    await type.selectOption(value);
    await settled(page);
    for (let turn = 0; turn < 10 && (await folded.count()) > 0; turn += 1) await folded.first().click();
    tell(await shownTexts(page), `${where} ${value}`);
  }
}

async function namesOf(buttons: Locator): Promise<string[]> {
  return buttons.evaluateAll((all) =>
    all
      .filter((each) => each.checkVisibility())
      .map((each) => (each.getAttribute('aria-label') ?? each.textContent ?? '').replace(/\s+/gu, ' ').trim())
      .filter((name) => name !== ''),
  );
}

/** Another place first: a page that is open already would keep what was opened there. */
async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = '#/nothing'`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
  // The words of a page in Spanish come with a file of their own.
  await page.waitForTimeout(150);
}
