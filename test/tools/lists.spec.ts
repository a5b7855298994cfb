import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '../../tools/index.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import { addBroadcast, openBench, type Bench } from './bench.ts';

const LISTS = operations.filter((tool) => tool.shortFields !== undefined);
/** They ask the provider, behind a licence; test/tools/transcription.spec.ts has their pages. */
const ASKED_ELSEWHERE = new Set(['getTranscriptionCollections', 'getTranscriptionTemplates']);

describe('every list', () => {
  let bench: Bench;
  before(async () => {
    bench = await openBench();
    await addBroadcast(bench);
    const plan = { start: '2026-01-05T10:00:00Z', end: '2026-01-05T11:00:00Z', recurrence: { type: 'daily' } };
    await bench.data('addSchedule', { name: 'Daily', livestreamId: 1, ...plan });
    await bench.store.tx((tx) => tx.insert('recordings', recordingRow()));
  });
  after(() => bench.close());

  for (const tool of LISTS) {
    it(`${tool.name} takes page, pageSize, sort, search and fields`, async () => {
      for (const name of ['page', 'pageSize', 'sort', 'search', 'fields']) assert.ok(name in tool.input.shape, name);
      if (ASKED_ELSEWHERE.has(tool.name)) return;
      const params = [...(tool.rest ?? '').matchAll(/\{(\w+)\}/gu)].map(([, param]) => [param, 1]);
      const args = Object.fromEntries(params) as Record<string, number>;
      assert.deepEqual(await bench.rows(tool.name, { ...args, search: 'no such text' }), []);
      assert.deepEqual(await bench.rows(tool.name, { ...args, sort: '-id', page: 99, pageSize: 500, fields: '*' }), []);
    });
  }

  it('finds by the words that stand for a name where there is none', async () => {
    await bench.data('addCloudAccount', { client: 'Station North', client_id: '2', password: 'token' });
    assert.equal((await bench.rows('getAllCloudAccounts', { search: 'NORTH' })).length, 1);
    assert.equal((await bench.rows('getAuditLog', { search: 'cloudacc' })).length, 1);
    assert.ok((await bench.rows('getAuditLog', { search: 'CHANNELS' })).length > 0);
  });
});
