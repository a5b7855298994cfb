/** The tags of the operations are explained in the generated documents. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TAGS } from '../../toolkit/tags.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';

it('every tag has a description in toolkit/tags.ts', () => {
  const used = new Set([...operations, ...workflows].map((tool) => tool.tag));
  assert.deepEqual(
    [...used].filter((tag) => !(tag in TAGS)),
    [],
  );
  for (const [tag, words] of Object.entries(TAGS)) assert.match(words, /^[A-Z].{20,140}\.$/u, tag);
});
