/** Ten minutes of new inputs for each target; what breaks one is kept in its corpus. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { corpusOf, keep, search, targetNames } from './search.ts';

const SECONDS = 600;

// Three at once: the runner gives a file two hours.
describe('fuzzing of input from outside, ten minutes a target', { concurrency: 3 }, () => {
  for (const name of targetNames())
    it(`the fuzz target ${name} has no fault that ten minutes of fuzzing find`, async (t) => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const corpus = corpusOf(name);
      const outcome = await search(`test/fuzz/targets/${name}.ts`, { seconds: SECONDS, seed, corpus });
      t.diagnostic(`seed ${seed}: ${outcome.executions} inputs, ${outcome.covered} branches`);
      const { finding } = outcome;
      const path = finding && keep(name, 'found', finding.input);
      assert.equal(finding, undefined, `seed ${seed}: ${finding?.reason} The input is in ${path}`);
    });
});
