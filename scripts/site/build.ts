/** Builds the documents as a site of static files, without a server behind it. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import { pageHtml } from './layout.ts';
import { groupsOf, pagesOf, type Page } from './pages.ts';
import { renderPage, type Rendered } from './render.ts';

/** Options of the index that the browser has to know too. */
const INDEX = { fields: ['title', 'heading', 'text'], storeFields: ['address', 'title', 'heading', 'text'] };
/** So much of a section is shown with what was found. */
const SHOWN_TEXT = 160;

/** Throws Error that names every dead link. */
export async function buildSite(root: string, out: string): Promise<Page[]> {
  const pages = pagesOf(root);
  const groups = groupsOf(pages);
  const rendered = new Map(pages.map((page) => [page, renderPage(page, pages, root)]));
  assertLinks(rendered);
  rmSync(out, { recursive: true, force: true });
  const write = (target: string, text: string): void => {
    mkdirSync(dirname(join(out, target)), { recursive: true });
    writeFileSync(join(out, target), text);
  };
  for (const [page, { html, files }] of rendered) {
    write(page.target, pageHtml(page, html, groups));
    for (const file of files) cpSync(join(root, file), join(out, 'files', file), { recursive: true });
  }
  write('search-index.js', searchIndex(rendered));
  const here = dirname(fileURLToPath(import.meta.url));
  cpSync(join(here, 'site.css'), join(out, 'site.css'));
  await build({
    entryPoints: [join(here, 'search.mjs')],
    outfile: join(out, 'search.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return pages;
}

function assertLinks(rendered: ReadonlyMap<Page, Rendered>): void {
  const anchorsOf = new Map([...rendered].map(([page, { anchors }]) => [page.target, anchors]));
  const dead = [...rendered].flatMap(([page, { links }]) =>
    links
      .filter(({ target, anchor }) => anchor !== '' && anchorsOf.get(target)?.has(anchor) !== true)
      .map(({ written }) => `${page.source}: ${written}`),
  );
  if (dead.length > 0) throw new Error(`These links lead to headings that do not exist:\n${dead.join('\n')}`);
}

function searchIndex(rendered: ReadonlyMap<Page, Rendered>): string {
  const index = new MiniSearch(INDEX);
  const sections = [...rendered].flatMap(([page, own]) =>
    own.sections.map((section) => ({ title: page.title, ...section })),
  );
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  const stored = index.toJSON();
  for (const fields of Object.values(stored.storedFields as Record<string, { text: string }>))
    fields.text = fields.text.slice(0, SHOWN_TEXT);
  return `globalThis.ONAIR_INDEX_OPTIONS = ${JSON.stringify(INDEX)};\nglobalThis.ONAIR_INDEX = ${JSON.stringify(stored)};\n`;
}
