/** Input of strangers: the corpus of each target again, then new inputs for a moment. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countOf } from '../helpers/counts.ts';
import { corpusOf, search, targetNames } from './search.ts';

/** All targets together take less than half a minute. */
const SECONDS = countOf(0.5, 1);

describe('fuzzing of input from outside', () => {
  for (const name of targetNames())
    it(`the fuzz target ${name} has no fault with the inputs of its corpus, nor with new ones made from them`, async () => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const corpus = corpusOf(name);
      const { executions, finding } = await search(`test/fuzz/targets/${name}.ts`, { seconds: SECONDS, seed, corpus });
      const input = finding && Buffer.from(finding.input).toString('base64');
      assert.equal(finding, undefined, `seed ${seed}: ${finding?.reason} The input, in base64: ${input}`);
      assert.ok(executions > corpus.length, `seed ${seed}: no new input was tried`);
    });
});

describe('the fuzzer', () => {
  const planted = (kind: number): Buffer => Buffer.from(`\xa7\x3cmarker${String.fromCharCode(kind)}`, 'latin1');
  const find = (corpus: readonly Buffer[], seconds = 0) =>
    search('test/fuzz/planted.ts', { seconds, seed: 7, corpus, hangSeconds: 2 });

  it('the fuzzer finds a planted fault behind three branches, and shortens the input that shows it', async () => {
    const { finding } = await find([], 60);
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

  it('the fuzzer reports an input that makes the code take too much memory', async () => {
    const { finding } = await search('test/fuzz/planted.ts', { seconds: 0, seed: 7, corpus: [planted(2)] });
    assert.match(finding!.reason, /ERR_WORKER_OUT_OF_MEMORY/u);
    assert.match((await find([planted(3)])).finding!.reason, /It allocates 200 MiB/u);
  });

  it('the fuzzer reports an input with which the code is slow each time', async () => {
    assert.match((await find([planted(4)])).finding!.reason, /more than 250 ms|does not end within/u);
  });
});
