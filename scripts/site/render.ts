/** Markdown to HTML: headings get the anchors that GitHub gives them, and links lead to pages and files of the site. */
import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import type { Page } from './pages.ts';

export interface Section {
  /** Address from the root of the site. */
  address: string;
  heading: string;
  text: string;
}

export interface Rendered {
  html: string;
  sections: Section[];
  /** Links of the page that lead to a page: target and anchor. */
  links: { target: string; anchor: string; written: string }[];
  anchors: Set<string>;
  /** Files that the page shows or links to, by their path from the root of the repository. */
  files: Set<string>;
}

/** Throws Error for a link to a file that does not exist. */
export function renderPage(page: Page, pages: readonly Page[], root: string): Rendered {
  const rendered: Rendered = { html: '', sections: [], links: [], anchors: new Set(), files: new Set() };
  const here = posix.dirname(page.target);
  const addressOf = (written: string): string | undefined => {
    if (/^[a-z]+:/u.test(written)) return written;
    const [path = '', anchor = ''] = written.split('#', 2);
    const source = path === '' ? page.source : posix.normalize(posix.join(posix.dirname(page.source), path));
    const other = pages.find((each) => each.source === source);
    if (other !== undefined) {
      rendered.links.push({ target: other.target, anchor, written });
      const file =
        other === page && path === '' ? '' : posix.relative(here, other.target) || posix.basename(other.target);
      return anchor === '' ? file : `${file}#${anchor}`;
    }
    if (!existsSync(join(root, source))) throw new Error(`${page.source} links to ${written}, which does not exist.`);
    // A folder is something to look at in the repository alone.
    if (statSync(join(root, source)).isDirectory()) return undefined;
    rendered.files.add(source);
    return posix.relative(here, `files/${source}`);
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = anchorOf(text, rendered.anchors);
        rendered.sections.push({
          address: `${page.target}${depth === 1 ? '' : `#${id}`}`,
          heading: plain(text),
          text: '',
        });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === undefined ? inner : `<a href="${escaped(address)}">${inner}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escaped(addressOf(href) ?? '')}" alt="${escaped(text)}" loading="lazy" />`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        const language = lang.split(' ', 1)[0] ?? '';
        const name = language === '' ? 'text' : language;
        return `<pre tabindex="0" aria-label="${escaped(name)}"><code>${escaped(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const tokens = marked.lexer(page.text);
  rendered.html = marked.parser(tokens);
  let at = -1;
  for (const token of tokens) {
    if (token.type === 'heading') at += 1;
    else if (at >= 0) rendered.sections[at]!.text += ` ${plain(token.raw)}`;
  }
  return rendered;
}

/** Makes the anchor of a heading as GitHub does: small letters, hyphens for spaces, a number where one is taken. */
function anchorOf(heading: string, taken: Set<string>): string {
  const base = plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  let id = base;
  for (let count = 1; taken.has(id); count += 1) id = `${base}-${count}`;
  taken.add(id);
  return id;
}

/** Text without the marks of Markdown, for a search. */
function plain(text: string): string {
  return text
    .replace(/<!--.*?-->/gsu, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/[`*|]|^#+ |^-{3,}|^```\w*/gmu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
