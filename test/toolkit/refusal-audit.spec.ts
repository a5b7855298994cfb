/** The trace of refused calls: entries up to a budget, then a number. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { AuditEntry } from '../../domain/shapes/installation/security.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { wordsOf } from '../helpers/words.ts';

const HOUR_MS = 3_600_000;
const MAX_ALIKE = 60;
const MAX_KEYS = 1000;

describe('the audit of refused calls', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const refuse = async (
    times: number,
    operation = 'deleteChannel',
    args: object = { channelId: 77 },
  ): Promise<void> => {
    for (let time = 0; time < times; time += 1) await assert.rejects(app.call(operation, args, { user: 'operator' }));
  };
  const audit = async (operation = 'deleteChannel'): Promise<readonly AuditEntry[]> =>
    (await app.store.find('audit', { where: { operation } })).rows;

  it('the audit keeps the first refused call of one kind in an hour, and says how many the others were', async () => {
    const others = 2 * MAX_ALIKE;
    await refuse(MAX_ALIKE + others);
    assert.equal((await audit()).length, MAX_ALIKE, 'within the hour');
    app.clock.advance(HOUR_MS - 1);
    assert.equal((await audit()).length, MAX_ALIKE, 'one entry an hour');
    app.clock.advance(1);
    const entries = await audit();
    assert.equal(entries.length, MAX_ALIKE + 1);
    const { user, token_kid, outcome, resource, resource_id, changed, count, at } = entries.at(-1)!;
    assert.deepEqual(
      { user, token_kid, outcome, resource, resource_id, changed, count, at },
      {
        user: 'operator',
        token_kid: 'kid',
        outcome: 'not_found',
        resource: 'Channels',
        resource_id: null,
        changed: [],
        count: others,
        at: '2026-01-01T01:00:00.000Z',
      },
    );
    const rows = await app.rows('getAuditLog', { operation: 'deleteChannel', pageSize: 2 });
    assert.deepEqual(
      rows.map((row) => row['count']),
      [others, 1],
    );
    await refuse(1);
    assert.equal((await audit()).length, MAX_ALIKE + 2, 'the next hour has a budget of its own');
  });

  it('the audit counts each kind of refused call apart, and calls that succeed not at all', async () => {
    await refuse(MAX_ALIKE + 1);
    await refuse(MAX_ALIKE, 'deleteChannel', { channelId: 'x' });
    await refuse(MAX_ALIKE, 'deleteEncoding', { encodingId: 77 });
    assert.equal((await audit()).length, 2 * MAX_ALIKE);
    assert.equal((await audit('deleteEncoding')).length, MAX_ALIKE);
    for (let at = 0; at < 2 * MAX_ALIKE; at += 1)
      await app.call('addChannel', { name: `c${at}`, type: 'Stream', settings: { url: 'http://a.example/' } });
    assert.equal((await audit('addChannel')).length, 2 * MAX_ALIKE);
  });

  it('the audit of refused calls takes all names that no tool has for one kind', async () => {
    for (let at = 0; at < 3 * MAX_ALIKE; at += 1) await refuse(1, `noSuchTool${at}`);
    assert.equal((await app.store.find('audit', {})).total, MAX_ALIKE);
  });

  it('the audit keeps at most a thousand refused calls of a credential, however many kinds it tries', async () => {
    const catalogue = wordsOf(`
      addChannel updateChannel deleteChannel addEncoding updateEncoding deleteEncoding addPublishing
      updatePublishing deletePublishing addLivestream updateLivestream deleteLivestream startLivestream
      stopLivestream addSchedule updateSchedule deleteSchedule addUserGroup addUser addDevice
    `);
    for (const operation of catalogue) await refuse(MAX_ALIKE, operation, { nothing: 1 });
    assert.ok(catalogue.length * MAX_ALIKE > MAX_KEYS);
    assert.equal((await app.store.find('audit', {})).total, MAX_KEYS);
  });

  it('the audit writes the refused calls that it has counted before the server stops', async () => {
    await refuse(MAX_ALIKE + 5);
    await app.settle();
    assert.equal((await audit()).at(-1)!.count, 5);
    app.clock.advance(2 * HOUR_MS);
    assert.equal((await audit()).length, MAX_ALIKE + 1, 'once');
  });
});
