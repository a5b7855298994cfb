/** A change of what callers see of a tool is never an accident: the golden file changes with it, and says what changed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { definitionOf, differences } from '../../scripts/docs-golden.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { ROOT } from './sources.ts';

const FOLDER = join(ROOT, 'test/golden');

describe('golden definitions', () => {
  const tools = [...operations, ...workflows];

  it('exist for every tool and nothing else', () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), tools.map((tool) => `${tool.name}.json`).sort(), 'run npm run gen');
  });

  for (const tool of tools) {
    it(tool.name, () => {
      const golden: unknown = JSON.parse(readFileSync(join(FOLDER, `${tool.name}.json`), 'utf8'));
      const changed = differences(golden, definitionOf(tool));
      assert.deepEqual(changed, [], `${tool.name} has changed for its callers; if that is meant, run npm run gen`);
    });
  }

  it('names the path of a change', () => {
    assert.deepEqual(differences({ a: { b: 1 }, c: [1] }, { a: { b: 2 }, c: [1, 2] }), ['a.b: 1 → 2', 'c.1: none → 2']);
    assert.deepEqual(differences({ a: 1, b: 2 }, { b: 2, a: 1 }), ['(all): other order of b, a']);
  });
});
