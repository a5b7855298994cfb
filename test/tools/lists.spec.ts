import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '../../tools/index.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const LISTS = operations.filter((tool) => tool.shortFields !== undefined);
/** They ask the provider, behind a licence; test/tools/transcription.spec.ts has their pages. */
const ASKED_ELSEWHERE = new Set(['getTranscriptionCollections', 'getTranscriptionTemplates']);

describe('every list', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp();
    await addBroadcast(app);
    const plan = { start: '2026-01-05T10:00:00Z', end: '2026-01-05T11:00:00Z', recurrence: { type: 'daily' } };
    await app.data('addSchedule', { name: 'Daily', livestreamId: 1, ...plan });
    await app.store.tx((tx) => tx.insert('recordings', recordingRow()));
    await app.data('addWall', { name: 'Gallery' });
  });
  after(() => app.close());

  for (const tool of LISTS) {
    it(`${tool.name} takes page, pageSize, sort, search and fields`, async () => {
      for (const name of ['page', 'pageSize', 'sort', 'search', 'fields']) assert.ok(name in tool.input.shape, name);
      if (ASKED_ELSEWHERE.has(tool.name)) return;
      const params = [...(tool.rest ?? '').matchAll(/\{(\w+)\}/gu)].map(([, param]) => [param, 1]);
      const args = Object.fromEntries(params) as Record<string, number>;
      assert.deepEqual(await app.rows(tool.name, { ...args, search: 'no such text' }), []);
      assert.deepEqual(await app.rows(tool.name, { ...args, sort: '-id', page: 99, pageSize: 500, fields: '*' }), []);
    });
  }

  it('search finds a name however its letters are cased and made', async () => {
    const { id } = await app.data('addPublishing', { name: 'Straße Ω ﬁnale Cafe\u0301', type: 'DASH' });
    for (const search of ['STRASSE', 'straße', 'strasse', 'Ω', 'ω', 'finale', 'FINALE', 'CAF\u00c9', 'café'])
      assert.deepEqual(await app.ids('getAllPublishings', { search }), [id], search);
    assert.deepEqual(await app.ids('getAllPublishings', { search: 'strase' }), []);
  });

  it('sort takes the alias of Channels and of Devices', async () => {
    const settings = { url: 'http://h/a.m3u8' };
    for (const [name, alias] of [
      ['First', 'zulu'],
      ['Second', 'alpha'],
    ])
      await app.data('addChannel', { name, alias, type: 'Stream', settings });
    const aliases = async (sort: string): Promise<unknown[]> =>
      (await app.rows('getAllChannels', { sort })).map((row) => row['alias']).filter((alias) => alias !== null);
    assert.deepEqual(await aliases('alias'), ['alpha', 'zulu']);
    assert.deepEqual(await aliases('-alias'), ['zulu', 'alpha']);
    assert.deepEqual(
      await app.ids('getAllDevices', { sort: '-alias' }),
      await app.ids('getAllDevices', { sort: '-name' }),
    );
  });

  it('a list answers what an include asks for, also where fields leaves it out', async () => {
    const embed = { includeChannel: true, includeDestinations: true };
    const [row] = await app.rows('getAllLivestreams', { fields: 'name', ...embed });
    assert.deepEqual(Object.keys(row!).sort(), ['channel', 'destinations', 'id', 'name']);
    const [one] = await app.rows('getAllLivestreams', { fields: 'name', includeChannel: true });
    assert.deepEqual(Object.keys(one!).sort(), ['channel', 'id', 'name']);
    const [none] = await app.rows('getAllLivestreams', { fields: 'name' });
    assert.deepEqual(Object.keys(none!).sort(), ['id', 'name']);
  });

  it('search finds by the words that stand for a name where there is none', async () => {
    await app.data('addCloudAccount', { client: 'Station North', client_id: '2', password: 'token' });
    assert.equal((await app.rows('getAllCloudAccounts', { search: 'NORTH' })).length, 1);
    assert.equal((await app.rows('getAuditLog', { search: 'cloudacc' })).length, 1);
    assert.ok((await app.rows('getAuditLog', { search: 'CHANNELS' })).length > 0);
  });
});
