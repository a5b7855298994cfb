/** Finds text in the path of an address that looks like a secret: tokens, and the values of parameters with telling names. */

const MIN_TOKEN = 20;
/** Words and numbers that people write between hyphens; longer ones without a break are no words. */
const WORD = /^(?:[A-Z]?[a-z]{0,15}|[A-Z]{1,15}|\d{1,8}|[A-Z]?[a-z]{2,15}(?:[A-Z][a-z]{2,15})+\d{0,4})$/u;
/** 1080p60, h264, 4k, v2, w1234567. They count between real words alone: a key of four characters a group would pass as well. */
const TERM = /^(?:[a-z]{1,4}\d{1,4}[a-z]?|[a-z]\d{1,10}|\d{1,4}[a-z]{1,3}\d{0,3})$/iu;
const LONG_WORD = /^[A-Z]?[a-z]{4,15}$/u;
const INSTANT = /\d{4}-?\d{2}-?\d{2}T\d{2}(?:-?\d{2}){0,2}Z?/gu;

/** The alphabets of base64 and base64url; every other character of a path separates two runs. */
const RUN = /[\w+/-]+/gu;
/** RFC 7519; its parts may be shorter than a token is. */
const JWT = /(?<![\w-])eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/gu;
/** Matrix parameters (RFC 3986 §3.3) and those of CDNs, whose values hold further ones: `hdnts=exp=1~acl=*~hmac=…`. */
const PARAMETER = /([\w-]+)=(?=([^;,&]+))/gu;
const SECRET_NAME = /token|secret|pass|pwd|auth|sig(?:nature)?$|hmac|jwt|session|credential|^hdn|key$|^sid$/iu;

/** True for twenty and more characters that are neither words, nor numbers, nor an instant. */
function isTokenLike(run: string): boolean {
  const rest = run.replace(INSTANT, '');
  if (rest.length < MIN_TOKEN) return false;
  const parts = rest.split(/[-_+/]/u);
  const strange = parts.filter((part) => !WORD.test(part));
  const isName = strange.every((part) => TERM.test(part)) && parts.some((part) => LONG_WORD.test(part));
  return strange.length > 0 && !isName;
}

/** The start and end of each secret, in order, without overlaps. Escapes (`%39`) count as the characters they encode. */
function spansOf(segment: string): [from: number, to: number][] {
  const units = [...segment.matchAll(/%[\da-f]{2}|[^]/giu)].map(({ 0: raw, index }) => ({ raw, index }));
  const text = units
    .map(({ raw }) => (raw.length === 3 ? String.fromCharCode(parseInt(raw.slice(1), 16)) : raw[0]))
    .join('');
  const spans = [
    ...[...text.matchAll(RUN)]
      .filter(([run]) => isTokenLike(run))
      .map(({ 0: run, index }) => [index, index + run.length]),
    ...[...text.matchAll(JWT)].map(({ 0: run, index }) => [index, index + run.length]),
    ...[...text.matchAll(PARAMETER)]
      .filter(([, name = '']) => SECRET_NAME.test(name))
      .map(({ 0: name, 2: value = '', index }) => [index + name.length, index + name.length + value.length]),
  ] as [number, number][];
  const at = (unit: number): number => units[unit]?.index ?? segment.length;
  const joined: [number, number][] = [];
  for (const [from, to] of spans.sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && at(from) < last[1]) last[1] = Math.max(last[1], at(to));
    else joined.push([at(from), at(to)]);
  }
  return joined;
}

/** The path, or a part of it, with `****` for each secret. */
export function maskPath(path: string): string {
  return path.replace(/[^/]+/gu, (segment) => {
    const spans = spansOf(segment);
    return spans.reduceRight((text, [from, to]) => `${text.slice(0, from)}****${text.slice(to)}`, segment);
  });
}

/** The secrets that `maskPath` hides, as they are written there. */
export function secretsOfPath(path: string): string[] {
  return path.split('/').flatMap((segment) => spansOf(segment).map(([from, to]) => segment.slice(from, to)));
}
