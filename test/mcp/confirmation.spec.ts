/** A delete by voice is confirmed before it is done; on every other profile it is done as by every api. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { seedBroadcast } from '../helpers/seed.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';
import { catalogue } from '../app/test-app.ts';

let api: McpApi;
let full: Client;
let voice: Client;
let scheduleId: number;
beforeEach(async () => {
  api = await startMcpApi();
  const livestreamId = await seedBroadcast(api.store);
  full = await api.client();
  voice = await api.client('operator', { 'x-onair-profile': 'voice' });
  const times = { start: '2090-01-02T19:00:00.000Z', end: '2090-01-02T20:00:00.000Z' };
  const args = { name: 'eveningShow', livestreamId, ...times, recurrence: { type: 'daily' } };
  scheduleId = structured(await full.callTool({ name: 'addSchedule', arguments: args }))['data'].id;
});
afterEach(() => api.close());

const isThere = async (): Promise<boolean> => (await api.store.get('schedules', scheduleId)) !== undefined;
const inner = (more: object = {}, args: object = {}): Parameters<Client['callTool']>[0] => ({
  name: 'call_tool',
  arguments: { operationId: 'deleteSchedule', arguments: { scheduleId, ...args }, ...more },
});

describe('a delete by voice', () => {
  it('a delete by voice is first described in a sentence, and its corrected call does it', async () => {
    for (const call of [inner(), { name: 'deleteSchedule', arguments: { scheduleId } }]) {
      const request = await voice.callTool(call);
      const { code, status, flag, changes } = structured(request);
      assert.deepEqual([code, status, flag, changes.length], ['confirmation_required', 409, 'confirm', 1]);
      assert.equal(textOf(request), 'It would delete Schedule eveningShow. Shall I go on?');
      assert.ok(await isThere());
    }
    const { corrected_call } = structured(await voice.callTool(inner()));
    assert.deepEqual(corrected_call, { operationId: 'deleteSchedule', arguments: { scheduleId }, confirm: true });
    const done = await voice.callTool({ name: 'call_tool', arguments: corrected_call });
    assert.notEqual(done.isError, true, textOf(done));
    assert.equal(await isThere(), false);
  });

  it('a delete by voice is confirmed by its own name too', async () => {
    const request = await voice.callTool({ name: 'deleteSchedule', arguments: { scheduleId } });
    const { corrected_call } = structured(request);
    assert.deepEqual(corrected_call, { name: 'deleteSchedule', arguments: { scheduleId, confirm: true } });
    const done = await voice.callTool(corrected_call);
    assert.notEqual(done.isError, true, textOf(done));
    assert.equal(await isThere(), false);
  });

  it('a delete by voice that cannot be done is refused before it asks for a confirmation, and one with dry_run is only previewed', async () => {
    const gone = await voice.callTool(inner({}, { scheduleId: 99 }));
    assert.equal(structured(gone)['code'], 'not_found');
    const forbidden = await voice.callTool({ name: 'deleteLivestream', arguments: { livestreamId: 1 } });
    assert.equal(structured(forbidden)['code'], 'profile_forbidden');
    assert.equal(structured(await voice.callTool(inner({ dry_run: true })))['preview'], true);
    assert.ok(await isThere());
  });

  it('a delete by voice takes nothing but confirm: true for a confirmation', async () => {
    for (const confirm of ['yes', 1, null]) {
      assert.equal((await voice.callTool(inner({ confirm }))).isError, true, JSON.stringify(confirm));
      assert.equal((await voice.callTool(inner({}, { confirm }))).isError, true, JSON.stringify(confirm));
    }
    assert.equal((await voice.callTool(inner({ confirm: false }))).isError, true);
    assert.ok(await isThere());
  });

  it('a delete by voice that restores something needs no confirmation, nor does a call that is no delete', async () => {
    const occurrence_start = '2090-01-03T19:00:00.000Z';
    const skipped = await voice.callTool({ name: 'skipOccurrence', arguments: { scheduleId, occurrence_start } });
    const { skipId } = structured(skipped)['data'];
    const restored = await voice.callTool({ name: 'restoreSkip', arguments: { scheduleId, skipId } });
    assert.notEqual(restored.isError, true, textOf(restored));
  });
});

describe('other profiles', () => {
  it('a delete on the profile full is done at once, confirmed or not', async () => {
    const done = await full.callTool(inner({ confirm: true }));
    assert.notEqual(done.isError, true, textOf(done));
    assert.equal(await isThere(), false);
    const second = await full.callTool({ name: 'deleteLivestream', arguments: { livestreamId: 1 } });
    assert.notEqual(second.isError, true, textOf(second));
  });

  it('the field confirm is shown by voice alone, and is no field of any operation', async () => {
    const shows = async (client: Client): Promise<boolean> => {
      const { tools } = await client.listTools();
      return 'confirm' in (tools.find(({ name }) => name === 'call_tool')?.inputSchema.properties ?? {});
    };
    assert.deepEqual([await shows(voice), await shows(full)], [true, false]);
    for (const { name, input } of [...catalogue.operations, ...catalogue.workflows])
      assert.ok(!('confirm' in input.shape), name);
  });
});
