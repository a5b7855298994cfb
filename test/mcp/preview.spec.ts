/** call_tool with dry_run: what a call would do is told, and nothing of it is done. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { COLLECTIONS, type CollectionName } from '../../domain/collections.ts';
import { isMutating } from '../../toolkit/access.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/service.ts';
import { catalogue, openDoor, structured, textOf, type Door } from './door.ts';

let door: Door;
let client: Client;
let livestreamId: number;
beforeEach(async () => {
  door = await openDoor();
  livestreamId = await seedBroadcast(door.store);
  client = await door.client();
});
afterEach(() => door.close());

type Arguments = Record<string, unknown>;

async function dryRun(operationId: string, args: Arguments, by: Client = client): Promise<any> {
  return by.callTool({ name: 'call_tool', arguments: { operationId, arguments: args, dry_run: true } });
}

/** All rows but the audit, which keeps what was refused. */
async function everything(): Promise<string> {
  const names = (Object.keys(COLLECTIONS) as CollectionName[]).filter((name) => name !== 'audit');
  return JSON.stringify(await Promise.all(names.map(async (name) => (await door.store.find(name, {})).rows)));
}

async function goOnAir(): Promise<void> {
  await client.callTool({ name: 'startLivestream', arguments: { livestreamId } });
  door.device.running(await until('a run at the Device', () => door.device.runIds.at(-1)));
  await until('status 2', async () => (await door.store.get('runs', livestreamId))?.row.status === 2);
}

/** What is asked, and what it would do. */
const CALLS: [string, Arguments, string][] = [
  ['deleteLivestream', { livestreamId: 1 }, 'delete Live stream 1 "Show"'],
  ['updateLivestream', { livestreamId: 1, name: 'News' }, 'change Live stream 1 "News"'],
  ['startLivestream', { livestreamId: 1 }, 'start Live stream 1 "Show"'],
  ['addPublishingGroup', { name: 'Pair', elements: [1] }, 'create Publishing group "Pair"'],
  ['revokeApiToken', { kid: 'operator' }, 'change Token 2 "test"'],
  ['addUserGroup', { name: 'Night shift', elements: [] }, 'create User group "Night shift"'],
];

describe('call_tool with dry_run', () => {
  for (const [operation, args, act] of CALLS) {
    it(`${operation} tells that it would ${act}`, async () => {
      const before = await everything();
      const told = await dryRun(operation, args);
      const { message, preview, changes } = structured(told);
      assert.equal(message, `Nothing was done yet. It would ${act}.`);
      assert.equal(textOf(told), message);
      assert.equal(preview, true);
      assert.equal(changes.length, 1);
      assert.equal(await everything(), before);
      const done = await client.callTool({ name: operation, arguments: args });
      assert.notEqual(done.isError, true, textOf(done));
      assert.notEqual(await everything(), before);
    });
  }

  it('is refused as the call itself would be', async () => {
    for (const [operation, args, code] of [
      ['deleteChannel', { channelId: 1 }, 'in_use'],
      ['deleteLivestream', { livestreamId: 9 }, 'not_found'],
      ['deleteLivestream', {}, 'invalid_input'],
      ['runtimeApplyBlackout', { livestreamId: 1, mode: 'Black Frame' }, 'wrong_state'],
      ['uploadAsset', { filename: 'a.png', fileType: 'logos', content_base64: 'AAAA' }, 'rule_violated'],
    ] as const) {
      assert.equal(structured(await dryRun(operation, args))['code'], code, operation);
    }
    const reader = await door.client('admin', { 'x-onair-profile': 'readonly' });
    assert.equal(structured(await dryRun('deleteLivestream', { livestreamId }, reader))['code'], 'profile_forbidden');
  });

  it('tells what a change of a broadcast on air would do, and the encoder hears nothing of it', async () => {
    await goOnAir();
    const before = await everything();
    const { message, notes } = structured(
      await dryRun('runtimeTogglePublishings', { livestreamId, publishings: [{ publishingId: 1, backup: false }] }),
    );
    assert.match(message, /It would change Live stream on air 1 "Show"\. Destination Web has a single path/u);
    assert.equal(notes.length, 1);
    const stop = structured(await dryRun('stopLivestream', { livestreamId }));
    assert.match(stop['message'], /It would stop Live stream 1 "Show"\.$/u);
    assert.equal(await everything(), before);
    assert.equal((await door.store.get('runs', livestreamId))?.row.desired, 'on');
  });

  it('tells of a broadcast that is off only that it would be deleted', async () => {
    await goOnAir();
    await client.callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
    const { message } = structured(await dryRun('deleteLivestream', { livestreamId }));
    assert.equal(message, 'Nothing was done yet. It would delete Live stream 1 "Show".');
  });

  it('is that of the workflow where the tool is one, and nothing special for a read', async () => {
    const { startAllowed, changed } = structured(await dryRun('start_livestream', { livestream: 'Show' }));
    assert.deepEqual([startAllowed, changed], [true, false]);
    assert.equal(structured(await dryRun('getLivestreamById', { livestreamId }))['data'].name, 'Show');
  });

  it('changes nothing, whatever operation is asked with whatever is at hand', async () => {
    const before = await everything();
    const text = {
      name: 'Probe',
      filename: 'a.png',
      username: 'probe',
      kid: 'admin',
      type: 'Stream',
      settings: { url: 'http://a/' },
    };
    for (const tool of catalogue.operations.filter(isMutating)) {
      const fields = Object.keys(tool.input.shape);
      const args: Arguments = Object.fromEntries(Object.entries(text).filter(([key]) => fields.includes(key)));
      for (const field of fields) if (/Id$/u.test(field)) args[field] = 1;
      await dryRun(tool.name, args);
      assert.equal(await everything(), before, tool.name);
    }
  });
});
