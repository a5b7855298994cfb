/** A list that is written as a text: arguments of a program, names. */
export function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/u);
}
