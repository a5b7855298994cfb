import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { assertBounded } from '../../toolkit/input/json-bounds.ts';

const BOUNDS = { depth: 3, values: 10 };

function refusal(text: string, bounds = BOUNDS): unknown {
  try {
    assertBounded(text, 'body', bounds);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid_input', String(error));
    return error.extras.errors?.[0]?.code;
  }
}

describe('bounds of a JSON document', () => {
  for (const [what, text, expected] of [
    ['as deep as allowed', '[[[1]]]', undefined],
    ['deeper', '[[[[1]]]]', 'too_deep'],
    ['never closed', '[[[[', 'too_deep'],
    ['wide and shallow', '[[1],[2],[3]]', undefined],
    ['as many as allowed', '[1,2,3,4,5,6,7,8,9]', undefined],
    ['more', '[1,2,3,4,5,6,7,8,9,10]', 'too_many'],
    ['brackets and commas in a text', '["[[[[,,,,,,,,,,,,,,"]', undefined],
    ['an escaped quote in a text', '["\\"[[[["]', undefined],
    ['a text that ends with a backslash', '["\\\\",[[["a"]]]]', 'too_deep'],
    ['a text that never ends', '["[[[[', undefined],
    ['no JSON at all', 'x', undefined],
  ] as const) {
    it(`the check of JSON bounds on a document (${what}) ends with: ${expected ?? 'taken'}`, () =>
      assert.equal(refusal(text), expected));
  }

  it('the check of JSON bounds takes a file of megabytes, and looks at it in a moment', () => {
    const begun = process.cpuUsage();
    assert.equal(refusal(JSON.stringify({ content_base64: 'QUJD'.repeat(3_000_000) })), undefined);
    assert.equal(refusal(`"${'\\"'.repeat(3_000_000)}"`), undefined);
    const { user, system } = process.cpuUsage(begun);
    assert.ok(user + system < 2_000_000, `${user + system} µs of CPU`);
  });

  it('the check of JSON bounds agrees with what a parser finds', () => {
    const nested = { a: [{ b: '\\"],[', c: [] }], 'd,e': { f: null } };
    assert.equal(refusal(JSON.stringify(nested), { depth: 4, values: 100 }), undefined);
    assert.equal(refusal(JSON.stringify(nested), { depth: 3, values: 100 }), 'too_deep');
  });
});
