/** setUpBroadcast on the whole application, with a Device in memory. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { COLLECTIONS, isHistory, type CollectionName } from '../../domain/ports/collections.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import type { Upload } from '../../toolkit/tool.ts';
import { fieldsOf } from '../app/calls.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { makeClip } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { wordsOf } from '../helpers/words.ts';

interface Step {
  operationId: string;
  state: string;
  id: number | null;
  name: string | null;
  detail: string;
}
type Made = any;

const ADDRESS = 'http://127.0.0.1:9/live/stream.m3u8';
const OPERATIONS = wordsOf(`
  uploadAsset addChannel addEncoding addEncodingGroup addPublishing addPublishingGroup addLivestream addSchedule
  start_livestream
`);

describe('setUpBroadcast', () => {
  let app: TestApp<Clock>;
  let before: Record<string, number[]>;
  /** Timers of the service hold no process; where nothing but time is waited for, this does. */
  let awake: NodeJS.Timeout;
  beforeEach(async () => {
    awake = setInterval(() => undefined, 1000);
    app = await startTestApp({ clock: systemClock });
    before = await rowsOf();
  });
  afterEach(async () => {
    clearInterval(awake);
    await app.close();
  });

  /** The ids of all rows but those of history. */
  async function rowsOf(): Promise<Record<string, number[]>> {
    const names = (Object.keys(COLLECTIONS) as CollectionName[]).filter((name) => !isHistory(name));
    const entries = names.map(async (name) => [name, (await app.store.find(name, {})).rows.map(({ id }) => id)]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, number[]>;
  }
  const filesOf = (): string[] => readdirSync(join(app.dir, 'files'), { recursive: true }).map(String).sort();
  async function assertNothingMade(): Promise<void> {
    assert.deepEqual(await rowsOf(), before);
    // A file goes after its row.
    await until('no file', () => filesOf().join() === '.incoming');
  }
  function clip(filename = 'opening night.mp4', size = ''): Upload {
    const content = readFileSync(makeClip(join(app.dir, `made${size}.mp4`), 1, '640x360'));
    return { filename, content: new Blob([content]).stream() };
  }
  const setUp = async (args: object, options: object = {}): Promise<Made> => app.data('setUpBroadcast', args, options);
  async function newRun(known: readonly string[] = []): Promise<string> {
    return until('the run at the Device', () => app.device.runIds.find((id) => !known.includes(id)));
  }
  const stepsOf = ({ steps }: { steps?: unknown }): string[] =>
    (steps as Step[]).map(({ operationId, state }) => `${operationId} ${state}`);

  const setCores = (cores: number): Promise<void> =>
    app.store.tx((tx) => tx.put('devices', { ...tx.get('devices', app.deviceId)!, cores }));

  it('a dropped video is on air: Asset, Channel, a ladder within its size, Destination and Live stream, each told as a step', async () => {
    const answer = app.call('setUpBroadcast', { filename: 'opening night.mp4' }, { upload: clip(), user: 'operator' });
    const runId = await newRun();
    app.device.running(runId, { watch: [{ publishingId: 1, path: '/live/1/1/index.m3u8' }] });
    const reply = await answer;
    const data = (reply.body as { data: Made }).data;
    assert.equal(reply.status, 201);
    assert.deepEqual(
      { ...data, steps: undefined },
      {
        id: 1,
        name: 'opening night',
        status: 2,
        on_air: true,
        message: '"opening night" is on air.',
        steps: undefined,
        made: { assetId: 1, channelId: 1, encodings: [1], encodingGroupId: 1, publishingId: 1, livestreamId: 1 },
        warnings: [],
        watch: [
          {
            publishingId: 1,
            name: 'opening night web',
            type: 'HLS / TS',
            url: 'http://127.0.0.1:8091/live/1/1/index.m3u8',
            device_url: null,
            expires_at: null,
          },
        ],
        watch_page: `http://onair.example/watch?src=${encodeURIComponent('http://127.0.0.1:8091/live/1/1/index.m3u8')}`,
      },
    );
    assert.deepEqual(
      data.steps.map(({ operationId, state, id, name }: Step) => [operationId, state, id, name]),
      [
        ['uploadAsset', 'done', 1, 'opening night.mp4'],
        ['addChannel', 'done', 1, 'opening night'],
        ['addEncoding', 'done', 1, 'opening night 360p'],
        ['addEncodingGroup', 'done', 1, 'opening night ladder'],
        ['addPublishing', 'done', 1, 'opening night web'],
        ['addLivestream', 'done', 1, 'opening night'],
        ['start_livestream', 'done', 1, 'opening night'],
      ],
    );
    const stream = await app.data('getLivestreamById', { livestreamId: 1 });
    assert.equal(stream['created_by'], 'operator');
    const [entry] = await app.rows('getAuditLog', { operation: 'setUpBroadcast' });
    assert.deepEqual([entry?.['resource'], entry?.['resource_id']], ['Live streams', 1]);
  });

  it('a set-up that has come on air stays when it fails later', async () => {
    const answer = setUp({ address: ADDRESS });
    const runId = await newRun();
    app.device.running(runId);
    const { id } = await answer;
    app.device.failed(runId, 'The disk is full.');
    await until('status 3', async () => (await app.store.get('runs', id))?.row.ended);
    assert.equal((await app.data('getLivestreamById', { livestreamId: id })).id, id);
  });

  it('a name that nobody gave gets a number where it is taken, the same one for all that is made', async () => {
    await app.data('addChannel', { name: 'HTTP 127.0.0.1:9', type: 'Stream', settings: { url: ADDRESS } });
    await app.data('addEncoding', { name: 'HTTP 127.0.0.1:9 2 720p' });
    const { name, steps } = await setUp({ address: ADDRESS, wait_seconds: 0 });
    const third = 'HTTP 127.0.0.1:9 3';
    assert.equal(name, third);
    assert.deepEqual(
      steps.map((step: Step) => step.name),
      [null, third, `${third} 720p`, `${third} 360p`, `${third} ladder`, `${third} web`, third, third],
    );
    const long = 'x'.repeat(100);
    const first = await setUp({ name: long, address: ADDRESS, dry_run: true });
    assert.equal(first.name, long);
    assert.ok(first.steps.every((step: Step) => (step.name ?? '').length <= 100));
  });

  it('a name that was given is that of the Live stream, refused where one has it, with the call that starts that one', async () => {
    await app.data('addChannel', { name: 'Sunday', type: 'Stream', settings: { url: ADDRESS } });
    const { made, name } = await setUp({ name: 'Sunday', address: ADDRESS, start: false });
    assert.equal(name, 'Sunday');
    assert.equal((await app.store.get('channels', made.channelId))?.row.name, 'Sunday 2');
    before = await rowsOf();
    const corrected_call = { name: 'start_livestream', arguments: { livestream: 'Sunday' } };
    for (const [args, facts] of [
      [{}, { corrected_call }],
      [{ dry_run: true }, { corrected_call }],
      [{ start: false }, {}],
    ]) {
      const source = { upload: clip() };
      const error = await app.refused('conflict', 'setUpBroadcast', { name: 'Sunday', ...args }, source);
      const { steps: _steps, failed_step, ...others } = error.extras.facts!;
      assert.deepEqual([failed_step, others], ['addLivestream', facts]);
      await assertNothingMade();
    }
  });

  it('a file whose name is taken is kept under another name, and an Asset that is there is used as it is', async () => {
    await setUp({ filename: 'a.mp4', wait_seconds: 0 }, { upload: clip('a.mp4') });
    const second = await setUp({ filename: 'a.mp4', name: 'B', wait_seconds: 0 }, { upload: clip('a.mp4') });
    assert.equal(second.steps[0].name, 'a-2.mp4');
    const third = await setUp({ filename: 'a-2.mp4', name: 'C', wait_seconds: 0 });
    assert.deepEqual(third.steps[0].state, 'skipped');
    assert.equal(third.made.assetId, null);
    const { settings } = (await app.store.get('channels', third.made.channelId))!.row;
    assert.equal(settings.filename, 'a-2.mp4');
  });

  it('content_base64 under a filename is an upload', async () => {
    const content_base64 = readFileSync(makeClip(join(app.dir, 'made.mp4'), 1, '640x360')).toString('base64');
    const { made, name } = await setUp({ filename: 'b.mp4', content_base64, wait_seconds: 0 }, { via: 'mcp' });
    assert.equal(name, 'b');
    assert.equal((await app.store.get('assets', made.assetId))?.row.filename, 'b.mp4');
  });

  it('dry_run answers the steps with their names and makes nothing, also where a file came', async () => {
    const fromAddress = await app.call('setUpBroadcast', { address: ADDRESS, dry_run: true });
    assert.equal(fromAddress.status, 200);
    const { data } = fromAddress.body as { data: Made };
    assert.equal(data.id, null);
    assert.equal(data.status, 0);
    assert.match(data.message, /can be set up and put on air\. Nothing was done yet\./u);
    assert.equal(data.steps.length, 8);
    assert.ok(data.steps.every(({ id, state }: Step) => id === null && state !== 'done'));
    const fromFile = await setUp({ filename: 'a.mp4', dry_run: true }, { upload: clip('a.mp4') });
    assert.deepEqual(fromFile.steps[2], {
      operationId: 'addEncoding',
      state: 'planned',
      id: null,
      name: 'a 360p',
      detail: '360 lines, 1100 kbit/s.',
    });
    await assertNothingMade();
    assert.deepEqual(app.device.calls, []);
  });

  const REFUSED: [string, object, string, string, string][] = [
    ['nothing was sent', {}, 'invalid_input', '', 'address'],
    ['a file and an address were sent', { address: ADDRESS, filename: 'a.mp4' }, 'invalid_input', '', 'address'],
    ['the address is none', { address: 'camera one' }, 'invalid_input', 'addChannel', 'address'],
    ['the scheme is not known', { address: 'rtsp2://127.0.0.1/1' }, 'invalid_input', 'addChannel', 'address'],
    ['an SRT address has no port', { address: 'srt://127.0.0.1' }, 'invalid_input', 'addChannel', 'address'],
    ['a UDP address has no port', { address: 'udp://127.0.0.1' }, 'invalid_input', 'addChannel', 'address'],
    ['there is no such Asset', { filename: 'none.mp4' }, 'rule_violated', 'addChannel', 'filename'],
    ['there is no such Device', { address: ADDRESS, deviceId: 99 }, 'rule_violated', 'addLivestream', 'deviceId'],
  ];
  for (const [title, args, code, failed, field] of REFUSED) {
    it(`${title}: nothing is made, and the error names the step and the field`, async () => {
      const error = await app.refused(code as 'invalid_input', 'setUpBroadcast', args);
      assert.equal(error.extras.facts?.['failed_step'] ?? '', failed);
      assert.deepEqual(fieldsOf(error), [field]);
      await assertNothingMade();
    });
  }

  it('what is no video is refused at the upload, and neither file nor row is left', async () => {
    const text = { filename: 'notes.mp4', content: new Blob(['not a video']).stream() };
    const error = await app.refused('unsupported_media', 'setUpBroadcast', {}, { upload: text });
    assert.match(error.message, /^Nothing was set up, because uploadAsset failed\. The file is no media file/u);
    assert.deepEqual(
      stepsOf(error.extras.facts!),
      OPERATIONS.map((name) => `${name} ${name === 'uploadAsset' ? 'failed' : 'skipped'}`),
    );
    await assertNothingMade();
  });

  it('where no Device has room, what was made stays, and the refused start names it', async () => {
    await setCores(0.1);
    const error = await app.refused('no_capacity', 'setUpBroadcast', {}, { upload: clip() });
    const { failed_step, livestreamId, steps } = error.extras.facts as Made;
    assert.deepEqual([failed_step, livestreamId], ['start_livestream', 1]);
    assert.match(error.message, /^"opening night" is set up, but it is not on air\. /u);
    assert.equal(steps.at(-1).state, 'failed');
    assert.equal((await app.rows('getAllLivestreams')).length, 1);
    assert.deepEqual(filesOf(), ['.incoming', 'opening night.mp4']);
  });

  it('where the cores do not carry the whole ladder, it is made of the smaller renditions', async () => {
    await setCores(0.4);
    const { steps, made } = await setUp({ address: ADDRESS, wait_seconds: 0 });
    assert.deepEqual(
      steps.filter(({ operationId }: Step) => operationId === 'addEncoding').map(({ name }: Step) => name),
      ['HTTP 127.0.0.1:9 360p'],
    );
    assert.equal((await app.rows('getAllEncodings')).length, 1);
    const group = (await app.store.get('encodingGroups', made.encodingGroupId))!.row;
    assert.deepEqual(group.elements, made.encodings);
    await setCores(0.01);
    const full = await app.refused('no_capacity', 'setUpBroadcast', { address: ADDRESS, name: 'Second' });
    assert.ok((full.extras.facts as Made).made.encodings.length > 1, 'a Device that takes nothing leaves it whole');
  });

  it('a start that fails leaves what was made, and the error quotes why', async () => {
    const refused = app.refused('upstream_failed', 'setUpBroadcast', {}, { upload: clip() });
    app.device.failed(await newRun(), 'Connection to tcp://10.0.0.9 refused');
    const error = await refused;
    const { failed_step, made, steps } = error.extras.facts as Made;
    assert.equal(failed_step, 'start_livestream');
    assert.equal(error.extras.upstream, 'Connection to tcp://10.0.0.9 refused');
    assert.match(error.extras.remedy ?? '', /^What was made stays\./u);
    assert.equal((steps as Step[]).at(-1)?.state, 'failed');
    assert.ok((steps as Step[]).slice(0, -1).every(({ state }) => state === 'done'));
    const stream = await app.data('getLivestreamById', { livestreamId: made.livestreamId });
    assert.equal(stream['status'], 3);
    assert.deepEqual(filesOf(), ['.incoming', 'opening night.mp4']);
  });

  it('a set-up that somebody stops before it is on air stays as well, and its caller is told', async () => {
    const refused = app.refused('conflict', 'setUpBroadcast', { address: ADDRESS });
    await newRun();
    await app.data('stopLivestream', { livestreamId: 1 });
    assert.match((await refused).message, /was stopped by another caller/u);
    assert.equal((await app.rows('getAllLivestreams')).length, 1);
  });

  it('a retry under the same Idempotency-Key gets the same set-up, while it starts and once it is on air', async () => {
    const keyed = { idempotencyKey: 'first' };
    const first = await app.call('setUpBroadcast', { address: ADDRESS, wait_seconds: 0 }, keyed);
    assert.equal(first.status, 202);
    const again = app.call('setUpBroadcast', { address: ADDRESS, wait_seconds: 0 }, keyed);
    assert.deepEqual((await again).body, first.body);
    app.device.running(await newRun());
    await until('status 2', async () => (await app.store.get('runs', 1))?.row.status === 2);
    const onAir = await app.call('setUpBroadcast', { address: ADDRESS, wait_seconds: 0 }, keyed);
    assert.equal((onAir.body as { data: Made }).data.on_air, true);
    assert.equal(onAir.replayed, false);
    const replay = await app.call('setUpBroadcast', { address: ADDRESS, wait_seconds: 0 }, keyed);
    assert.deepEqual([replay.replayed, replay.body], [true, onAir.body]);
    assert.equal((await app.rows('getAllLivestreams')).length, 1);
  });

  it('a retry after a failed start hears of the same failure, and nothing is made twice', async () => {
    const keyed = { idempotencyKey: 'second' };
    const refused = app.refused('upstream_failed', 'setUpBroadcast', { address: ADDRESS }, keyed);
    app.device.failed(await newRun(), 'no answer');
    await refused;
    const again = await app.refused('upstream_failed', 'setUpBroadcast', { address: ADDRESS }, keyed);
    assert.equal(again.extras.upstream, 'no answer');
    assert.equal((await app.rows('getAllLivestreams')).length, 1);
  });

  it('an Operator may set up; under the profile readonly nobody may', async () => {
    await app.data('setUpBroadcast', { address: ADDRESS, dry_run: true }, { user: 'operator' });
    await app.refused('profile_forbidden', 'setUpBroadcast', { address: ADDRESS }, { profile: 'readonly' });
  });
});
