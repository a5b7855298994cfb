/** call_tool with dry_run: what a call would do is told, and nothing of it is done. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { COLLECTIONS, type CollectionName } from '../../domain/ports/collections.ts';
import { isMutating } from '../../toolkit/access.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { type McpApi, startMcpApi, structured, sentenceOf, textOf } from '../app/mcp-api.ts';
import { catalogue } from '../app/test-app.ts';

let api: McpApi;
let client: Client;
let livestreamId: number;
beforeEach(async () => {
  api = await startMcpApi();
  livestreamId = await seedBroadcast(api.store);
  client = await api.client();
});
afterEach(() => api.close());

const AT = '2026-01-01T10:00:00.000Z';
const RECORDING = {
  name: 'Evening',
  livestream_name: 'Show',
  publishingId: 1,
  deviceId: 1,
  container: 'mp4',
  files: 1,
  tracks: [],
  started_at: AT,
  ended_at: AT,
  created_at: AT,
  updated_at: AT,
  errorstatus: null,
  remotefolder: null,
  duration_seconds: 5400,
  size_bytes: 1_200_000_000,
};

type Arguments = Record<string, unknown>;

async function dryRun(operationId: string, args: Arguments, by: Client = client): Promise<any> {
  return by.callTool({ name: 'call_tool', arguments: { operationId, arguments: args, dry_run: true } });
}

/** All rows but the audit, which keeps what was refused. */
async function everything(): Promise<string> {
  const names = (Object.keys(COLLECTIONS) as CollectionName[]).filter((name) => name !== 'audit');
  return JSON.stringify(await Promise.all(names.map(async (name) => (await api.store.find(name, {})).rows)));
}

async function goOnAir(): Promise<void> {
  await client.callTool({ name: 'startLivestream', arguments: { livestreamId } });
  api.device.running(await until('a run at the Device', () => api.device.runIds.at(-1)));
  await until('status 2', async () => (await api.store.get('runs', livestreamId))?.row.status === 2);
}

/** Calls with the preview of each. */
const CALLS: [string, Arguments, string][] = [
  ['deleteLivestream', { livestreamId: 1 }, 'delete Live stream 1 "Show"'],
  ['updateLivestream', { livestreamId: 1, name: 'News' }, 'change Live stream 1 "Show" (name from "Show" to "News")'],
  [
    'updateEncoding',
    { encodingId: 1, settings_video: { bitrate: 900 }, description: 'Small' },
    'change Encoding 1 "720p" (description from none to "Small", settings_video.bitrate from 2160 to 900)',
  ],
  [
    'addLivestreamAction',
    { livestreamId: 1, type: 'stop', payload: {}, execute_at: '2090-01-01T10:00:00.000Z' },
    'create Planned action (Live stream "Show", execute_at 2090-01-01T10:00:00.000Z)',
  ],
  ['startLivestream', { livestreamId: 1 }, 'start Live stream 1 "Show"'],
  ['addPublishingGroup', { name: 'Pair', elements: [1] }, 'create Publishing group "Pair"'],
  ['revokeApiToken', { kid: 'operator' }, 'change Token 2 "test" (revoked_at from none to <now>)'],
  ['addUserGroup', { name: 'Night shift', elements: [] }, 'create User group "Night shift"'],
];

