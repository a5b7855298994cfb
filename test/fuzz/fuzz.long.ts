/** Millions of new inputs for each target; what breaks one is kept in its corpus. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { corpusOf, keep, search, targetNames } from './search.ts';

const INPUTS = 3_000_000;
const SEED = 11;

describe('fuzzing of input from outside, by many inputs', { concurrency: 3 }, () => {
  for (const name of targetNames())
    it(`the fuzz target ${name} has no fault that ${INPUTS} new inputs find`, async (t) => {
      const corpus = corpusOf(name);
      const outcome = await search(`test/fuzz/targets/${name}.ts`, { inputs: INPUTS, seed: SEED, corpus });
      t.diagnostic(`${outcome.executions} inputs, ${outcome.covered} branches`);
      const { finding } = outcome;
      const path = finding && keep(name, 'found', finding.input);
      assert.equal(finding, undefined, `${finding?.reason} The input is in ${path}`);
    });
});
