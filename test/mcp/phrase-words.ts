/** The subject of phrases, and the likeness of two of them. */
const SMALL_WORDS = new Set(
  'the a an of to in on for is are was be we our my it its this that and or do does did have has please from at with by as i you me us'.split(
    ' ',
  ),
);

export function contentOf(phrase: string): Set<string> {
  const words = phrase.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return new Set(words.filter((word) => word !== '' && !SMALL_WORDS.has(word)));
}

/** The share of two sets in all that is in either (Jaccard). */
export function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
}
