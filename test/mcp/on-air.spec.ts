/** A broadcast on air for MCP clients: pictures, sentences, refusals of the profile. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';

let api: McpApi;
let voiceApi: McpApi;
let client: Client;
let voice: Client;
let livestreamId: number;
before(async () => {
  api = await startMcpApi();
  voiceApi = await startMcpApi('voice', { app: api });
  livestreamId = await seedBroadcast(api.store);
  client = await api.client();
  voice = await voiceApi.client();
  await client.callTool({ name: 'startLivestream', arguments: { livestreamId } });
  const runId = await until('a run at the Device', () => api.device.runIds.at(-1));
  api.device.running(runId);
  await until('status 2', async () => (await api.store.get('runs', livestreamId))?.row.status === 2);
});
after(async () => {
  await voiceApi.close();
  await api.close();
});

test('a preview is an image and its facts as text, without the structure beside which clients drop images', async () => {
  const result = await client.callTool({
    name: 'call_tool',
    arguments: { operationId: 'getLivestreamPreview', arguments: { livestreamId, width: 128 } },
  });
  const [text, image] = result.content as { type: string; text?: string; data?: string; mimeType?: string }[];
  assert.equal(result.structuredContent, undefined);
  assert.equal(JSON.parse(text?.text ?? '').data.size_bytes, 8);
  assert.deepEqual(image, { type: 'image', data: Buffer.from('jpeg 128').toString('base64'), mimeType: 'image/jpeg' });
});

test('an answer by voice says what was done, and what there is to know', async () => {
  const say = async (name: string, args: object): Promise<string> =>
    textOf(await voice.callTool({ name, arguments: { livestreamId, ...args } }));
  assert.equal(
    await say('setLivestreamText', { action: 'show', text: 'Breaking' }),
    'Done, Show shows the text Breaking now.',
  );
  assert.equal(
    await say('runtimeTogglePublishings', { publishings: [{ publishingId: 1, backup: true }] }),
    'Done, Show is as it was. Destination Web has a single path; backup was ignored.',
  );
  const refused = await voice.callTool({
    name: 'update_destination_stream_key',
    arguments: { livestream: 'Show', destination: 'Web', stream_key: 'said_aloud' },
  });
  assert.equal(structured(refused)['code'], 'profile_forbidden');
  for (const operation of [
    'runtimeApplySourceSwitch',
    'runtimePushMetadata',
    'runtimeSetAdValues',
    'getLivestreamPreview',
  ]) {
    const outside = await voice.callTool({ name: operation, arguments: { livestreamId } });
    assert.equal(structured(outside)['code'], 'profile_forbidden', operation);
  }
});
