/**
 * Removes invisible characters from text that users typed, before a model reads it. Such characters can hide an instruction or turn a name
 * around: format characters (zero-width, bidirectional, tags: Unicode category Cf), controls, blanks that are letters by category, and
 * variation selectors, which carry any bytes behind one emoji. Zero-width joiners stay where script or emoji needs them: between two
 * letters, marks or pictographs. A variation selector stays behind a pictograph, a keycap or an ideograph.
 */
const INVISIBLE = [
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200C\u200D]/u,
  /[\u200C\u200D](?![\p{L}\p{M}\p{Extended_Pictographic}])/u,
  /(?![\u200C\u200D])\p{Cf}/u,
  /(?![\t\n\r])\p{Cc}/u,
  /[\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFFA0]/u,
  /(?<![\p{Extended_Pictographic}\p{Script=Han}\d#*])[\uFE00-\uFE0F]/u,
  /(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]/u,
];
const PATTERN = new RegExp(INVISIBLE.map(({ source }) => source).join('|'), 'gu');
const FIRST = new RegExp(`[\\u2028\\u2029]|${PATTERN.source}`, 'u');
const LINE_SEPARATORS = /[\u2028\u2029]/gu;
/** Nearly all text is printable ASCII, and this check costs a fiftieth of the search for invisible characters. */
const UNUSUAL = /[^\t\n\r -~]/u;

export function stripInvisible(text: string): string {
  return UNUSUAL.test(text) ? text.replace(LINE_SEPARATORS, ' ').replace(PATTERN, '') : text;
}

/** The first character of the text that nobody would see where it stands; undefined where there is none. */
export function invisibleIn(text: string): string | undefined {
  return UNUSUAL.test(text) ? FIRST.exec(text)?.[0] : undefined;
}

/** A control character as JSON writes it. A `\\u001b` that somebody typed has a backslash more. */
const ESCAPED_CONTROL = /(?<!\\)(?:\\\\)*\\(?:u00[01][0-9a-f]|[bf])/u;

/** Strips a whole body. A clean body is answered itself, so that most answers are not built twice. */
export function visibleBody<T extends object>(body: T): { json: string; body: T } {
  const json = JSON.stringify(body);
  const clean = stripInvisible(json);
  if (ESCAPED_CONTROL.test(clean)) {
    const stripped = JSON.parse(clean, (_key, value: unknown) =>
      typeof value === 'string' ? stripInvisible(value) : value,
    ) as T;
    return { json: JSON.stringify(stripped), body: stripped };
  }
  return clean === json ? { json, body } : { json: clean, body: JSON.parse(clean) as T };
}
