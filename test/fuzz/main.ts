/** `npm run fuzz -- <target> [--inputs N] [--seed N] [--keep]`: searches, keeps what it finds in the corpus, and ends with 1 then. */
import { parseArgs } from 'node:util';
import { corpusOf, keep, lastingOf, nameOf, replaceSeeds, search, targetNames } from './search.ts';
import type { FuzzTarget } from './target.ts';

/** Longer inputs, and more of a target in all, are not worth their place in the repository. */
const MAX_KEPT_BYTES = 2048;
const MAX_SEED_BYTES = 24_576;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { inputs: { type: 'string', default: '1000000' }, seed: { type: 'string' }, keep: { type: 'boolean' } },
});
const [name = ''] = positionals;
if (!targetNames().includes(name)) {
  console.error(`There is no target "${name}"; name one of ${targetNames().join(', ')}.`);
  process.exit(2);
}
const file = `test/fuzz/targets/${name}.ts`;
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const begun = performance.now();
const corpus = corpusOf(name);
const { executions, covered, kept, finding } = await search(file, {
  inputs: Number(values.inputs),
  seed,
  corpus,
});
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
console.log(`${name}: seed ${seed}, ${executions} inputs in ${seconds} s, ${covered} branches, ${kept.length} kept`);
if (finding !== undefined) {
  console.log(`${finding.reason}\nThe input is in ${keep(name, 'found', finding.input)}`);
  process.exitCode = 1;
} else if (values.keep === true) {
  const module = (await import(`./targets/${name}.ts`)) as { target: FuzzTarget };
  const known = new Set([Buffer.alloc(0), ...module.target.seeds, ...lastingOf(name)].map(nameOf));
  const shortest = kept
    .map((input) => Buffer.from(input))
    .filter((input) => input.length <= MAX_KEPT_BYTES && !known.has(nameOf(input)))
    .sort((a, b) => a.length - b.length);
  // Tried again from the shortest to the longest: those that a shorter one has made superfluous reach nothing new.
  const needed = await search(file, { inputs: 0, seed, corpus: [...lastingOf(name), ...shortest] });
  let size = 0;
  replaceSeeds(
    name,
    needed.kept.filter((input) => !known.has(nameOf(input)) && (size += input.length) <= MAX_SEED_BYTES),
  );
}
