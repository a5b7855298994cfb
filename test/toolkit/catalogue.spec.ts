import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppError } from '../../domain/base/errors.ts';
import { createCatalogue, editDistance, nearestNames } from '../../toolkit/catalogue.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';

describe('catalogue', () => {
  const catalogue = createCatalogue(operations, workflows);

  it('the catalogue finds operations and workflows by name', () => {
    assert.equal(catalogue.get('addChannel').name, 'addChannel');
    assert.equal(catalogue.get('start_livestream').name, 'start_livestream');
  });

  for (const [wrong, right] of [
    ['getAllChanels', 'getAllChannels'],
    ['getallchannels', 'getAllChannels'],
    ['start-livestream', 'start_livestream'],
  ] as const) {
    it(`the catalogue answers ${wrong} with ${right} among the nearest three`, () => {
      assert.throws(
        () => catalogue.get(wrong),
        (error: AppError) => {
          const nearest = error.extras.facts?.['nearest'] as string[];
          return (
            error.code === 'unknown_operation' &&
            nearest.length === 3 &&
            nearest.includes(right) &&
            error.message.includes(right)
          );
        },
      );
    });
  }

  it('the catalogue is not slowed down or flooded by a long name', () => {
    assert.throws(
      () => catalogue.get('x'.repeat(1_000_000)),
      (error: AppError) => error.message.length < 300,
    );
  });

  it('the catalogue measures distance by single edits', () => {
    for (const [a, b, distance] of [
      ['', '', 0],
      ['', 'abc', 3],
      ['kitten', 'sitting', 3],
      ['flaw', 'lawn', 2],
    ] as const) {
      assert.equal(editDistance(a, b), distance);
      assert.equal(editDistance(b, a), distance);
    }
    assert.deepEqual(nearestNames('b', ['c', 'a', 'bb'], 2), ['a', 'bb'], 'ties by name');
  });
});
