/** The site of the documents as `npm run docs` builds it: no dead link, readable without JavaScript, searched with it, in both themes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { renderPage } from '../../scripts/site/render.ts';
import { sharedBrowser } from '../helpers/browser.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READERS = ['church', 'streamer', 'assistant', 'script', 'operations', 'broadcast-engineer', 'contributor'];

describe('the site of the documents', () => {
  let site: string;
  let browser: Browser;
  let output: string;

  before(async () => {
    site = mkdtempSync(join(tmpdir(), 'onair-site-'));
    const words = ['--import', 'tsx', join(ROOT, 'scripts', 'site', 'main.ts'), site];
    output = execFileSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
    browser = await sharedBrowser();
  });
  after(() => rmSync(site, { recursive: true, force: true }));

  const addressOf = (page: string): string => pathToFileURL(join(site, page)).href;

  it('npm run docs says where the site is, and each reader has a guide on the first page', () => {
    assert.equal(output.trim().split('Open ').at(-1), join(site, 'index.html'));
    const start = readFileSync(join(site, 'index.html'), 'utf8');
    for (const reader of READERS) assert.ok(start.includes(`href="guides/${reader}.html"`), reader);
  });

  it('every link and picture of every page leads to a file of the site, and every anchor to a heading', () => {
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
    assert.ok(pages.length > 60, `${pages.length} pages`);
    const texts = new Map(pages.map((page) => [page, readFileSync(join(site, page), 'utf8')]));
    const dead: string[] = [];
    for (const [page, text] of texts)
      for (const [, written = ''] of text.matchAll(/ (?:href|src)="([^"]*)"/gu)) {
        if (/^(https?|mailto|data):/u.test(written)) continue;
        const [path = '', anchor] = written.split('#');
        const target = path === '' ? page : normalize(join(dirname(page), path));
        const isThere = existsSync(join(site, target)) && !relative(site, join(site, target)).startsWith('..');
        if (!isThere || (anchor !== undefined && !texts.get(target)?.includes(` id="${anchor}"`)))
          dead.push(`${page}: ${written}`);
      }
    assert.deepEqual(dead, []);
  });

  it('a link to a file that does not exist ends the build with the name of the page', () => {
    const page = { source: 'docs/x.md', target: 'x.html', title: 'X', text: '# X\n\n[gone](gone.md)' };
    assert.throws(() => renderPage(page, [page], ROOT), /docs\/x\.md links to gone\.md, which does not exist/u);
  });

  it('without JavaScript a page has its text and its navigation, and no search that would not work', async () => {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(addressOf('guides/church.html'));
    await page.getByRole('heading', { level: 1, name: 'A church: on air every Sunday' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Manual for operators' }).click();
    await page.getByRole('heading', { level: 1, name: 'Manual for operators' }).waitFor();
    assert.equal(await page.getByRole('searchbox').count(), 0);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`in the ${colorScheme} theme the search finds a section and leads to it, on a page without a violation or a message`, async () => {
      const page = await (await browser.newContext({ colorScheme })).newPage();
      const faults: string[] = [];
      page.on('console', (message) => faults.push(message.text()));
      page.on('pageerror', (error) => faults.push(error.message));
      await page.goto(addressOf('guides/church.html'));
      await page.keyboard.press('/');
      await page.keyboard.type('dead destination retried');
      const found = page.getByRole('link', { name: 'Manual for operators: What holds while things break' });
      await found.waitFor();
      await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
      const run = (await page.evaluate('axe.run(document, { preload: false, resultTypes: ["violations"] })')) as {
        violations: { id: string }[];
      };
      assert.deepEqual(
        run.violations.map(({ id }) => id),
        [],
      );
      await found.click();
      await page.waitForURL(/manual\.html#what-holds-while-things-break$/u);
      assert.deepEqual(faults, []);
    });
});