describe('call_tool with dry_run', () => {
  for (const [operation, args, act] of CALLS) {
    it(`a dry run of ${operation} by call_tool tells that it would ${act}`, async () => {
      const before = await everything();
      const messagesOf = await dryRun(operation, args);
      const { message, preview, changes } = structured(messagesOf);
      const plain = message.replace(/\b20[2-7]\d-\S+Z/u, '<now>');
      assert.equal(plain, `Nothing was done yet. It would ${act}.`);
      assert.equal(sentenceOf(messagesOf), message);
      assert.equal(preview, true);
      assert.equal(changes.length, 1);
      assert.equal(await everything(), before);
      const done = await client.callTool({ name: operation, arguments: args });
      assert.notEqual(done.isError, true, textOf(done));
      assert.notEqual(await everything(), before);
    });
  }

  it('a dry run by call_tool is refused as the call itself would be', async () => {
    for (const [operation, args, code] of [
      ['deleteChannel', { channelId: 1 }, 'in_use'],
      ['deleteLivestream', { livestreamId: 9 }, 'not_found'],
      ['deleteLivestream', {}, 'invalid_input'],
      ['runtimeApplyBlackout', { livestreamId: 1, mode: 'Black Frame' }, 'wrong_state'],
      ['uploadAsset', { filename: 'a.png', fileType: 'logos', content_base64: 'AAAA' }, 'rule_violated'],
    ] as const) {
      assert.equal(structured(await dryRun(operation, args))['code'], code, operation);
    }
    const reader = await api.client('admin', { 'x-onair-profile': 'readonly' });
    assert.equal(structured(await dryRun('deleteLivestream', { livestreamId }, reader))['code'], 'profile_forbidden');
  });

  it('a dry run tells what a change of a broadcast on air would do, and the encoder gets nothing of it', async () => {
    await goOnAir();
    const before = await everything();
    const { message, notes } = structured(
      await dryRun('runtimeTogglePublishings', { livestreamId, publishings: [{ publishingId: 1, backup: false }] }),
    );
    assert.match(
      message,
      /It would change Live stream on air 1 "Show" \(Publishing "Web", backup false\)\. Destination "Web" has a single path/u,
    );
    assert.equal(notes.length, 1);
    const stop = structured(await dryRun('stopLivestream', { livestreamId }));
    assert.match(stop['message'], /It would stop Live stream 1 "Show"\.$/u);
    assert.equal(await everything(), before);
    assert.equal((await api.store.get('runs', livestreamId))?.row.desired, 'on');
  });

  it('a dry run names the Recording that a stop ends, by an operation and by the workflow', async () => {
    await goOnAir();
    await api.store.tx((tx) => {
      const run = tx.get('runs', livestreamId)!;
      return tx.insert('recordings', { ...RECORDING, status: 'recording', livestreamId, runId: run.runId } as never);
    });
    const { message } = structured(await dryRun('stopLivestream', { livestreamId }));
    assert.equal(
      message,
      'Nothing was done yet. It would stop Live stream 1 "Show". The Recording "Evening" ends with it.',
    );
    const plan = structured(await dryRun('stop_livestream', { livestream: 'Show' }));
    assert.match(plan['message'], /a stop would end 1 destination\. The Recording "Evening" ends with it\.$/u);
  });

  it('a dry run shows a deleted Schedule on air with its stop, once', async () => {
    const instant = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
    const times = { start: instant(-1), end: instant(59) };
    const args = { name: 'Daily', livestreamId, ...times, recurrence: { type: 'daily' } };
    const { id: scheduleId } = structured(await client.callTool({ name: 'addSchedule', arguments: args }))['data'];
    await goOnAir();
    await api.store.tx((tx) => {
      const { runId } = tx.get('runs', livestreamId)!;
      const firing = { scheduleId, livestreamId, runId, occurrence_start: times.start, occurrence_end: times.end };
      tx.insert('firings', { ...firing, state: 'on_air', open: true } as never);
      tx.put('runs', { ...tx.get('runs', livestreamId)!, scheduleId });
    });
    const { message } = structured(await dryRun('deleteSchedule', { scheduleId }));
    assert.equal(
      message,
      `Nothing was done yet. It would stop Live stream 1 "Show" and delete Schedule ${scheduleId} "Daily". Its Destinations stay off at the next start.`,
    );
  });

  it('a dry run names the show and the date that a skip belongs to', async () => {
    const times = { start: '2090-01-02T19:00:00.000Z', end: '2090-01-02T20:00:00.000Z' };
    const args = { name: 'Daily', livestreamId, ...times, recurrence: { type: 'daily' } };
    const { id: scheduleId } = structured(await client.callTool({ name: 'addSchedule', arguments: args }))['data'];
    const skip = { scheduleId, occurrence_start: '2090-01-03T19:00:00.000Z' };
    const { message } = structured(await dryRun('skipOccurrence', skip));
    assert.match(message, /create Schedule skip \(Schedule "Daily", .*occurrence_start 2090-01-03T19:00:00\.000Z/u);
  });

  it('a dry run of a delete says how large the Recording is, and deletes no file', async () => {
    const { id } = await api.store.tx((tx) =>
      tx.insert('recordings', { ...RECORDING, status: 'finished', livestreamId, runId: 'past' } as never),
    );
    const { message } = structured(await dryRun('deleteRecording', { recordingId: id }));
    assert.equal(
      message,
      `Nothing was done yet. It would delete Recording ${id} "Evening" (duration 1 hour 30 minutes, size 1200 MB).`,
    );
    assert.equal((await api.store.get('recordings', id))?.row.name, 'Evening');
  });

  it('a dry run hides secrets, in fields and in addresses', async () => {
    const messagesOf = async (operation: string, args: Arguments): Promise<string> =>
      JSON.stringify(await dryRun(operation, args));
    const settings = { url: 'rtmp://cdn.invalid/live', stream_key: 'a-very-long-secret' };
    const made = await client.callTool({
      name: 'addPublishing',
      arguments: { name: 'CDN', type: 'RTMP', settings },
    });
    const { id: publishingId } = structured(made)['data'];
    const news = {
      url: 'rtmp://cdn.invalid/live/9f8e7d6c5b4a39281706f5e4d3c2b1a0?token=hunter2',
      stream_key: 'another-long-secret',
    };
    const text = await messagesOf('updatePublishing', { publishingId, settings: news });
    assert.match(text, /settings\.stream_key replaced/u);
    assert.match(text, /settings\.url from .*cdn\.invalid\/live/u);
    assert.doesNotMatch(text, /secret|hunter2|9f8e7d6c/u);
  });

  it('a dry run of what cannot be tried says so plainly, and names what fits', async () => {
    const refused = structured(
      await dryRun('uploadAsset', { filename: 'a.png', fileType: 'logos', content_base64: 'AAAA' }),
    );
    assert.match(refused['detail'], /^uploadAsset cannot be tried with dry_run: .* Nothing was done\.$/u);
    assert.match(refused['remedy'], /without dry_run/u);
  });

  it('a dry run of the delete of a Live stream that is off says only that it would be deleted', async () => {
    await goOnAir();
    await client.callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
    const { message } = structured(await dryRun('deleteLivestream', { livestreamId }));
    assert.equal(message, 'Nothing was done yet. It would delete Live stream 1 "Show".');
  });

  it('a dry run by call_tool is that of the workflow where the tool is one, and nothing special for a read', async () => {
    const { startAllowed, changed } = structured(await dryRun('start_livestream', { livestream: 'Show' }));
    assert.deepEqual([startAllowed, changed], [true, false]);
    assert.equal(structured(await dryRun('getLivestreamById', { livestreamId }))['data'].name, 'Show');
  });

  it('a dry run of any operation changes nothing', async () => {
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
