/** Text in cells of a terminal: a CJK letter and an emoji take two, a mark that combines with the letter before it none. */
import { eastAsianWidth } from 'get-east-asian-width';

// Without an own look of a letter in this range there is nothing to find out.
const PRINTABLE = /^[\x20-\x7e]*$/u;
/** A letter of these has no cell of its own, such as a variation selector or an accent without its letter. */
const WITHOUT_CELL = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Mark}\p{Surrogate}]+/u;
/** A flag, a family: several code points that are shown as one picture. */
const PICTURE = new RegExp(String.raw`^\p{RGI_Emoji}$`, 'v');
/** The marks of half-width Katakana combine and have a cell all the same. */
const HALF_MARK = /^[\uff9e\uff9f]$/u;
/** One piece is what a reader takes for a letter. */
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** As a terminal counts by Unicode Standard Annex 11; letters of ambiguous width are narrow, as they are outside East Asian fonts. */
export function widthOf(text: string): number {
  return lettersOf(text).reduce((sum, { width }) => sum + width, 0);
}

/** As many whole letters as there is room for. */
export function beginning(text: string, room: number): { text: string; width: number } {
  let [end, width] = [0, 0];
  for (const letter of lettersOf(text)) {
    if (width + letter.width > room) break;
    width += letter.width;
    end += letter.text.length;
  }
  return { text: text.slice(0, end), width };
}

function lettersOf(text: string): { text: string; width: number }[] {
  if (PRINTABLE.test(text)) return [...text].map((letter) => ({ text: letter, width: 1 }));
  return Array.from(segmenter.segment(text), ({ segment }) => ({ text: segment, width: widthOfLetter(segment) }));
}

function widthOfLetter(letter: string): number {
  if (PICTURE.test(letter)) return 2;
  const [first, ...others] = letter.replace(WITHOUT_CELL, '');
  if (first === undefined) return 0;
  return eastAsianWidth(first.codePointAt(0)!) + others.filter((each) => HALF_MARK.test(each)).length;
}
