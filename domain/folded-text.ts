/**
 * Text as a search compares it: compatibility forms and letter case do not count (Unicode §3.13 and UAX #15). JavaScript has no case
 * folding; upper case of lower case tells ß, ẞ and SS, or σ and ς, no more apart than folding does.
 */
export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');
}
