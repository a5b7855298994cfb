/** Under the profile voice every answer and every refusal is a sentence or two that can be said aloud: over all that it may call. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ResidentName } from '../../domain/ports/collections.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';
import { catalogue } from '../app/test-app.ts';
import { wordsOf } from '../helpers/words.ts';

const voice = profileByName('voice');
const callable = [...catalogue.operations, ...catalogue.workflows].filter((tool) => voice.allows(tool));
const names = new Set([...catalogue.operations, ...catalogue.workflows].map(({ name }) => name));
/** Ids from here on are told apart from counts. */
const FIRST_ID = 700;
const COLLECTIONS = wordsOf(
  'livestreams channels publishings publishingGroups encodings encodingGroups schedules',
) as ResidentName[];

let api: McpApi;
let client: Client;
let livestreamId: number;
let other: number;
const kept: Record<string, number> = {};

before(async () => {
  api = await startMcpApi();
  await api.store.tx((tx) => {
    for (const collection of COLLECTIONS) {
      for (let at = 1; at < FIRST_ID; at += 1) {
        const { id } = tx.insert(collection, { name: `row ${at}` } as never);
        tx.delete(collection, id);
      }
    }
  });
  livestreamId = await seedBroadcast(api.store);
  other = await seedBroadcast(api.store, ' at Saint Mary');
  const full = await api.client();
  const make = async (name: string, args: Record<string, unknown>): Promise<number> => {
    const result = await full.callTool({ name, arguments: args });
    return structured(result)['data']?.id ?? assert.fail(`${name}: ${textOf(result)}`);
  };
  kept['groupId'] = await make('addPublishingGroup', { name: 'Pair', elements: [] });
  if (names.has('addSchedule')) {
    const times = { start: '2090-01-02T19:00:00Z', end: '2090-01-02T20:00:00Z' };
    const series = { ...times, livestreamId: other, recurrence: { type: 'daily' } };
    kept['scheduleId'] = await make('addSchedule', { name: 'Daily', ...series });
  }
  if (names.has('addLivestreamAction')) {
    const planned = {
      livestreamId,
      type: 'blackout',
      payload: { mode: 'Black Frame' },
      execute_at: '2090-01-01T10:00:00Z',
    };
    await make('addLivestreamAction', planned);
  }
  await full.callTool({ name: 'startLivestream', arguments: { livestreamId } });
  api.device.running(await until('a run at the Device', () => api.device.runIds.at(-1)));
  await until('status 2', async () => (await api.store.get('runs', livestreamId))?.row.status === 2);
  client = await api.client('admin', { 'x-onair-profile': 'voice' });
});
after(() => api.close());

const IDS = /^(?:id|\w+Id|elements|kid)$/u;

function idsIn(value: unknown, key = ''): number[] {
  if (typeof value === 'number') return IDS.test(key) && value >= FIRST_ID ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => idsIn(inner, name));
}

