import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptedVersions } from '../../toolkit/if-match.ts';

describe('If-Match (RFC 9110 §13.1.1)', () => {
  const cases: readonly (readonly [string | undefined, readonly number[] | undefined])[] = [
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"2"', [2]],
    ['"1","2"', [1, 2]],
    ['"no", "2"', [2]],
    [' "1" ,\t"2" ', [1, 2]],
    ['"1", , "2",', [1, 2]],
    // A comma inside quotes ends no tag.
    ['"a,b", "2"', [2]],
    ['W/"2"', []],
    ['W/"2", "3"', [3]],
    ['"99999999999999999999"', []],
    ['2', []],
    ['"2" "3"', []],
    ['"2", garbage', []],
    ['*, "2"', []],
    ['"2', []],
    ['', []],
  ];
  for (const [given, accepted] of cases) {
    it(`the If-Match header ${JSON.stringify(given)} accepts ${JSON.stringify(accepted) ?? 'any version'}`, () => {
      assert.deepEqual(acceptedVersions(given), accepted);
    });
  }
});
