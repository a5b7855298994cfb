/**
 * Pictures of twelve screens, each compared with the one that is kept in test/e2e/pictures/, over a Device in memory, with clocks that stand.
 * `npm run page-pictures` renews them, and those of every page in docs/page/, which nothing is compared with.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { assertLooksAsKept, type References } from '../helpers/reference-picture.ts';
import { until } from '../helpers/until.ts';
import type { OpenOptions, OpenPage } from './page-fixture.ts';
import { fillScene, openScene, stillScript, type Scene } from './page-pictures-scene.ts';

const REFERENCES: References = {
  folder: fileURLToPath(new URL('pictures', import.meta.url)),
  isRenewed: process.env['TEST_PAGE_PICTURES'] === 'renew',
  command: 'npm run page-pictures',
};
const FOR_DOCS: References = { ...REFERENCES, folder: fileURLToPath(new URL('../../docs/page', import.meta.url)) };
const LOOKS = {
  dark: { width: 1440, height: 900, theme: 'dark' },
  light: { width: 1440, height: 900, theme: 'light' },
  phone: { width: 390, height: 844, theme: 'dark' },
} as const;
const TICK_MS = 1_000;

describe('pictures of the page', () => {
  const cleanUps: (() => unknown)[] = [];
  let scene: Awaited<ReturnType<typeof openScene>>;
  let filled: Scene;
  before(async () => {
    scene = await openScene({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  const opened = (options: OpenOptions): Promise<OpenPage> =>
    scene.open({
      script: stillScript(scene.clock),
      ...options,
      context: { timezoneId: 'Europe/Zurich', reducedMotion: 'reduce' },
    });

  async function look(name: string, on: OpenPage): Promise<void> {
    await take(REFERENCES, name, on);
    await on.page.context().close();
  }

  async function take(references: References, name: string, { page, faults }: OpenPage): Promise<void> {
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
    await page.evaluate(() => document.fonts.ready);
    // Nothing is under the mouse.
    await page.mouse.move(0, 0);
    await assertLooksAsKept(references, name, () => page.screenshot({ animations: 'disabled', caret: 'hide' }));
    assert.deepEqual(faults(), []);
  }

  /** On air with one message of rates, after which the server's clock stands again where it was. */
  async function onAir(options: OpenOptions): Promise<OpenPage> {
    const on = await opened({ role: 1, route: 'on-air', ...options });
    const { page } = on;
    await page.getByRole('article').nth(5).waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
    scene.clock.advance(TICK_MS);
    scene.clock.step(-TICK_MS);
    await page.getByText('25 fps').first().waitFor();
    await until('a picture in each tile that has one', () => paintedTiles(page));
    return on;
  }

  it('the sign-in', async () => {
    const on = await opened({ width: 1024, height: 640 });
    await on.page.getByRole('form', { name: 'Sign in' }).waitFor();
    await look('sign-in', on);
  });

  it('the first broadcast of an empty store', async () => {
    const on = await opened({ role: 1, route: 'on-air' });
    await on.page.getByRole('region', { name: 'Put a first broadcast on air' }).waitFor();
    await look('first-broadcast', on);
  });

  it('On air, dark', async () => {
    filled = await fillScene(scene);
    await look('on-air-dark', await onAir({ width: 1440, height: 900 }));
  });

  it('On air, light', async () => {
    await look('on-air-light', await onAir({ theme: 'light' }));
  });

  it('On air on a phone', async () => {
    await look('on-air-phone', await onAir({ width: 390, height: 844 }));
  });

  it('solo', async () => {
    const on = await onAir({});
    await on.page.getByRole('article', { name: 'Studio 1', exact: true }).focus();
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('dialog', { name: 'Solo Studio 1' }).waitFor();
    await look('solo', on);
  });

  it('the list of Live streams', async () => {
    const on = await opened({ role: 1, route: 'live-streams', theme: 'light' });
    await on.page.getByRole('table', { name: 'Live streams' }).getByText('Live · Warning').waitFor();
    await look('live-streams', on);
  });

  it('the editor of a Live stream', async () => {
    const on = await opened({ role: 1, route: `live-streams/${filled.ids['Evening news']}` });
    await on.page
      .getByRole('region', { name: 'Evening news' })
      .getByRole('button', { name: 'Edit Evening news' })
      .click();
    await on.page.getByRole('form', { name: 'Edit Evening news' }).waitFor();
    await look('live-stream-editor', on);
  });

  it('the start of a Live stream', async () => {
    const on = await opened({ role: 1, route: 'live-streams' });
    await on.page.getByRole('button', { name: 'Start Evening news', exact: true }).click();
    await on.page.getByRole('dialog').getByRole('table', { name: 'What goes out' }).waitFor();
    await look('live-stream-start', on);
  });

  it('the week of the Scheduler', async () => {
    const on = await opened({ role: 1, route: 'scheduler' });
    await on.page.getByRole('radio', { name: 'Week' }).check();
    await on.page
      .getByRole('button', { name: /^Evening news, Evening news daily, planned/u })
      .first()
      .waitFor();
    await look('scheduler-week', on);
  });

  it('the list of Recordings', async () => {
    const on = await opened({ role: 1, route: 'recordings' });
    await on.page.getByRole('table', { name: 'Recordings' }).getByText('still recording').first().waitFor();
    await look('recordings', on);
  });

  it('a new Destination', async () => {
    const on = await opened({ role: 1, route: 'destinations', theme: 'light' });
    await on.page.getByRole('button', { name: 'New Destination' }).click();
    await on.page.getByRole('dialog', { name: 'New Destination' }).getByLabel('Name', { exact: true }).waitFor();
    await look('destination-form', on);
  });

  for (const [name, size] of Object.entries(LOOKS))
    it(`every page for the documents, ${name}`, { skip: !REFERENCES.isRenewed }, async () => {
      const on = await onAir(size);
      const { page } = on;
      await page.getByRole('article', { name: 'Studio 1', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Solo Studio 1' }).waitFor();
      await take(FOR_DOCS, `solo-${name}`, on);
      await page.keyboard.press('Escape');
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!))) {
        await page.evaluate(`location.hash = ${JSON.stringify(href)}`);
        await page.locator(`nav a[href="${href}"][aria-current=page]`).waitFor();
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await take(FOR_DOCS, `${href.replace('#/', '')}-${name}`, on);
      }
      await page.context().close();
    });
});

/** Whether all tiles in sight that have pictures show one. */
function paintedTiles(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const tiles = [...document.querySelectorAll<HTMLElement>('article[data-state]')].filter(
      (tile) =>
        ['on-air', 'warning', 'failing'].includes(tile.dataset['state'] ?? '') &&
        tile.getBoundingClientRect().top < innerHeight,
    );
    return tiles.every((tile) => tile.querySelector('.picture:not([data-empty])') !== null);
  });
}