function assertSpeakable(result: unknown, what: string): void {
  const text = textOf(result);
  assert.match(text, /^\p{L}|^\d/u, `${what}: ${text}`);
  assert.match(text, /[.?!]$/u, `${what} ends as a sentence: ${text}`);
  assert.doesNotMatch(text, /[{}[\]<>"`|\\#_]|:\/\/|\bids?\b|\bundefined\b|\bnull\b/u, `${what}: ${text}`);
  assert.doesNotMatch(text, /\d{4}-\d\d-\d\d|\bT\d\d:/u, `${what} says times as people do: ${text}`);
  for (const word of text.split(/[^\w]+/u)) assert.ok(!names.has(word), `${what} names ${word}: ${text}`);
  for (const id of idsIn(structured(result)))
    assert.ok(!new RegExp(`\\b${id}\\b`, 'u').test(text), `${what} says the id ${id}: ${text}`);
  const sentences = text.split(/(?<=[.!?])\s+(?=\p{Lu})/u).filter((sentence) => sentence.length > 12);
  assert.ok(sentences.length <= 3, `${what} says ${sentences.length} sentences: ${text}`);
  assert.ok(text.length <= 450, `${what} says ${text.length} characters: ${text}`);
}

/** Arguments with which each operation succeeds here, in an order in which they can be called. */
const CALLS: [string, () => Record<string, unknown>][] = [
  ...['getAllLivestreams', 'getLivestreamsStatus', 'getAllChannels', 'getAllPublishings', 'getAllPublishingGroups'],
  ...['getAllEncodings', 'getAllEncodingGroups', 'getAllDevices', 'getAllDeviceGroups', 'getDevicesStatus'],
  ...wordsOf(`
    getDevicesLiveStatus listAssets getAllSchedules getAllPlannedActions getRecordings getAllEvents
    channel_slot_usage
  `),
].map((name): [string, () => Record<string, unknown>] => [name, () => ({})]);
CALLS.push(
  ['getLivestreamStatus', () => ({ livestreamId })],
  ['getLivestreamEvents', () => ({ livestreamId })],
  ['getLivestreamActions', () => ({ livestreamId })],
  ['get_livestream_status', () => ({ livestream: 'show' })],
  ['get_start_targets', () => ({ livestream: 'show at saint mary' })],
  ['runtimeApplyLogo', () => ({ livestreamId, logo: { filename: '', position: 'Top-Left' } })],
  ['runtimeApplyBlackout', () => ({ livestreamId, mode: 'Black Frame' })],
  ['runtimeTogglePublishings', () => ({ livestreamId, publishings: [{ publishingId: FIRST_ID, backup: true }] })],
  ['setLivestreamText', () => ({ livestreamId, action: 'show', text: 'Hello' })],
  [
    'toggle_destination',
    () => ({ livestream: 'Show', destination: 'Web', path: 'primary', enabled: false, dry_run: true }),
  ],
  ['getScheduleById', () => ({ scheduleId: kept['scheduleId'] })],
  ['getScheduleOccurrences', () => ({ from: '2090-01-01T00:00:00Z', to: '2090-01-09T00:00:00Z' })],
  ['skipOccurrence', () => ({ scheduleId: kept['scheduleId'], occurrence_start: '2090-01-03T19:00:00Z' })],
  ['listScheduleSkips', () => ({ scheduleId: kept['scheduleId'] })],
  ['restoreSkip', () => ({ scheduleId: kept['scheduleId'], skipId: 1 })],
  ['updateSchedule', () => ({ scheduleId: kept['scheduleId'], enabled: false })],
  ['patchScheduleUntil', () => ({ scheduleId: kept['scheduleId'], until: '2090-03-01T00:00:00Z' })],
  ['addSchedule', () => ({ name: 'Once', livestreamId, start: '2091-01-02T19:00:00Z', end: '2091-01-02T20:00:00Z' })],
  ['schedule_livestream', () => ({ livestream: 'Show', start: '2092-01-02T19:00:00Z', end: '2092-01-02T20:00:00Z' })],
  ['deleteSchedule', () => ({ scheduleId: kept['scheduleId'], confirm: true })],
  ['addPublishingGroup', () => ({ name: 'Trio', elements: [] })],
  ['updatePublishingGroup', () => ({ groupId: kept['groupId'], name: 'Duo' })],
  ['deletePublishingGroup', () => ({ groupId: kept['groupId'], confirm: true })],
  ['updateChannel', () => ({ channelId: FIRST_ID, name: 'Stage left' })],
  ['startLivestream', () => ({ livestreamId })],
  ['start_livestream', () => ({ livestream: 'Show' })],
  ['stopLivestream', () => ({ livestreamId })],
  ['stop_livestream', () => ({ livestream: 'Show', wait_seconds: 0 })],
);
/** Reads of what only a real run leaves behind: their words are tried in speech.spec.ts. */
const ELSEWHERE = new Set(['getRecordingTracks']);

describe('answers under the profile voice', () => {
  it('answers under the profile voice are tried of everything that it may call', () => {
    const tried = new Set(CALLS.map(([name]) => name));
    assert.deepEqual(
      callable.map(({ name }) => name).filter((name) => !tried.has(name) && !ELSEWHERE.has(name)),
      [],
    );
  });

  for (const [name, args] of CALLS) {
    if (!names.has(name)) continue;
    it(`a call of ${name} under the profile voice is answered by a sentence`, async (t) => {
      const result = await client.callTool({ name, arguments: args() });
      t.diagnostic(textOf(result));
      assert.notEqual(result.isError, true, textOf(result));
      assertSpeakable(result, name);
    });
  }
});

describe('refusals under the profile voice', () => {
  const WRONG: Record<string, unknown>[] = [
    {},
    { no_such: 1 },
    { livestreamId: 999_999, scheduleId: 999_999, groupId: 999_999, channelId: 999_999, logo: { filename: 'x.png' } },
    { livestream: 'No such show', destination: 'Web', path: 'primary', enabled: true },
    { livestream: 's', destination: 'Web', path: 'third', enabled: 'yes' },
    { livestreamId: 'Show', name: 'x'.repeat(300), start: 'tomorrow', fields: 'nothing', pageSize: 9999 },
  ];
  for (const { name } of callable) {
    it(`a wrong call of ${name} under the profile voice is refused in a sentence that says what to say next`, async () => {
      for (const args of WRONG) {
        const result = await client.callTool({ name, arguments: args });
        if (result.isError) assertSpeakable(result, `${name} ${JSON.stringify(args).slice(0, 60)}`);
      }
    });
  }

  for (const name of ['deleteLivestream', 'getAllUsers', 'update_destination_stream_key', 'makeCoffee']) {
    it(`a call of ${name} is forbidden under the profile voice, and refused in a sentence`, async (t) => {
      const result = await client.callTool({ name, arguments: { livestreamId } });
      t.diagnostic(textOf(result));
      assert.equal(result.isError, true);
      assertSpeakable(result, name);
    });
  }
});
