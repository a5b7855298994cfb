/** The correction of a refused call: the call as it should have been, through call_tool and by the direct name alike. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod/v3';
import { AppError } from '../../domain/base/errors.ts';
import { withCorrection } from '../../mcp/calls/corrections.ts';
import { createToolSearch } from '../../mcp/search/search.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { lettersOf } from '../../toolkit/input/near-misses.ts';
import { placeholderOf } from '../../toolkit/input/placeholders.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { someOf } from '../helpers/counts.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';
import { catalogue } from '../app/test-app.ts';

let api: McpApi;
let client: Client;
before(async () => {
  api = await startMcpApi();
  await seedBroadcast(api.store);
  client = await api.client();
});
after(() => api.close());

type Arguments = Record<string, unknown>;
const CORRECTED: [string, Arguments, string, Arguments][] = [
  ['getLivestreamById', { id: 1 }, 'getLivestreamById', { livestreamId: 1 }],
  ['getLivestreamById', { livestreamId: '1' }, 'getLivestreamById', { livestreamId: 1 }],
  ['getLivestreamById', { livestreamId: 'sho' }, 'getLivestreamById', { livestreamId: 1 }],
  ['getLivestreamStatus', { livestream: 'Show' }, 'getLivestreamStatus', { livestreamId: 1 }],
  [
    'addLivestreamAction',
    { livestreamId: 'Show', type: 'stop', executeAt: '2090-01-01T10:00:00Z' },
    'addLivestreamAction',
    { livestreamId: 1, type: 'stop', execute_at: '2090-01-01T10:00:00Z' },
  ],
  ['get_livestream_by_id', { livestreamId: 1 }, 'getLivestreamById', { livestreamId: 1 }],
  ['GetAllChannels', {}, 'getAllChannels', {}],
  [
    'start-livestream',
    { livestream: 'Show', dry_run: true },
    'start_livestream',
    { livestream: 'Show', dry_run: true },
  ],
  ['start-livestream', { livestreamId: 1 }, 'startLivestream', { livestreamId: 1 }],
  ['getLivestreamByID', { id: 1 }, 'getLivestreamById', { livestreamId: 1 }],
  ['getAllChannels', { page_size: 2 }, 'getAllChannels', { pageSize: 2 }],
  ['getAllChannels', { per_page: 5 }, 'getAllChannels', { pageSize: 5 }],
  ['getAllChannels', { limit: 5, page: 2 }, 'getAllChannels', { pageSize: 5, page: 2 }],
  ['start_livestream', { livestreamId: 1, dryRun: true }, 'start_livestream', { livestream: 1, dry_run: true }],
  [
    'updateLivestream',
    { livestreamId: 'Show', encodingGroupId: 'LADDER', publishingId: 'Web', scteMarkers: 'true' },
    'updateLivestream',
    { livestreamId: 1, encodingGroupId: 1, publishingId: 1, scteMarkers: true },
  ],
  [
    'runtimeTogglePublishings',
    { livestreamId: 'Show', publishings: [{ publishingId: 'Web', primary: false }] },
    'runtimeTogglePublishings',
    { livestreamId: 1, publishings: [{ publishingId: 1, primary: false }] },
  ],
  [
    'toggle_destination',
    { livestream: 'Show', destination: 'Web', path: 'Primary', enabled: 'false', dry_run: true },
    'toggle_destination',
    { livestream: 'Show', destination: 'Web', path: 'primary', enabled: false, dry_run: true },
  ],
  [
    'addLivestream',
    { name: 'Second', source: 'Channel', ladder: 'Ladder', destination: 'Web' },
    'addLivestream',
    { name: 'Second', channelId: 1, encodingGroupId: 1, publishingId: 1 },
  ],
  ['addEncoding', { name: 'Small', height: 180 }, 'addEncoding', { name: 'Small', settings_video: { height: 180 } }],
  [
    'addEncoding',
    { name: 'Sound', settings_audio: { codec: 'aac' } },
    'addEncoding',
    { name: 'Sound', settings_audio: { codec: 'mp4a' } },
  ],
  [
    'runtimePushMetadata',
    { livestreamId: 'Show', type: 'CueOut', duration: 30 },
    'runtimePushMetadata',
    { livestreamId: 1, type: 'CueOut', metadata: { duration: 30 } },
  ],
  [
    'addPublishingGroup',
    { name: 'Everywhere', elements: ['Web'] },
    'addPublishingGroup',
    { name: 'Everywhere', elements: [1] },
  ],
  ['addEncodingGroup', { name: 'Two', elements: ['720p'] }, 'addEncodingGroup', { name: 'Two', elements: [1] }],
  ['getUserById', { userId: 'operator' }, 'getUserById', { userId: 2 }],
  [
    'schedule_livestream',
    { livestream: 'Show', start: '2090-01-01T10:00', end: '2090-01-01T11:00', recurrence: 'Daily', dry_run: 'yes' },
    'schedule_livestream',
    {
      livestream: 'Show',
      start: '2090-01-01T10:00',
      end: '2090-01-01T11:00',
      recurrence: { type: 'daily' },
      dry_run: true,
    },
  ],
  ['updateLivestream', { livestreamId: 1, enabled: 'on' }, 'updateLivestream', { livestreamId: 1, enabled: true }],
];

for (const [name, args, meant, corrected] of CORRECTED) {
  test(`the refusal of ${name} ${JSON.stringify(args)} says how it is to be called`, async () => {
    const direct = await client.callTool({ name, arguments: args });
    const inner = await client.callTool({ name: 'call_tool', arguments: { operationId: name, arguments: args } });
    assert.deepEqual(structured(direct)['corrected_call'], { name: meant, arguments: corrected });
    assert.deepEqual(structured(inner)['corrected_call'], { operationId: meant, arguments: corrected });
    assert.ok(textOf(inner).includes(JSON.stringify(structured(inner)['corrected_call'])), textOf(inner));
  });
}

test('a correction of names and spellings works as it is given', async () => {
  for (const [name, args] of CORRECTED) {
    if (/^start-/u.test(name)) continue;
    const refused = await client.callTool({ name: 'call_tool', arguments: { operationId: name, arguments: args } });
    const again = await client.callTool({ name: 'call_tool', arguments: structured(refused)['corrected_call'] });
    // Nothing is on air here.
    const { code } = structured(again);
    assert.ok(code === undefined || code === 'wrong_state', `${name}: ${textOf(again)}`);
  }
});

test('the corrected call for a missing confirmation is the same call with it', () => {
  const detail = 'It is on air. Send confirmStopLive: true to stop it.';
  const refused = new AppError('confirmation_required', detail, { facts: { flag: 'confirmStopLive' } });
  const args = { scheduleId: 3, occurrence_start: '2026-03-02T19:00:00Z' };
  const reach = { search: createToolSearch([]), surface: { allows: () => true }, dispatcher: { catalogue } };
  for (const isInner of [true, false]) {
    const report = withCorrection({ error: refused }, { name: 'skipOccurrence', args, isInner }, reach) as AppError;
    assert.deepEqual(report.extras.facts?.['corrected_call'], {
      ...(isInner ? { operationId: 'skipOccurrence' } : { name: 'skipOccurrence' }),
      arguments: { ...args, confirmStopLive: true },
    });
    assert.equal(report.message, detail);
  }
});

test('a refusal holds no correction where nobody can know what was meant', async () => {
  for (const [name, args] of [
    ['getLivestreamById', {}],
    ['getLivestreamById', { livestreamId: 'Midnight Mass' }],
    ['getEncodingById', { encodingId: 'h' }],
    ['getLivestreamById', { livestreamId: 999 }],
    ['toggle_destination', { livestream: 'Show', destination: 'Web', path: 'third', enabled: true }],
    ['doSomething', {}],
    ['start-livestream', { livestream: 'Show', loudly: true }],
    ['addPublishingGroup', { nmae: 'Many', elements: Array.from({ length: 25 }, (_, at) => at + 1) }],
    ['call_tool', { operationId: 'addChannel', colour: 'red' }],
    ['call_tool', { operationId: 'startLivestream', livestream: 'Show' }],
  ] as [string, Arguments][]) {
    const refused = await client.callTool({ name, arguments: args });
    assert.equal(refused.isError, true);
    assert.equal(structured(refused)['corrected_call'], undefined, `${name}: ${textOf(refused)}`);
  }
});

test('a name for an id that fits several is answered with all of them, one that fits none with the nearest', async () => {
  for (const name of ['HD 720', 'HD 1080']) await client.callTool({ name: 'addEncoding', arguments: { name } });
  const several = await client.callTool({ name: 'getEncodingById', arguments: { encodingId: 'hd' } });
  assert.deepEqual(
    structured(several)['matches'].map(({ name }: { name: string }) => name),
    ['HD 720', 'HD 1080'],
  );
  assert.match(textOf(several), /"hd" fits several: \d+ "HD 720", \d+ "HD 1080"/u);
  const none = await client.callTool({ name: 'getChannelById', arguments: { channelId: 'Kamera' } });
  const call = { name: 'getChannelById', arguments: { channelId: 1 } };
  assert.deepEqual(structured(none)['nearest'], [{ id: 1, name: 'Channel', call }]);
  const unable = await api.client('operator');
  const hidden = await unable.callTool({ name: 'getUserById', arguments: { userId: 'admin' } });
  assert.equal(structured(hidden)['corrected_call'], undefined);
});

test('call_tool refuses fields beside arguments that belong inside, a field called name too, with the corrected call', async () => {
  const flat = { name: 'Feed', type: 'Stream', settings: { url: 'http://a.example/' } };
  const refused = await client.callTool({ name: 'call_tool', arguments: { operationId: 'addChannel', ...flat } });
  assert.deepEqual(structured(refused)['corrected_call'], {
    operationId: 'addChannel',
    arguments: { name: 'Feed', type: 'Stream', settings: { url: '<url>' } },
  });
});

test('a correction repeats no text that may be a secret', async () => {
  const args = { livestream: 'Show', destination: 'Web', streamKey: 'canary-key', dryRun: true };
  const refused = await client.callTool({ name: 'update_destination_stream_key', arguments: args });
  assert.deepEqual(structured(refused)['corrected_call'].arguments, {
    livestream: 'Show',
    destination: 'Web',
    stream_key: '<stream_key>',
    dry_run: true,
  });
  assert.doesNotMatch(JSON.stringify(refused), /canary/u);
});

test('a placeholder that comes back as it is counts as no value', async () => {
  for (const [operationId, args, field] of [
    ['addPublishing', { name: '<name>', type: 'HLS / TS' }, 'name'],
    ['addChannel', { name: 'Feed', type: 'Stream', settings: { url: '<url>' } }, 'settings.url'],
    ['addDrmProvider', { supported_systems: ['<supported_systems>'] }, 'supported_systems.0'],
  ] as const) {
    const refused = await client.callTool({ name: 'call_tool', arguments: { operationId, arguments: args } });
    const { errors, corrected_call } = structured(refused);
    assert.deepEqual([errors[0].field, errors[0].code, corrected_call], [field, 'placeholder', undefined]);
  }
});

test('a field that may lie in several places, or needs more, is explained without a call that would be refused', async () => {
  const either = await client.callTool({ name: 'addEncoding', arguments: { name: 'x', bitrate: 900 } });
  assert.match(textOf(either), /did you mean settings_video\.bitrate or settings_audio\.bitrate\?/u);
  const needsMore = await client.callTool({
    name: 'runtimeApplyLogo',
    arguments: { livestreamId: 1, position: 'Nowhere' },
  });
  for (const report of [either, needsMore]) assert.equal(structured(report)['corrected_call'], undefined);
  const colour = await client.callTool({
    name: 'setLivestreamText',
    arguments: { livestreamId: 1, action: 'show', text: 'x', color: 'red' },
  });
  assert.match(textOf(colour), /color: must be #rrggbb/u);
  const word = await client.callTool({
    name: 'addEncoding',
    arguments: { name: 'x', settings_video: { codec: 'mp4' } },
  });
  assert.doesNotMatch(textOf(word), /did you mean mp4v/u);
});

const UNKNOWN: [string, string][] = [
  ['listStreams', 'getAllLivestreams'],
  ['restreams.list', 'getAllPublishings'],
  ['stop_broadcast', 'stopLivestream'],
  ['createOutput', 'addPublishing'],
];
for (const [name, near] of UNKNOWN) {
  test(`the unknown tool ${name} is answered with the nearest three, ${near} among them`, async () => {
    const refused = await client.callTool({ name: 'call_tool', arguments: { operationId: name } });
    const { code, nearest, detail } = structured(refused);
    assert.equal(code, 'unknown_operation');
    assert.equal(nearest.length, 3);
    assert.ok(nearest.includes(near), String(nearest));
    for (const offered of nearest) assert.ok(detail.includes(offered), detail);
  });
}

test('the refusal of an unknown tool offers only what the caller may call', async () => {
  const reader = await api.client('operator', { 'x-onair-profile': 'readonly' });
  for (const name of ['delete_live_stream', 'listUsers', 'createToken']) {
    const { nearest } = structured(await reader.callTool({ name, arguments: {} }));
    for (const offered of nearest) assert.match(offered, /^(?:get|list|read|channel_slot)/u, `${name}: ${nearest}`);
    assert.ok(!nearest.includes('getAllUsers'), String(nearest));
  }
});

test('the refusal of a call outside the profile or the role says which would allow it', async () => {
  const reader = await api.client('operator', { 'x-onair-profile': 'readonly' });
  for (const call of [
    { name: 'addDevice', arguments: {} },
    { name: 'call_tool', arguments: { operationId: 'addDevice', arguments: {} } },
  ]) {
    const { code, allowed_by, needs_role, detail } = structured(await reader.callTool(call));
    assert.equal(code, 'profile_forbidden');
    assert.deepEqual([allowed_by, needs_role], [['full'], 1]);
    assert.match(detail, /allowed by: full.*System Administrator/u);
  }
  const operator = await api.client('operator');
  const refused = structured(await operator.callTool({ name: 'getAllUsers', arguments: {} }));
  assert.deepEqual([refused['code'], refused['needs_role']], ['forbidden', 1]);
});

const tools = [...catalogue.operations, ...catalogue.workflows];
const reach = { search: createToolSearch(tools), surface: { allows: () => true }, dispatcher: { catalogue } };

/** A value that the field takes, and one that is nearly so; nothing where that would have to be made up. */
function valuesOf(field: z.ZodTypeAny): unknown[] {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable) return valuesOf(field.unwrap() as z.ZodTypeAny);
  if (field instanceof z.ZodDefault) return valuesOf(field.removeDefault() as z.ZodTypeAny);
  if (field instanceof z.ZodNumber) return [1, '1', 'one'];
  if (field instanceof z.ZodBoolean) return [true, 'on'];
  if (field instanceof z.ZodEnum) return [field.options[0], String(field.options[0]).toUpperCase()];
  if (field instanceof z.ZodArray) return valuesOf(field.element as z.ZodTypeAny).map((value) => [value]);
  if (field instanceof z.ZodObject) return [valuesIn(field as z.AnyZodObject, 0, (name) => name)];
  return ['2090-01-01T10:00:00Z', 'Show'];
}

