/** A backup source in a real run: it goes on air when the first is lost, and the first source returns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, running } from './runner-fixture.ts';
import { BACKUP, FIRST, RETURNED, sourcePair, TO_BACKUP } from './source-pair.ts';

test('a lost source gives way to its backup, and returns once it has been good', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const options = { after_seconds: 1, return_after_seconds: 2 };
  const { runner, first, again, failovers } = await sourcePair(t, dir, [file, file], options);
  await running(runner);
  // The backup has been good for a second by then.
  await letPass(3000);
  first.kill();
  await until('the backup is on air', () => failovers().length === 1);
  assert.deepEqual(failovers()[0]!.data, { reason: 'loss', ...TO_BACKUP });
  const { source: status, runtime } = await runner.report();
  assert.deepEqual([status.channelId, status.state, runtime.source], [BACKUP, 'up', BACKUP]);
  again();
  await until('the first source returns', () => failovers().length === 2);
  assert.deepEqual(failovers()[1]!.data, RETURNED);
  assert.equal((await runner.report()).runtime.source, FIRST);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});
