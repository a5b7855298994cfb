/** `npm run fuzz -- <target> [--seconds N] [--seed N] [--keep]`: searches, keeps what it finds in the corpus, and ends with 1 then. */
import { parseArgs } from 'node:util';
import { corpusOf, keep, search, targetNames } from './search.ts';

/** Longer inputs are not worth their place in the repository. */
const MOST_KEPT_BYTES = 2048;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' }, keep: { type: 'boolean' } },
});
const [name = ''] = positionals;
if (!targetNames().includes(name)) {
  console.error(`There is no target "${name}"; name one of ${targetNames().join(', ')}.`);
  process.exit(2);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const begun = performance.now();
const corpus = corpusOf(name);
const { executions, covered, kept, finding } = await search(`test/fuzz/targets/${name}.ts`, {
  ...{ seconds: Number(values.seconds), seed, corpus },
});
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
console.log(`${name}: seed ${seed}, ${executions} inputs in ${seconds} s, ${covered} branches, ${kept.length} kept`);
if (finding !== undefined) {
  console.log(`${finding.reason}\nThe input is in ${keep(name, 'found', finding.input)}`);
  process.exitCode = 1;
} else if (values.keep === true) {
  const known = new Set(corpus.map(String));
  for (const input of kept)
    if (input.length <= MOST_KEPT_BYTES && !known.has(String(Buffer.from(input)))) keep(name, 'seed', input);
}
