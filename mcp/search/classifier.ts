/** Naive Bayes over the presence of traits: it finds the likeliest class of a text (Manning, Raghavan, Schütze 2008, §13.3). */

export interface Bayes {
  learn(kind: string, traits: Iterable<string>): void;
  /** The likeness of each class, 0 to 1 where the likeliest has 1; empty where no trait is known. `learn` comes before the first call. */
  likeness(traits: Iterable<string>): ReadonlyMap<string, number>;
}

/** Counts the trait in one class. Most traits belong to one class, so that a short list is half the work of a map. */
interface Seen {
  kind: number;
  count: number;
}

/** `smoothing` is added to each count, so that a trait which a class has never shown is unlikely, not impossible. */
export function createBayes(smoothing: number): Bayes {
  const traitsSeen = new Map<string, Seen[]>();
  const kinds = new Map<string, number>();
  const totals: number[] = [];

  function learn(name: string, traits: Iterable<string>): void {
    const kind = kinds.get(name) ?? kinds.size;
    kinds.set(name, kind);
    for (const trait of traits) {
      totals[kind] = (totals[kind] ?? 0) + 1;
      const seen = traitsSeen.get(trait);
      const own = seen?.find((entry) => entry.kind === kind);
      if (own !== undefined) own.count += 1;
      else if (seen !== undefined) seen.push({ kind, count: 1 });
      else traitsSeen.set(trait, [{ kind, count: 1 }]);
    }
  }

  function likeness(traits: Iterable<string>): ReadonlyMap<string, number> {
    const known = [...traits].map((trait) => traitsSeen.get(trait)).filter((seen) => seen !== undefined);
    if (known.length === 0) return new Map();
    const sums = totals.map((total) => known.length * Math.log(smoothing / (total + smoothing * traitsSeen.size)));
    for (const { kind, count } of known.flat()) sums[kind] = (sums[kind] ?? 0) + Math.log(1 + count / smoothing);
    // The method takes traits for independent, which they are not: the root tempers a certainty that would grow with each word.
    const temper = Math.sqrt(known.length);
    const best = Math.max(...sums);
    return new Map([...kinds].map(([name, kind]) => [name, Math.exp(((sums[kind] ?? best) - best) / temper)]));
  }

  return { learn, likeness };
}
