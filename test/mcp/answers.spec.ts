/** Answers for clients that hand a model the texts alone, and for those that hand it the structure alone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv } from 'ajv';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { seedBroadcast } from '../helpers/seed.ts';
import { auditRow } from '../store/support.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';

const MAX_CHARACTERS = 1500 * 4;
let api: McpApi;
let client: Client;
before(async () => {
  api = await startMcpApi();
  await seedBroadcast(api.store);
  await api.store.tx((tx) => {
    for (let at = 0; at < 500; at += 1) tx.insert('audit', auditRow(`user ${at}`));
  });
  client = await api.client();
});
after(() => api.close());

const run = (name: string, args: object) => client.callTool({ name, arguments: args as Record<string, unknown> });

/** The structure of an answer, which its texts must tell as well. */
async function whole(name: string, args: object): Promise<Record<string, any>> {
  const result = await run(name, args);
  const body = structured(result);
  const [first = '', ...others] = (result.content as { text: string }[]).map(({ text }) => text);
  const facts = JSON.parse(others.pop() ?? first) as Record<string, unknown>;
  const called = `${name} ${JSON.stringify(args)}`;
  if (result.isError === true) {
    for (const [field, fact] of Object.entries(body))
      if (!['type', 'title', 'request_id', 'errors'].includes(field))
        assert.ok(
          first.includes(String(fact)) || JSON.stringify(facts[field]) === JSON.stringify(fact),
          called + field,
        );
  } else assert.deepEqual(first.startsWith('{') ? facts : { ...facts, message: first }, body, called);
  for (const length of [JSON.stringify(body).length, textOf(result).length])
    assert.ok(length <= MAX_CHARACTERS, `${called}: ${length} characters`);
  return body;
}

const show = { livestream: 'Show' };
const [start, end] = [86_400_000, 90_000_000].map((ms) => new Date(Date.now() + ms).toISOString());
/** A call of each tool that is listed. */
const LISTED: readonly [string, object][] = [
  ['schedule_livestream', { ...show, start, end, dry_run: true }],
  ['get_start_targets', show],
  ['toggle_destination', { ...show, destination: 'Web', path: 'primary', enabled: false, dry_run: true }],
  ['update_destination_stream_key', { ...show, destination: 'Web', stream_key: 'k', dry_run: true }],
  ['get_livestream_status', show],
  ['get_livestream_status', { livestream: 'nothing like it' }],
  ['start_livestream', { ...show, dry_run: true }],
  ['stop_livestream', show],
  ['channel_slot_usage', {}],
  ['search_tools', { query: 'list outputs' }],
  ['search_tools', { query: 'list outputs', detail: 'names' }],
  ['call_tool', { operationId: 'getAllChannels' }],
];
const READS: readonly [string, object?][] = [
  ...['getLivestreamById', 'getLivestreamStatus', 'getLivestreamEnriched', 'getLivestreamStartConfig'].map(
    (name): [string, object] => [name, { livestreamId: 1 }],
  ),
  ['getLivestreamById', { livestreamId: 9999 }],
  ['getAllLivestreams', { fields: '*', includeDestinations: true, includeChannel: true }],
  ['getLivestreamsStatus', { fields: '*' }],
  ['getChannelById', { channelId: 1 }],
  ['getPublishingById', { publishingId: 1 }],
  ['getAllEncodings', { fields: '*' }],
  ...['getAllEncodingGroups', 'getAllPublishings', 'getAllSchedules', 'getAllPlannedActions', 'getRecordings'].map(
    (name): [string] => [name],
  ),
  ...['getAllDevices', 'getDevicesStatus', 'getDevicesLiveStatus', 'listAssets', 'getAllUsers'].map(
    (name): [string] => [name],
  ),
  ['getAuditLog', { pageSize: 500, fields: '*' }],
];

test('texts and structure of each listed tool tell the same in 1,500 tokens each, and fit the schema that is listed', async () => {
  const { tools } = await client.listTools();
  const ajv = new Ajv({ strict: false });
  for (const [name, args] of LISTED) {
    const body = await whole(name, args);
    const schema = tools.find((tool) => tool.name === name)?.outputSchema;
    assert.equal(schema === undefined, name === 'call_tool', name);
    if (schema === undefined) continue;
    assert.ok(ajv.validate(schema, body), `${name}: ${ajv.errorsText()}`);
    assert.ok(!ajv.validate(schema, { anything: 'else' }), name);
  }
  assert.deepEqual(new Set(LISTED.map(([name]) => name)), new Set(tools.map(({ name }) => name)));
});

test('so do those of reads, which fit the schema that the search shows', async () => {
  const ajv = new Ajv({ strict: false });
  for (const [operationId, args = {}] of READS) {
    const body = await whole('call_tool', { operationId, arguments: args });
    const { tools } = structured(await run('search_tools', { query: operationId, limit: 1 }));
    assert.equal(tools[0].name, operationId);
    if (body['code'] === undefined)
      assert.ok(ajv.validate(tools[0].outputSchema, body), `${operationId}: ${ajv.errorsText()}`);
  }
});

test('a list that does not fit has whole rows, and says how to get those behind them', async () => {
  const seen: number[] = [];
  let [pageSize, page] = [500, 1];
  for (let turn = 0; turn < 3; turn += 1) {
    const { rows, note } = await whole('getAuditLog', { pageSize, page, fields: '*', sort: 'id' });
    seen.push(...rows.map(({ id }: { id: number }) => id));
    if (note === undefined) page += 1;
    else [pageSize, page] = /pageSize (\d+) and page (\d+)/u.exec(note)!.slice(1).map(Number) as [number, number];
  }
  assert.ok(seen.length > 20);
  assert.deepEqual(
    [...new Set(seen)],
    Array.from({ length: new Set(seen).size }, (_, at) => at + 1),
    'none is left out',
  );
});

test('a list of which not one row fits answers the first of them, cut where it is longest', async () => {
  const elements: number[] = [];
  for (let at = 0; at < 18; at += 1) {
    const settings = { url: `rtmp://127.0.0.1/${'path'.repeat(20)}`, stream_key: 'k' };
    const { data } = structured(await run('addPublishing', { name: `Far ${at}`, type: 'RTMP', settings }));
    elements.push(data.id);
  }
  const { data: group } = structured(await run('addPublishingGroup', { name: 'Everywhere', elements }));
  const bound = { channelId: 1, encodingGroupId: 1, publishingGroupId: group.id };
  for (const name of ['Wide 1', 'Wide 2']) await run('addLivestream', { name, ...bound });
  const wide = { fields: '*', includeDestinations: true, search: 'Wide' };
  const { rows, pagination, note } = await whole('getAllLivestreams', wide);
  assert.deepEqual([pagination.total, rows.length, rows[0].name], [2, 1, 'Wide 1']);
  const [, path = '', left = ''] =
    /shortened in ([\w.]+) \((\d+) of 18\)\. Go on with pageSize 1 and page 2,/u.exec(note) ?? [];
  const destinations = path.split('.').reduce((inner, step) => inner[step], rows[0]);
  assert.deepEqual([destinations.length, destinations[0].name], [Number(left), 'Far 0'], note);
  const enriched = await whole('getLivestreamEnriched', { livestreamId: rows[0].id });
  assert.match(enriched['note'], /^Shortened here: data\.publishings \(\d+ of 18\)/u);
});
