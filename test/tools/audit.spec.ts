import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('getAuditLog', () => {
  let app: TestApp;
  let channelId: number;

  beforeEach(async () => {
    app = await startTestApp();
    const settings = { url: 'http://127.0.0.1:9/secret-path.m3u8' };
    channelId = (await app.data('addChannel', { name: 'Camera', type: 'Stream', settings }, { requestId: 'one' })).id;
    app.clock.advance(60_000);
    await app.data('updateChannel', { channelId, alias: 'Cam' }, { user: 'operator', via: 'mcp', requestId: 'two' });
    app.clock.advance(60_000);
    await app.refused('forbidden', 'deleteUser', { userId: 1 }, { user: 'operator', via: 'cli', requestId: 'three' });
  });
  afterEach(() => app.close());

  const requests = async (args: object): Promise<unknown[]> =>
    (await app.rows('getAuditLog', args)).map((row: Row) => row['request_id']);

  it('getAuditLog says who did what over which API, newest first, without a value', async () => {
    const rows = await app.rows('getAuditLog');
    assert.deepEqual(await requests({}), ['three', 'two', 'one']);
    assert.deepEqual(rows[1], {
      count: 1,
      client: null,
      id: rows[1]?.id,
      at: '2026-01-01T00:01:00.000Z',
      user: 'operator',
      token_kid: 'kid',
      via: 'mcp',
      operation: 'updateChannel',
      resource: 'Channels',
      resource_id: channelId,
      outcome: 'ok',
      request_id: 'two',
      changed: ['alias'],
    });
    assert.ok(!JSON.stringify(rows).includes('secret-path'));
  });

  it('getAuditLog is narrowed by each of its filters', async () => {
    const narrowed: [object, string[]][] = [
      [{ user: 'operator' }, ['three', 'two']],
      [{ operation: 'addChannel' }, ['one']],
      [{ resource: 'Channels' }, ['two', 'one']],
      [{ resource: 'Channels', resource_id: channelId }, ['two', 'one']],
      [{ resource_id: 12_345 }, []],
      [{ outcome: 'forbidden' }, ['three']],
      [{ outcome: 'ok', via: 'mcp' }, ['two']],
      [{ via: 'cli' }, ['three']],
      [{ from: '2026-01-01T00:01:00Z' }, ['three', 'two']],
      [{ from: '2026-01-01T00:00:30Z', to: '2026-01-01T00:01:00.001Z' }, ['two']],
      [{ to: '2026-01-01T00:01:00Z' }, ['one']],
    ];
    for (const [args, expected] of narrowed) assert.deepEqual(await requests(args), expected, JSON.stringify(args));
  });

  it('getAuditLog distinguishes groups from their members: both have an id 1', async () => {
    const { id: groupId } = await app.data('addUserGroup', { name: 'Crew' });
    await app.data('deleteUserGroup', { groupId });
    const rows = await app.rows('getAuditLog', { resource: 'User groups', resource_id: groupId });
    assert.deepEqual(
      rows.map((row) => row['operation']),
      ['deleteUserGroup', 'addUserGroup'],
    );
  });

  it('getAuditLog refuses what it does not know, naming the field', async () => {
    const wrong = { from: 'yesterday', via: 'fax', resource_id: 'one' };
    const error = await app.refused('invalid_input', 'getAuditLog', wrong);
    assert.deepEqual(fieldsOf(error).sort(), ['from', 'resource_id', 'via']);
    await app.refused('invalid_input', 'getAuditLog', { sort: 'changed' });
  });
});
