import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from './sources.ts';

const places = join(ROOT, 'scripts/test-places.mjs');
const { LONG, WIDE } = (await import(places)) as Record<'LONG' | 'WIDE', string[]>;

it('each spec that the order and the places of the tests name is there, once a list', () => {
  for (const list of [LONG, WIDE]) {
    assert.deepEqual(
      list.filter((file) => !existsSync(join(ROOT, file))),
      [],
    );
    assert.equal(new Set(list).size, list.length);
  }
});
