/** Takes secrets out of text that is to leave this machine: known values first, then everything that looks like a secret. */
import { setImmediate as breathe } from 'node:timers/promises';
import { maskDeliveryUrl } from '../domain/base/schema.ts';

const HIDDEN = '****';
/** Two megabytes are searched for so many secrets in some 20 ms; then other calls get their turn. */
const SECRETS_AT_ONCE = 20;

/** Each pattern takes time linear in the length of a line, whatever is in it: patterns that could match at many places are bounded. */
const LOOKS: readonly [RegExp, string | ((found: string) => string)][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu, HIDDEN],
  [/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'"<>]+/giu, maskDeliveryUrl],
  [/\b(Bearer|Basic)[ \t]+[\w.~+/=-]+/giu, `$1 ${HIDDEN}`],
  [/\bonair_[0-9a-f]{12}_[\w-]+/gu, HIDDEN],
  // The header of a compact JWS or JWT begins with {".
  [/(?<![\w-])eyJ[\w-]+\.[\w-]*\.[\w-]*/gu, HIDDEN],
  [
    /((?:password|passphrase|secret|token|stream_?key|api_?key|authorization|cookie)(?:\\?["'])?[ \t]*[:=][ \t]*)(?:\\?"(?:[^"\\\n]|\\[^\n])*"|[^\s,;}]+)/giu,
    `$1"${HIDDEN}"`,
  ],
];

export type Redactor = (text: string) => Promise<string>;

export function createRedactor(secrets: readonly string[]): Redactor {
  // Longest first: a key that contains another one must not leave its tail behind.
  const forms = [...new Set(secrets.flatMap(writtenForms))].sort((a, b) => b.length - a.length);
  return async (text) => {
    let clean = text;
    for (let at = 0; at < forms.length; at += SECRETS_AT_ONCE) {
      for (const secret of forms.slice(at, at + SECRETS_AT_ONCE)) clean = clean.replaceAll(secret, HIDDEN);
      await breathe();
    }
    return LOOKS.reduce((done, [pattern, by]) => done.replace(pattern, by as string), clean);
  };
}

/** A secret as it is, in a URL, and in a line of JSON. */
function writtenForms(secret: string): string[] {
  return [secret, encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd')), JSON.stringify(secret).slice(1, -1)];
}

/** No text contains it, and of the patterns above only that of a key reaches across lines. */
const BETWEEN = '\n\u0000\n';

/** Redacts the strings of a JSON value; its numbers and names stay, so it stays the same document. */
export async function redactValue(value: unknown, redact: Redactor): Promise<unknown> {
  const texts: string[] = [];
  walk(value, (text) => {
    texts.push(text.replaceAll('\u0000', ''));
    return text;
  });
  if (texts.length === 0) return value;
  let clean = (await redact(texts.join(BETWEEN))).split(BETWEEN);
  if (clean.length !== texts.length) clean = await Promise.all(texts.map(redact));
  let next = 0;
  return walk(value, () => clean[next++] ?? HIDDEN);
}

function walk(value: unknown, onText: (text: string) => string): unknown {
  if (typeof value === 'string') return onText(value);
  if (Array.isArray(value)) return value.map((item) => walk(item, onText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner, onText)]));
}
