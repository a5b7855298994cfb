/** The events of all Live streams in one list, and the place of its route beside those of one Live stream. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { openRestApi } from '../app/rest-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('getAllEvents', () => {
  let app: TestApp;
  let first: number;
  let second: number;
  before(async () => {
    app = await startTestApp();
    first = (await addBroadcast(app)).livestreamId;
    second = (await addBroadcast(app, ' 2')).livestreamId;
    await app.store.tx((tx) => {
      addEvent(tx, '2026-01-01T10:00:00.000Z', first, {
        kind: 'started',
        severity: 'info',
        message: 'Ann started Show.',
      });
      addEvent(tx, '2026-01-01T12:00:00.000Z', second, {
        kind: 'start_failed',
        severity: 'error',
        message: 'No Destination takes the stream.',
      });
      // A Device that was away brings this one late: it happened between the two before it.
      addEvent(tx, '2026-01-01T11:00:00.000Z', first, {
        kind: 'source_lost',
        severity: 'warning',
        message: 'Channel Camera gives no frames.',
      });
      addEvent(tx, '2026-01-01T13:00:00.000Z', null, {
        kind: 'recording_deleted',
        severity: 'info',
        message: 'An old Recording was deleted.',
      });
    });
  });
  after(() => app.close());

  const kinds = async (args: object = {}): Promise<unknown[]> =>
    (await app.rows('getAllEvents', args)).map((row) => row['kind']);

  it('getAllEvents lists the events of every Live stream and of none, by their instants, newest first', async () => {
    assert.deepEqual(await kinds(), ['recording_deleted', 'start_failed', 'source_lost', 'started']);
    assert.deepEqual(await kinds({ sort: 'at' }), ['started', 'source_lost', 'start_failed', 'recording_deleted']);
    assert.deepEqual(await kinds({ sort: 'id' }), ['started', 'start_failed', 'source_lost', 'recording_deleted']);
    assert.deepEqual(await kinds({ page: 2, pageSize: 3 }), ['started']);
    assert.deepEqual(
      (await app.rows('getAllEvents')).map((row) => row['livestreamId']),
      [null, second, first, first],
    );
  });

  it('getAllEvents narrows by Live stream, kind, severity, time and words of the message', async () => {
    assert.deepEqual(await kinds({ livestreamId: first }), ['source_lost', 'started']);
    assert.deepEqual(await kinds({ kind: 'start_failed' }), ['start_failed']);
    assert.deepEqual(await kinds({ severity: 'warning' }), ['source_lost']);
    assert.deepEqual(await kinds({ livestreamId: second, severity: 'warning' }), []);
    assert.deepEqual(await kinds({ from: '2026-01-01T11:00:00Z', to: '2026-01-01T13:00:00Z' }), [
      'start_failed',
      'source_lost',
    ]);
    assert.deepEqual(await kinds({ search: 'no frames' }), ['source_lost']);
  });

  it('getAllEvents has short rows for a model, which name the Live stream', async () => {
    const [row] = await app.rows('getAllEvents', {}, { via: 'mcp' });
    assert.deepEqual(Object.keys(row ?? {}), ['id', 'at', 'livestreamId', 'kind', 'severity', 'message']);
  });

  it('getAllEvents still has the events of a Live stream that was deleted', async () => {
    const { livestreamId } = await addBroadcast(app, ' 3');
    await app.store.tx((tx) =>
      addEvent(tx, '2026-01-02T10:00:00.000Z', livestreamId, {
        kind: 'stopped',
        severity: 'info',
        message: 'Ann stopped Show 3.',
      }),
    );
    await app.data('deleteLivestream', { livestreamId });
    await app.refused('not_found', 'getLivestreamEvents', { livestreamId });
    assert.deepEqual(await kinds({ livestreamId }), ['stopped']);
  });

  it('getAllEvents refuses a kind, a severity, an instant and a field to sort by that do not exist', async () => {
    for (const args of [{ kind: 'exploded' }, { severity: 'loud' }, { from: 'yesterday' }, { sort: 'message' }])
      await app.refused('invalid_input', 'getAllEvents', args);
  });

  it('the path of getAllEvents is not taken for a Live stream, nor the events of one Live stream for those of all', async () => {
    const { send } = await openRestApi(app);
    const read = async (path: string): Promise<[number, any]> => {
      const response = await send('GET', path);
      return [response.status, await response.json()];
    };
    const [status, all] = await read(`/livestreams/events?kind=started&livestreamId=${first}`);
    assert.deepEqual([status, all.rows.length, all.rows[0].livestreamId], [200, 1, first]);
    const [, one] = await read(`/livestreams/${second}/events`);
    assert.deepEqual(
      one.rows.map((row: { kind: string }) => row.kind),
      ['start_failed'],
    );
    assert.equal((await read(`/livestreams/${first}`))[0], 200);
    assert.equal((await read('/livestreams/events/events'))[0], 404);
    assert.equal((await send('DELETE', '/livestreams/events')).status, 405);
  });
});