function valuesIn(object: z.AnyZodObject, at: number, called: (name: string) => string): Arguments {
  const fields = Object.entries(object.shape as z.ZodRawShape);
  return Object.fromEntries(fields.map(([name, field]) => [called(name), valuesOf(field).at(at)]));
}

const SLIPS: ((name: string) => string)[] = [
  (name) => name,
  (name) => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
  (name) => name.replaceAll('_', '-').toUpperCase(),
  (name) => name.slice(0, -1),
  (name) => name.replace(/^.*(?=Ids?$)/u, '').toLowerCase(),
];

/** Every call of the tool that is slightly wrong: all its fields or those that it needs, one by one, under names and values that are nearly right. */
function* slipsOf(tool: Tool): Generator<[string, Arguments]> {
  const fields = Object.entries(tool.input.shape as z.ZodRawShape);
  const needed = z.object(Object.fromEntries(fields.filter(([, field]) => !field.isOptional())));
  const objects = [tool.input, needed, ...fields.map(([name, field]) => needed.extend({ [name]: field }))];
  for (const called of SLIPS)
    for (const object of objects)
      for (const at of [0, 1]) {
        const args = valuesIn(object, at, called);
        yield [tool.name, args];
        // A search comes with it.
        if (called === SLIPS[0] && object === needed && at === 0) yield [tool.name.toUpperCase(), args];
      }
}

test('the operation that a corrected call names takes the call, whatever is corrected', () => {
  let corrected = 0;
  const tried = someOf(tools, 50);
  for (const tool of tried)
    for (const [name, args] of slipsOf(tool)) {
      let report: unknown;
      try {
        parseInput(catalogue.get(name).input, args);
        continue;
      } catch (error) {
        report = withCorrection({ error }, { name, args, isInner: false }, reach);
      }
      const call = (report as AppError).extras.facts?.['corrected_call'] as
        { name: string; arguments: Arguments } | undefined;
      if (call === undefined) continue;
      corrected += 1;
      assert.equal(lettersOf(call.name), lettersOf(name));
      const { error } = catalogue.get(call.name).input.safeParse(call.arguments);
      // A text that may be a secret is named, and the caller puts it there.
      const wrong = error?.issues.filter(({ path }) => {
        const value = path.reduce<unknown>((inner, step) => (inner as Arguments)[step], call.arguments);
        return !path.some((step) => value === placeholderOf(String(step)));
      });
      assert.deepEqual(wrong ?? [], [], `${name} ${JSON.stringify(args)}: ${JSON.stringify(call)}`);
    }
  assert.ok(corrected > 6 * tried.length, `${corrected} were corrected`);
});
