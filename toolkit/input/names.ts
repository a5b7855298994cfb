/** Names as people say and spell them, and which of several rows a saying means. */
import { editDistance } from '../catalogue.ts';
import { stripInvisible } from '../output/visible.ts';

/** One error in five letters is a slip; more is another name. */
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
/** Letters that Unicode does not take apart. */
const BARE_LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ı: 'i' };
const QUOTED = /^["'`“”„‟‘’‚«»‹›]+|["'`“”„‟‘’‚«»‹›]+$/gu;
/** What is said beside a name to tell what kind of thing it is. */
const KINDS =
  /^(?:live ?stream|stream|broadcast|show|programme?|destination|output|channel|source|camera|feed|device|encoder|group|pool) | (?:live ?stream|stream|broadcast|show|programme?|destination|output|channel|source|camera|feed|device|encoder|group|pool)$/u;

/** Case, spacing, composition, quotation marks and invisible characters are not part of what was said. */
export function plainName(text: string): string {
  return stripInvisible(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, ' ')
    .trim()
    .replace(QUOTED, '')
    .trim();
}

/** Neither are accents, the article, and whether a number is a word: `The Caméra two` is `camera 2`. */
export function looseName(text: string): string {
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
  const told: string[] = [];
  for (const [at, word] of words.entries()) {
    const value = NUMBER_WORDS.get(word);
    const tens = NUMBER_WORDS.get(words[at - 1] ?? '') ?? 0;
    if (value !== undefined && value > 0 && value < 10 && tens >= 20) told.splice(-1, 1, String(tens + value));
    else told.push(value === undefined ? word : String(value));
  }
  return told;
}

/** The id in `12`, `#12`, `id 12` or `number twelve`. */
export function idSaid(text: string): number | undefined {
  const digits = /^(?:#|id|number|no|nr)? ?(\d{1,15})$/u.exec(looseName(text.replace(/^\s*#/u, '')))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The rows that a saying fits best: exactly, then as their beginning, then closely (a part, the words in any order, a slip of the
 * finger). More than one: nobody knows which is meant. A number is never rounded: `Camera 4` is no slip for `Camera 3`.
 */
export function rowsNamed<T extends { readonly name: string }>(wanted: string, rows: readonly T[]): T[] {
  const plain = plainName(wanted);
  const loose = looseName(wanted);
  if (loose === '') return [];
  const words = loose.split(' ');
  const bare = loose.replace(KINDS, '');
  const named = rows.map((row) => ({ row, plain: plainName(row.name), loose: looseName(row.name) }));
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
    const found = named.filter(fits).map(({ row }) => row);
    if (found.length > 0) return found;
  }
  return closest(loose, named);
}

/** `camera 1` is no beginning of `camera 10`. */
function isAt(name: string, said: string, at: number): boolean {
  return at >= 0 && name.startsWith(said, at) && !/\d\d/u.test(name.slice(at + said.length - 1, at + said.length + 1));
}

function hasAll(name: readonly string[], words: readonly string[]): boolean {
  return words.every((word) => name.includes(word));
}

function closest<T>(said: string, named: readonly { row: T; loose: string }[]): T[] {
  const allowed = Math.floor(said.length * SLIP_SHARE);
  const near = named
    // A length that differs by more than the bound cannot be within it: spares the distance of most names.
    .filter(({ loose }) => Math.abs(loose.length - said.length) <= allowed && digitsOf(loose) === digitsOf(said))
    .map(({ row, loose }) => ({ row, distance: editDistance(said, loose) }))
    .filter(({ distance }) => distance <= allowed);
  const best = Math.min(...near.map(({ distance }) => distance));
  return near.filter(({ distance }) => distance === best).map(({ row }) => row);
}

function digitsOf(name: string): string {
  return name.replace(/\D+/gu, ' ').trim();
}
