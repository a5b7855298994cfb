/** The tables of the interface specification, row by row. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { addBroadcast, openBench, type Bench } from './bench.ts';

let bench: Bench;
let livestreamId: number;
beforeEach(async () => {
  bench = await openBench();
  ({ livestreamId } = await addBroadcast(bench));
});
afterEach(() => bench.close());

describe('Planned action', () => {
  const statusOf = async (actionId: number): Promise<unknown> =>
    (await bench.data('getPlannedAction', { actionId }, { user: 'operator' }))['status'];
  const planned = async (): Promise<number> => {
    const plan = { livestreamId, type: 'stop', payload: {}, execute_at: '2026-01-01T01:00:00Z' };
    return (await bench.data('addLivestreamAction', plan, { user: 'operator' })).id;
  };

  it('pending | disablePlannedAction | action is pending | disabled | not deleted', async () => {
    const actionId = await planned();
    assert.equal(await statusOf(actionId), 'pending');
    const answer = await bench.data('disablePlannedAction', { actionId }, { user: 'operator' });
    assert.deepEqual([answer.id, answer['status']], [actionId, 'disabled']);
    assert.equal(await statusOf(actionId), 'disabled');
    await bench.refused('wrong_state', 'disablePlannedAction', { actionId });
  });

  it('disabled | enablePlannedAction | action is a disabled pending action | pending (re-armed)', async () => {
    const actionId = await planned();
    await bench.refused('wrong_state', 'enablePlannedAction', { actionId });
    await bench.data('disablePlannedAction', { actionId });
    const answer = await bench.data('enablePlannedAction', { actionId }, { user: 'operator' });
    assert.deepEqual([answer.id, answer['status']], [actionId, 'pending']);
    assert.equal(await statusOf(actionId), 'pending');
  });
});
