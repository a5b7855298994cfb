import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Shortage } from '../../domain/ports/store.ts';
import { operations } from '../../tools/index.ts';
import { assertRoom } from '../../toolkit/shortage.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { workflows } from '../../workflows/index.ts';

const message = 'the disk of the data folder is nearly full (1.2 MB free)';

function refused(level: Shortage['level']): Set<Tool['effect']> {
  const effects = new Set<Tool['effect']>();
  for (const tool of [...operations, ...workflows]) {
    try {
      assertRoom(tool, { ok: true, problem: null, shortage: { level, message } });
    } catch (error) {
      assert.match(
        (error as Error).message,
        new RegExp(`^${tool.name} has to wait: the disk.*Delete Assets.*within`, 'u'),
      );
      assert.deepEqual({ ...(error as object) }, { ...(error as object), code: 'unavailable' });
      effects.add(tool.effect);
    }
  }
  return effects;
}

it('a disk that is nearly full makes creates wait, then updates, and nothing else ever', () => {
  assert.deepEqual(refused('low'), new Set(['create']));
  assert.deepEqual(refused('very_low'), new Set(['create', 'update']));
  assert.deepEqual(refused('none'), new Set(['create', 'update']));
  for (const tool of operations) assertRoom(tool, { ok: true, problem: null });
});
