/**
 * Folds text for searching: compatibility forms and letter case do not count (Unicode §3.13 and UAX #15). JavaScript has no case folding;
 * upper case followed by lower case treats ß, ẞ and SS, or σ and ς, as folding does.
 */
export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');
}
