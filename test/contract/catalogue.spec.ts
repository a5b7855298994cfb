/** The operations offered are those of the interface, at their places: none is missing, none is invented. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restOf } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { NOT_YET_OFFERED, SPECIFIED } from './specification.ts';

const offered = new Map([...operations, ...workflows].map((tool) => [tool.name, restOf(tool)]));

describe('the catalogue', () => {
  for (const [name, route] of SPECIFIED) {
    it(`the catalogue offers ${name} at ${route}`, () => assert.equal(offered.get(name), route));
  }

  it('the catalogue offers nothing that the interface does not have', () => {
    assert.deepEqual(
      [...offered.keys()].filter((name) => !SPECIFIED.has(name)),
      [],
      'an operation that has come belongs in the table of those offered',
    );
  });

  it('no operation is both offered and still to come', () => {
    assert.deepEqual(
      [...NOT_YET_OFFERED.keys()].filter((name) => offered.has(name) || SPECIFIED.has(name)),
      [],
    );
  });
});
