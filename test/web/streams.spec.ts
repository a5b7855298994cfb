/** The live state as the views of the page read it. */
import assert from 'node:assert/strict';
import { effect } from '@preact/signals';
import { it } from 'node:test';
import type { LivestreamStatus } from '../../web/live/status.ts';

it('whoever looks at a Live stream before the page knows it sees it when it comes, and each change after that', async (t) => {
  // The clock of the page begins with its module, and would go on.
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const { takeAnswer, viewOf } = await import('../../web/live/streams.ts');
  const row = (status: number): LivestreamStatus =>
    ({ livestreamId: 7, name: 'Vespers', status, publishings: [], encodings: [] }) as unknown as LivestreamStatus;
  const seen: (number | undefined)[] = [];
  const end = effect(() => void seen.push(viewOf(7)?.status.value.status));
  takeAnswer(row(1));
  takeAnswer(row(2));
  end();
  assert.deepEqual(seen, [undefined, 1, 2]);
});
