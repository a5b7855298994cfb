/** The frame of a page: heading, navigation, search, and the document itself. */
import { posix } from 'node:path';
import type { groupsOf, Page } from './pages.ts';
import { escaped } from './render.ts';

type Groups = ReturnType<typeof groupsOf>;

export function pageHtml(page: Page, html: string, groups: Groups): string {
  const here = posix.dirname(page.target);
  const to = (target: string): string => escaped(posix.relative(here, target));
  const links = (pages: readonly Page[]): string =>
    pages
      .map((other) => {
        const current = other === page ? ' aria-current="page"' : '';
        return `<li><a href="${to(other.target)}"${current}>${escaped(other.title)}</a></li>`;
      })
      .join('\n');
  // A list that is long and holds not this page is closed.
  const navigation = groups
    .map(({ title, pages }) => {
      const open = pages.length < 10 || pages.includes(page) ? ' open' : '';
      return `<details${open}><summary>${escaped(title)}</summary><ul>${links(pages)}</ul></details>`;
    })
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${escaped(page.title)} · onair</title>
<link rel="icon" href="data:," />
<link rel="stylesheet" href="${to('site.css')}" />
<script src="${to('search.js')}" data-root="${to('index.html').replace(/index\.html$/u, '')}" defer></script>
</head>
<body>
<a class="skip" href="#document">To the document</a>
<header>
<a class="home" href="${to('index.html')}">onair</a>
<search id="search" hidden>
<input type="search" aria-label="Search the documents" placeholder="Search" autocomplete="off" spellcheck="false" />
<ol aria-live="polite"></ol>
</search>
</header>
<nav aria-label="Documents">
${navigation}
</nav>
<main id="document">
${html}
</main>
</body>
</html>
`;
}
