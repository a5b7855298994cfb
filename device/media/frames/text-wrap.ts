/** Breaks a text into lines of a width. It is a small part of the line breaking of Unicode (UAX #14), enough for texts of a few lines. */

/** These scripts are written without spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;
/** A line may end at these spaces; the no-break spaces belong to their words. */
const WORDS = /(?:(?![\u00a0\u202f\u2007\ufeff])\s)+|(?:[\u00a0\u202f\u2007\ufeff]|\S)+/gu;
const OPENING = /[\p{Ps}\p{Pi}]$/u;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export interface WrapLimits {
  width: number;
  lines: number;
  measure(line: string): number;
}

/** Returns at most so many lines, each as wide as fits; the last one ends with … when there was more. */
export function wrapText(text: string, limits: WrapLimits): string[] {
  const lines: string[] = [];
  for (const paragraph of printable(text).split(LINE_BREAK)) {
    lines.push(...wrapParagraph(paragraph, limits, limits.lines + 1 - lines.length));
    if (lines.length > limits.lines) return shortened(lines.slice(0, limits.lines), limits);
  }
  return lines;
}

/** Control characters have no shape; a lone surrogate is no character. */
function printable(text: string): string {
  return text
    .replaceAll('\t', '    ')
    .replaceAll(/(?![\n\r\v\f\u0085])\p{Cc}/gu, '')
    .replaceAll(/\p{Cs}/gu, '\ufffd');
}

function wrapParagraph(paragraph: string, limits: WrapLimits, maxLines: number): string[] {
  const fits = (line: string): boolean => limits.measure(line) <= limits.width;
  const lines: string[] = [];
  let line = '';
  let space = '';
  for (const [word] of paragraph.matchAll(WORDS)) {
    if (word.trim() === '' && /^\s/u.test(word)) {
      space = word;
      continue;
    }
    for (const piece of pieces(word)) {
      if (line === '' && lines.length > 0) space = '';
      if (fits(line + space + piece)) line += space + piece;
      else {
        if (line !== '') lines.push(line);
        line = piece;
        while (lines.length < maxLines && !fits(line)) {
          const head = longestStart(line, fits);
          if (head === line) break;
          lines.push(head);
          line = line.slice(head.length);
        }
      }
      space = '';
      if (lines.length >= maxLines) return lines;
    }
  }
  lines.push(line);
  return lines;
}

/** A word may be broken between words of scripts that have no spaces, but not before a full stop or after a bracket. */
function pieces(word: string): string[] {
  if (!SPACELESS.test(word)) return [word];
  const parts: string[] = [];
  for (const { segment, isWordLike } of words.segment(word)) {
    const previous = parts.at(-1);
    const stays = previous !== undefined && (OPENING.test(previous) || (isWordLike !== true && !OPENING.test(segment)));
    if (stays) parts[parts.length - 1] = previous + segment;
    else parts.push(segment);
  }
  return parts;
}

/** Returns at least one character as people see it, so that the rest always gets shorter. */
function longestStart(text: string, fits: (line: string) => boolean): string {
  const ends = [...graphemes.segment(text)].map(({ index, segment }) => index + segment.length);
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(text.slice(0, ends[middle]))) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, ends[low]);
}

function shortened(lines: string[], { measure, width }: WrapLimits): string[] {
  const last = lines.at(-1);
  if (last === undefined) return lines;
  const start = measure(`${last}…`) <= width ? last : longestStart(last, (head) => measure(`${head}…`) <= width);
  return [...lines.slice(0, -1), `${start.trimEnd()}…`];
}
