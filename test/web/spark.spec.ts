import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sparkPath } from '../../web/ui/show/spark-path.ts';

const size = { width: 10, height: 12, capacity: 3 };

describe('the line of a spark', () => {
  it('the newest value stands at the right, zero at the bottom, the highest at the top', () => {
    assert.equal(sparkPath([9, 0, 4, 8], size), 'M0.0 11.0L5.0 6.0L10.0 1.0');
  });

  it('one value is no line', () => {
    assert.equal(sparkPath([1], size), '');
  });
});
