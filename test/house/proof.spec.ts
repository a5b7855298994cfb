/** Every promise of the documents has a test that proves it, and the smallest of them is in every run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proofOf, unmatched } from '../../scripts/docs-proof.ts';
import { DECISIONS, PAGES } from '../proof.ts';
import { ROOT } from './sources.ts';

describe('the proof of the documents', () => {
  it('every heading of the README, of the manual and every decision names its tests, and every row has a heading', () => {
    assert.deepEqual(unmatched(ROOT), []);
  });

  it('every test that proves a promise exists', () => {
    for (const path of Object.values({
      ...DECISIONS,
      ...Object.assign({}, ...Object.values(PAGES)),
    }).flat() as string[])
      assert.doesNotThrow(() => proofOf(ROOT, path));
  });

  it('every heading of the README and of the manual, and every decision, has a proof in every run', () => {
    const rows = [...Object.values(PAGES).flatMap((page) => Object.entries(page)), ...Object.entries(DECISIONS)];
    const late = rows.filter(([, paths]) => !paths.some((path) => proofOf(ROOT, path).suite === 'quick'));
    assert.deepEqual(
      late.map(([name]) => name),
      [],
    );
  });
});
