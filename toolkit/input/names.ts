/** The rows that a name means, and the rows that it is close to. The rules are in docs/decisions/names.md. */
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
/** In other scripts a mark makes another letter: й is no и with an accent. */
const ACCENTS = /([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;

interface Named {
  readonly name: string;
}

/** The name without differences of case, spaces and accents. Whatever else is folded can make one row's name of another's. */
function foldedName(text: string): string {
  const bare = stripInvisible(text).normalize('NFD').replace(ACCENTS, '$1').normalize('NFC');
  return bare.toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** The rows that are called so: in this spelling, then but for case, spaces and accents, then with this beginning. */
export function rowsCalled<T extends Named>(wanted: string, rows: readonly T[]): T[] {
  const text = wanted.trim();
  const exact = rows.filter(({ name }) => name === text);
  const folded = foldedName(wanted);
  if (exact.length > 0 || folded === '') return exact;
  const begun = rows.map((row) => ({ row, name: foldedName(row.name) })).filter(({ name }) => isAt(name, folded, 0));
  const same = begun.filter(({ name }) => name === folded);
  return (same.length > 0 ? same : begun).map(({ row }) => row);
}

/** A name as people say it: without quotation marks, and with a space for a hyphen. */
function saidName(text: string): string {
  return stripInvisible(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, ' ')
    .trim()
    .replace(QUOTED, '')
    .trim();
}

/** The said name also without accents and article, and with number words as digits: `The Caméra two` is `camera 2`. */
function looseName(text: string): string {
  const letters = saidName(text)
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

/** `-1` and `.5` are no ids; without their sign they would be the id of another row. */
const SIGNED = /(?:^|\s)[-−.,]\s*\d/u;

/** The id in `id 12`, `number twelve` or, for a Channel, `channel 12`. */
export function spokenId(text: string, noun: string): number | undefined {
  if (SIGNED.test(text)) return undefined;
  const words = looseName(saidName(text).replace(`${noun.toLowerCase()} `, ''));
  const digits = /^(?:id|number|no|nr)? ?(\d{1,15})$/u.exec(words)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The rows that a name is closest to: as people say it, then a part of it, its words in any order, a typing slip. A number is never
 * corrected: `Camera 4` is no slip for `Camera 3`.
 */
export function rowsNear<T extends Named>(wanted: string, rows: readonly T[]): T[] {
  const loose = looseName(wanted);
  if (loose === '') return [];
  const words = loose.split(' ');
  const bare = loose.replace(KINDS, '');
  const entries = rows.map((row) => ({ row, loose: looseName(row.name) }));
  const steps: ((name: string) => boolean)[] = [
    (name) => name === loose,
    (name) => isAt(name, loose, 0),
    (name) => isAt(name, loose, name.indexOf(loose)) || hasAll(name.split(' '), words),
    (name) => name === bare || name.replace(KINDS, '') === loose,
    // `the evening show` is a word of `Evening News`; `camera 4` is no word of `Studio 4`.
    (name) => /\p{L}/u.test(bare) && hasAll(name.split(' '), bare.split(' ')),
  ];
  for (const fits of steps) {
    const matches = entries.filter((entry) => fits(entry.loose)).map(({ row }) => row);
    if (matches.length > 0) return matches;
  }
  return closest(loose, entries);
}

/** Whether the name has `part` at that place and no number is cut: `camera 1` is no beginning of `camera 10` or `camera 1.5`. */
function isAt(name: string, part: string, at: number): boolean {
  const end = at + part.length;
  return at >= 0 && name.startsWith(part, at) && !/^\p{Nd}[.,:]?\p{Nd}/u.test(name.slice(end - 1));
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
