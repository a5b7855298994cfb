/** A report as a document: Markdown for assistants, and a page that stands alone and can be printed. */
import { createHash } from 'node:crypto';
import type { ReportCurves } from '../../../domain/shapes/reports/curves.ts';
import type { KeptPicture } from '../../../domain/shapes/reports/kept-pictures.ts';
import type { WholeReport } from '../../../domain/shapes/reports/run-report.ts';
import { stripInvisible } from '../../output/visible.ts';
import type { MadeFile } from '../../tool.ts';
import { curveDrawings } from './report-curves.ts';
import { pictureStrip } from './report-pictures.ts';
import { headingOf, sectionsOf } from './report-sections.ts';

/** Names and messages have words of others in them: none of them is markup of ours. */
function plain(text: string): string {
  return stripInvisible(text)
    .replace(/\s+/gu, ' ')
    .replace(/[\\`*_[\]<>|#]/gu, (character) => `\\${character}`);
}

export function reportMarkdown(report: WholeReport, more: readonly string[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const tables = sectionsOf(report).map(({ title, columns, rows }) =>
    [
      `## ${title}`,
      '',
      row(columns),
      row(columns.map(() => '---')),
      ...rows.map((cells) => row(cells.map(plain))),
    ].join('\n'),
  );
  const notes = more.map((note) => `- ${plain(note)}`).join('\n');
  const parts = [`# ${plain(headingOf(report))}`, plain(report.verdict), ...tables, notes];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The colours are those of the browser, light or dark; on paper they are black on white. */
const STYLE = [
  ':root{color-scheme:light dark;font:15px/1.45 system-ui,sans-serif}',
  'main{max-width:70rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}',
  'h1{font-size:1.4rem}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}',
  '.verdict{padding:.6rem 1rem;border-left:.4rem solid #0b7a4b;font-size:1.05rem}',
  '.table{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}',
  'th,td{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid GrayText}',
  'td:first-child{white-space:nowrap}thead{display:table-header-group}tr{break-inside:avoid}',
  '.pictures{display:flex;flex-wrap:wrap;gap:0 .6rem}img{display:block;height:auto}',
  'figure{margin:.6rem 0;break-inside:avoid}svg{display:block;width:100%;height:5.5rem;border-bottom:1px solid GrayText}figcaption{font-size:.85rem}',
  '@media print{:root{color-scheme:light;font-size:10pt}main{max-width:none;margin:0;padding:0}}',
].join('');
const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

export function reportPage(
  report: WholeReport,
  more: readonly string[],
  { curves, pictures }: { curves: ReportCurves; pictures: readonly KeptPicture[] },
): string {
  const cells = (name: 'th' | 'td', texts: readonly string[]): string =>
    `<tr>${texts.map((text) => (name === 'th' ? `<th scope="col">${escaped(text)}</th>` : `<td>${escaped(text)}</td>`)).join('')}</tr>`;
  const tables = sectionsOf(report).map(
    ({ title, columns, rows }) =>
      `<h2>${escaped(title)}</h2>\n<div class="table"><table><thead>${cells('th', columns)}</thead><tbody>\n${rows.map((row) => cells('td', row)).join('\n')}\n</tbody></table></div>`,
  );
  const title = escaped(headingOf(report));
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><main>
<h1>${title}</h1>
<p class="verdict">${escaped(report.verdict)}</p>
${[...pictureStrip(pictures, report), ...curveDrawings(curves, report), ...tables, ...more.map((note) => `<p>${escaped(note)}</p>`)].join('\n')}
</main></body>
</html>
`;
}

function escaped(text: string): string {
  return stripInvisible(text).replace(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
}

export function documentFile(format: 'markdown' | 'html', text: string): MadeFile {
  const content = Buffer.from(text);
  if (format === 'markdown') return { content, contentType: 'text/markdown; charset=utf-8' };
  const policy = `default-src 'none'; style-src '${STYLE_HASH}'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
  return { content, contentType: 'text/html; charset=utf-8', policy };
}
