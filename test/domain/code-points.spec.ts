/** Lengths in Unicode code points, wherever a schema has a bound. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod/v3';
import { codePoints } from '../../domain/base/code-points.ts';
import { nameField } from '../../domain/base/schema.ts';
import { fitOf } from '../../toolkit/output/fits.ts';
import { countOf } from '../helpers/counts.ts';

const EMOJI = '🎥';

describe('lengths of text', () => {
  const bounded = z.string().min(2).max(4);

  it('lengths of text are numbers of code points, at each end', () => {
    const cases: readonly (readonly [string, 'ok' | 'too_small' | 'too_big'])[] = [
      [EMOJI, 'too_small'],
      [EMOJI.repeat(2), 'ok'],
      [EMOJI.repeat(4), 'ok'],
      [EMOJI.repeat(5), 'too_big'],
      [`abc${EMOJI}`, 'ok'],
      [`abcd${EMOJI}`, 'too_big'],
    ];
    for (const [text, outcome] of cases) {
      const parsed = bounded.safeParse(text);
      assert.equal(parsed.success ? 'ok' : parsed.error.issues[0]?.code, outcome, text);
      assert.equal(fitOf(bounded)(text), outcome === 'ok', text);
    }
  });

  it('lengths of text count what is left after trim, and keep every other check', () => {
    assert.equal(nameField.parse(` ${EMOJI.repeat(100)} `), EMOJI.repeat(100));
    assert.equal(nameField.safeParse(EMOJI.repeat(101)).success, false);
    const strict = z.string().max(1).regex(/^a/u, 'must begin with a');
    const { error } = strict.safeParse(EMOJI.repeat(2));
    assert.deepEqual(error?.issues.map(({ code }) => code).sort(), ['invalid_string', 'too_big']);
  });

  it('lengths of any text agree with the count of its characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (text) => {
        const length = [...text].length;
        assert.equal(codePoints(text), length);
        assert.equal(bounded.safeParse(text).success, length >= 2 && length <= 4);
      }),
      { numRuns: countOf(300, 2000), seed: 1 },
    );
  });
});
