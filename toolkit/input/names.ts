/** Names as people say and spell them, and the rows that such a name means. */
import { editDistance } from '../catalogue.ts';
import { stripInvisible } from '../output/visible.ts';

/** One error in five letters is a slip; with more errors it is another name. */
const SLIP_SHARE = 0.2;

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const NUMBER_WORDS = new Map([
  ...UNITS.map((word, at) => [word, at] as const),
  ...TENS.map((word, at) => [word, (at + 2) * 10] as const),
]);
/** Unicode does not decompose these letters. */
const BARE_LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ı: 'i' };
const QUOTED = /^["'`“”„‟‘’‚«»‹›]+|["'`“”„‟‘’‚«»‹›]+$/gu;
/** People say such a word beside a name, for the kind of thing. */
const KINDS =
  /^(?:live ?stream|stream|broadcast|show|programme?|destination|output|channel|source|camera|feed|device|encoder|group|pool) | (?:live ?stream|stream|broadcast|show|programme?|destination|output|channel|source|camera|feed|device|encoder|group|pool)$/u;

/** The name without differences of case, spacing, composition, quotation marks and invisible characters. */
export function plainName(text: string): string {
  return stripInvisible(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, ' ')
    .trim()
    .replace(QUOTED, '')
    .trim();
}

/** The plain name also without accents and article, and with number words as digits: `The Caméra two` is `camera 2`. */
function looseName(text: string): string {
  const letters = plainName(text)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '')
    .replace(/[ßøæœłđı]/gu, (letter) => BARE_LETTERS[letter] ?? letter)
    .replace(/(\p{L})(\d)/gu, '$1 $2')
    .replace(/[^\p{L}\p{M}\p{N}\p{S} ]+/gu, ' ');
  return numbersOf(letters.split(' ').filter((word) => word !== ''))
    .join(' ')
    .replace(/^(?:the|our|my) (?=.)/u, '');
}

/** `twenty one` → `21`. */
function numbersOf(words: readonly string[]): string[] {
  const parts: string[] = [];
  for (const [at, word] of words.entries()) {
    const value = NUMBER_WORDS.get(word);
    const tens = NUMBER_WORDS.get(words[at - 1] ?? '') ?? 0;
    if (value !== undefined && value > 0 && value < 10 && tens >= 20) parts.splice(-1, 1, String(tens + value));
    else parts.push(value === undefined ? word : String(value));
  }
  return parts;
}

/** The id in `12`, `#12`, `id 12` or `number twelve`. */
export function spokenId(text: string): number | undefined {
  const digits = /^(?:#|id|number|no|nr)? ?(\d{1,15})$/u.exec(looseName(text.replace(/^\s*#/u, '')))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The rows that a name fits best: exactly, then as their beginning, then closely (a part, the words in any order, a typing slip). Among
 * several rows nobody knows which is meant. A number is never corrected: `Camera 4` is no slip for `Camera 3`.
 */
export function rowsNamed<T extends { readonly name: string }>(wanted: string, rows: readonly T[]): T[] {
  const plain = plainName(wanted);
  const loose = looseName(wanted);
  if (loose === '') return [];
  const words = loose.split(' ');
  const bare = loose.replace(KINDS, '');
  const entries = rows.map((row) => ({ row, plain: plainName(row.name), loose: looseName(row.name) }));
  const steps: ((name: { plain: string; loose: string }) => boolean)[] = [
    (name) => name.plain === plain,
    (name) => name.loose === loose,
    (name) => isAt(name.loose, loose, 0),
    (name) => isAt(name.loose, loose, name.loose.indexOf(loose)) || hasAll(name.loose.split(' '), words),
    (name) => name.loose === bare || name.loose.replace(KINDS, '') === loose,
    // `the evening show` is a word of `Evening News`; `camera 4` is no word of `Studio 4`.
    (name) => /\p{L}/u.test(bare) && hasAll(name.loose.split(' '), bare.split(' ')),
  ];
  for (const fits of steps) {
    const matches = entries.filter(fits).map(({ row }) => row);
    if (matches.length > 0) return matches;
  }
  return closest(loose, entries);
}

/** Whether the name has `part` at that place and no number is cut: `camera 1` is no beginning of `camera 10`. */
function isAt(name: string, part: string, at: number): boolean {
  const end = at + part.length;
  return at >= 0 && name.startsWith(part, at) && !/\d\d/u.test(name.slice(end - 1, end + 1));
}

function hasAll(name: readonly string[], words: readonly string[]): boolean {
  return words.every((word) => name.includes(word));
}

function closest<T>(wanted: string, entries: readonly { row: T; loose: string }[]): T[] {
  const allowed = Math.floor(wanted.length * SLIP_SHARE);
  const near = entries
    // A name whose length differs by more than the bound cannot be within it, which spares the distance of most names.
    .filter(({ loose }) => Math.abs(loose.length - wanted.length) <= allowed && digitsOf(loose) === digitsOf(wanted))
    .map(({ row, loose }) => ({ row, distance: editDistance(wanted, loose) }))
    .filter(({ distance }) => distance <= allowed);
  const best = Math.min(...near.map(({ distance }) => distance));
  return near.filter(({ distance }) => distance === best).map(({ row }) => row);
}

function digitsOf(name: string): string {
  return name.replace(/\D+/gu, ' ').trim();
}
