import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
// @ts-expect-error The scripts are plain JavaScript, without declarations.
import { LONG, WAITING, WIDE } from '../../scripts/test-places.mjs';
import { ROOT } from './sources.ts';

it('each spec file in the lists of test order and test places exists, and is in a list once', () => {
  for (const list of [LONG, WAITING, WIDE] as string[][]) {
    assert.deepEqual(
      list.filter((file) => !existsSync(join(ROOT, file))),
      [],
    );
    assert.equal(new Set(list).size, list.length);
  }
});
