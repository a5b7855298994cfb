/** What a refused call is told: the call as it should have been, through call_tool and by the direct name alike. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { AppError } from '../../domain/errors.ts';
import { withCorrection } from '../../mcp/corrections.ts';
import { createToolSearch } from '../../mcp/search.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { catalogue, openDoor, structured, textOf, type Door } from './door.ts';

let door: Door;
let client: Client;
before(async () => {
  door = await openDoor();
  await seedBroadcast(door.store);
  client = await door.client();
});
after(() => door.close());

type Arguments = Record<string, unknown>;
const CORRECTED: [string, Arguments, string, Arguments][] = [
  ['getLivestreamById', { id: 1 }, 'getLivestreamById', { livestreamId: 1 }],
  ['getLivestreamById', { livestreamId: '1' }, 'getLivestreamById', { livestreamId: 1 }],
  ['getLivestreamById', { livestreamId: 'the show' }, 'getLivestreamById', { livestreamId: 1 }],
  ['getLivestreamStatus', { livestream: 'Show' }, 'getLivestreamStatus', { livestreamId: 1 }],
  [
    'addLivestreamAction',
    { livestreamId: 'Show', type: 'stop', executeAt: '2090-01-01T10:00:00Z' },
    'addLivestreamAction',
    { livestreamId: 1, type: 'stop', execute_at: '2090-01-01T10:00:00Z' },
  ],
  ['get_livestream_by_id', { livestreamId: 1 }, 'getLivestreamById', { livestreamId: 1 }],
  ['GetAllChannels', {}, 'getAllChannels', {}],
  ['start-livestream', { livestream: 'Show', dry_run: true }, 'startLivestream', { livestream: 'Show', dry_run: true }],
  ['start_livestream', { livestreamId: 1, dryRun: true }, 'start_livestream', { livestream: 1, dry_run: true }],
  [
    'updateLivestream',
    { livestreamId: 'Show', encodingGroupId: 'the ladder', publishingId: 'Web', scteMarkers: 'true' },
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
  test(`${name} ${JSON.stringify(args)} is told how to be called`, async () => {
    const direct = await client.callTool({ name, arguments: args });
    const inner = await client.callTool({ name: 'call_tool', arguments: { operationId: name, arguments: args } });
    assert.deepEqual(structured(direct)['corrected_call'], { name: meant, arguments: corrected });
    assert.deepEqual(structured(inner)['corrected_call'], { operationId: meant, arguments: corrected });
    assert.ok(textOf(inner).includes(JSON.stringify(structured(inner)['corrected_call'])), textOf(inner));
  });
}

test('a correction of names and spellings works as it is told', async () => {
  for (const [name, args] of CORRECTED) {
    if (/^start-/u.test(name)) continue;
    const refused = await client.callTool({ name: 'call_tool', arguments: { operationId: name, arguments: args } });
    const again = await client.callTool({ name: 'call_tool', arguments: structured(refused)['corrected_call'] });
    // Nothing is on air here.
    const { code } = structured(again);
    assert.ok(code === undefined || code === 'wrong_state', `${name}: ${textOf(again)}`);
  }
});

test('a confirmation that is missing is the same call with it', () => {
  const detail = 'It is on air. Send confirmStopLive: true to stop it.';
  const refused = new AppError('confirmation_required', detail, { facts: { flag: 'confirmStopLive' } });
  const args = { scheduleId: 3, occurrence_start: '2026-03-02T19:00:00Z' };
  const reach = { search: createToolSearch([]), surface: { allows: () => true }, dispatcher: { catalogue } };
  for (const isInner of [true, false]) {
    const told = withCorrection(refused, { name: 'skipOccurrence', args, isInner }, reach) as AppError;
    assert.deepEqual(told.extras.facts?.['corrected_call'], {
      ...(isInner ? { operationId: 'skipOccurrence' } : { name: 'skipOccurrence' }),
      arguments: { ...args, confirmStopLive: true },
    });
    assert.equal(told.message, detail);
  }
});

test('no correction where nobody can know what was meant', async () => {
  for (const [name, args] of [
    ['getLivestreamById', {}],
    ['getLivestreamById', { livestreamId: 'Midnight Mass' }],
    ['getEncodingById', { encodingId: 'p' }],
    ['getLivestreamById', { livestreamId: 999 }],
    ['toggle_destination', { livestream: 'Show', destination: 'Web', path: 'third', enabled: true }],
    ['doSomething', {}],
  ] as [string, Arguments][]) {
    const refused = await client.callTool({ name, arguments: args });
    assert.equal(refused.isError, true);
    assert.equal(structured(refused)['corrected_call'], undefined, `${name}: ${textOf(refused)}`);
  }
});

test('a name for an id that fits several is told with all of them, one that fits none with the nearest', async () => {
  const several = await client.callTool({ name: 'getEncodingById', arguments: { encodingId: 'p' } });
  assert.deepEqual(structured(several)['matches'].map(({ name }: { name: string }) => name), ['720p', '360p']); // prettier-ignore
  assert.match(textOf(several), /"p" fits several: \d+ "720p", \d+ "360p"/u);
  const none = await client.callTool({ name: 'getChannelById', arguments: { channelId: 'Kamera' } });
  assert.deepEqual(structured(none)['nearest'], [{ id: 1, name: 'Channel' }]);
  const unable = await door.client('operator');
  const hidden = await unable.callTool({ name: 'getUserById', arguments: { userId: 'admin' } });
  assert.equal(structured(hidden)['corrected_call'], undefined);
});

test('what belongs inside arguments is told so, a name among it', async () => {
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

test('a placeholder that comes back as it is is no value', async () => {
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

test('what may lie in several places, or needs more, is told without a call that would be refused', async () => {
  const either = await client.callTool({ name: 'addEncoding', arguments: { name: 'x', bitrate: 900 } });
  assert.match(textOf(either), /did you mean settings_video\.bitrate or settings_audio\.bitrate\?/u);
  const needsMore = await client.callTool({ name: 'runtimeApplyLogo', arguments: { livestreamId: 1, position: 'Nowhere' } }); // prettier-ignore
  for (const told of [either, needsMore]) assert.equal(structured(told)['corrected_call'], undefined);
  const colour = await client.callTool({ name: 'setLivestreamText', arguments: { livestreamId: 1, action: 'show', text: 'x', color: 'red' } }); // prettier-ignore
  assert.match(textOf(colour), /color: must be #rrggbb/u);
  const word = await client.callTool({ name: 'addEncoding', arguments: { name: 'x', settings_video: { codec: 'mp4' } } }); // prettier-ignore
  assert.doesNotMatch(textOf(word), /did you mean mp4v/u);
});

const UNKNOWN: [string, string][] = [
  ['listStreams', 'getAllLivestreams'],
  ['restreams.list', 'getAllPublishings'],
  ['stop_broadcast', 'stopLivestream'],
  ['createOutput', 'addPublishing'],
];
for (const [name, near] of UNKNOWN) {
  test(`${name} is answered with the nearest three, ${near} among them`, async () => {
    const refused = await client.callTool({ name: 'call_tool', arguments: { operationId: name } });
    const { code, nearest, detail } = structured(refused);
    assert.equal(code, 'unknown_operation');
    assert.equal(nearest.length, 3);
    assert.ok(nearest.includes(near), String(nearest));
    for (const offered of nearest) assert.ok(detail.includes(offered), detail);
  });
}

test('only what the caller may call is offered', async () => {
  const reader = await door.client('operator', { 'x-onair-profile': 'readonly' });
  for (const name of ['delete_live_stream', 'listUsers', 'createToken']) {
    const { nearest } = structured(await reader.callTool({ name, arguments: {} }));
    for (const offered of nearest) assert.match(offered, /^(?:get|list|read|channel_slot)/u, `${name}: ${nearest}`);
    assert.ok(!nearest.includes('getAllUsers'), String(nearest));
  }
});

test('a call outside the profile or the role says which would allow it', async () => {
  const reader = await door.client('operator', { 'x-onair-profile': 'readonly' });
  for (const call of [
    { name: 'addDevice', arguments: {} },
    { name: 'call_tool', arguments: { operationId: 'addDevice', arguments: {} } },
  ]) {
    const { code, allowed_by, needs_role, detail } = structured(await reader.callTool(call));
    assert.equal(code, 'profile_forbidden');
    assert.deepEqual([allowed_by, needs_role], [['full'], 1]);
    assert.match(detail, /allowed by: full.*System Administrator/u);
  }
  const operator = await door.client('operator');
  const refused = structured(await operator.callTool({ name: 'getAllUsers', arguments: {} }));
  assert.deepEqual([refused['code'], refused['needs_role']], ['forbidden', 1]);
});
