/** Input of strangers: the corpus of each target again; the long suite makes new inputs from it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countOf, itLong } from '../helpers/counts.ts';
import { corpusOf, search, targetNames } from './search.ts';

const NEW_INPUTS = countOf(0, 2_000);
const SEED = 7;

describe('fuzzing of input from outside', () => {
  for (const name of targetNames())
    it(`the fuzz target ${name} has no fault with the inputs of its corpus, nor with ${NEW_INPUTS} new ones made from them`, async () => {
      const corpus = corpusOf(name);
      const { executions, finding } = await search(`test/fuzz/targets/${name}.ts`, {
        inputs: NEW_INPUTS,
        seed: SEED,
        corpus,
      });
      const input = finding && Buffer.from(finding.input).toString('base64');
      assert.equal(finding, undefined, `${finding?.reason} The input, in base64: ${input}`);
      assert.ok(executions > corpus.length + NEW_INPUTS, 'each was tried, and so was one of no bytes');
    });
});

describe('the fuzzer', () => {
  const planted = (kind: number): Buffer => Buffer.from(`\xa7\x3cmarker${String.fromCharCode(kind)}`, 'latin1');
  const find = (corpus: readonly Buffer[], inputs = 0) =>
    search('test/fuzz/planted.ts', { inputs, seed: SEED, corpus, hangSeconds: 2 });

  itLong('the fuzzer finds a planted fault behind three branches, and shortens the input that shows it', async () => {
    const { finding } = await find([], 100_000_000);
    assert.match(finding!.reason, /planted|MiB|does not end|more than|memory/u);
    const input = Buffer.from(finding!.input);
    assert.equal(input.toString('latin1', 0, 8), '\xa7\x3cmarker');
    assert.ok(input.length === 9 || !finding!.reason.includes('planted'));
  });

  it('the fuzzer reports an input that makes the code run without end', async () => {
    const { finding } = await find([planted(1)]);
    assert.match(finding!.reason, /does not end within 2 s/u);
    assert.deepEqual(Buffer.from(finding!.input), planted(1));
  });

  itLong('the fuzzer reports an input that makes the code take too much memory', async () => {
    const { finding } = await search('test/fuzz/planted.ts', { inputs: 0, seed: SEED, corpus: [planted(2)] });
    assert.match(finding!.reason, /ERR_WORKER_OUT_OF_MEMORY/u);
    assert.match((await find([planted(3)])).finding!.reason, /It allocates 200 MiB/u);
  });

  it('the fuzzer reports an input with which the code is slow each time', async () => {
    assert.match((await find([planted(4)])).finding!.reason, /more than 250 ms of CPU|does not end within/u);
  });
});
