/** Pages that this server writes by itself, without a script and without a file beside them: refusals, and the consent to an assistant. */
import { createHash } from 'node:crypto';

/** The colours are those of the browser, light or dark. */
const STYLE = [
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}',
  'main{max-width:36rem;margin:8vh auto;padding:0 1rem;overflow-wrap:anywhere}',
  'fieldset{margin:1.5rem 0;padding:.5rem 1rem;border:1px solid GrayText;border-radius:.4rem}',
  'legend,summary,.name{font-weight:600}summary{cursor:pointer;padding:.4rem 0}',
  'label{display:block;padding:.3rem 0}label small{display:block;padding-left:1.7rem}',
  'input,button{font:inherit;min-height:1.5rem}input[type=text],input[type=password],input[type=number]{box-sizing:border-box;max-width:100%;padding:.4rem}',
  'button,.button{display:inline-block;font:inherit;padding:.5rem 1.2rem;margin:0 .5rem .5rem 0;border:1px solid currentColor;border-radius:.4rem;background:Canvas;color:CanvasText;text-decoration:none;cursor:pointer}',
  'button.main{background:#0b7a4b;color:#fff;border-color:#0b7a4b}button.main,.warn{font-weight:600}',
  '.warn{padding:.6rem 1rem;border-left:.4rem solid #d60}dt{font-weight:600}dd{margin:0 0 .5rem}',
].join('');
const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

export interface PlainPage {
  status: number;
  requestId: string;
  lang: string;
  title: string;
  /** HTML in which every text of others is escaped. */
  main: string;
  /** The places that its forms may lead to; left out: there are no forms. */
  formAction?: string;
  /** The address that the browser goes to by itself. */
  next?: string;
}

export function plainPage({ status, requestId, lang, title, main, formAction = "'none'", next }: PlainPage): Response {
  const refresh = next === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(next)}">`;
  const html = `<!doctype html>
<html lang="${lang}">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}<title>${escaped(title)}</title><style>${STYLE}</style></head>
  <body>
    <main>
${main}
    </main>
  </body>
</html>
`;
  const policy = `default-src 'none'; style-src '${STYLE_HASH}'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY',
    // With no-referrer the forms of the page would come without the Origin that tells them from those of other sites.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
  };
  return new Response(html, { status, headers });
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
}
