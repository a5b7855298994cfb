/** setUpBroadcast with all that it can be told: where to, quality, Recording, time, source; what it refuses and takes back. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { AppError } from '../../domain/base/errors.ts';
import { ROLE } from '../../domain/shapes/installation/security.ts';
import { profileByName } from '../../profiles/profiles.ts';
import type { Call } from '../../toolkit/call.ts';
import type { Upload } from '../../toolkit/tool.ts';
import { fieldsOf } from '../app/calls.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { makeClip } from '../helpers/service.ts';

type Made = any;

const ADDRESS = 'http://127.0.0.1:9/live/stream.m3u8';
const LATER = { start_at: '2099-01-01T10:00:00', end_at: '2099-01-01T11:00:00' };

describe('the plan of a set-up', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const setUp = async (args: object, options: object = {}): Promise<Made> =>
    app.data('setUpBroadcast', { address: ADDRESS, start: false, ...args }, options);
  const rowOf = (operation: string, args: object): Promise<Made> => app.data(operation, args);
  const isDone = ({ state }: { state: string }): boolean => state === 'done';
  function clip(): Upload {
    const content = readFileSync(makeClip(join(app.dir, 'made.mp4'), 1, '640x360'));
    return { filename: 'clip.mp4', content: new Blob([content]).stream() };
  }
  const filesOf = (): string[] => readdirSync(join(app.dir, 'files'), { recursive: true }).map(String);

  it('a template gives type and address, the key is kept masked, and one rendition is made', async () => {
    const { made, steps, status, message } = await setUp({
      name: 'Talk',
      template: 'youtube',
      stream_key: 'abcd-1234',
    });
    assert.deepEqual([status, message], [0, '"Talk" is set up.']);
    const out = await rowOf('getPublishingById', { publishingId: made.publishingId });
    assert.deepEqual(
      [out.name, out.type, out.template, out.settings.url, out.settings.stream_key],
      ['Talk YouTube', 'RTMP', 'youtube', 'rtmps://a.rtmps.youtube.com:443/live2', '****1234'],
    );
    assert.equal(made.encodings.length, 1);
    assert.doesNotMatch(JSON.stringify(steps), /abcd/u);
    assert.equal(steps.at(-1).state, 'skipped');
  });

  it('an address alone says the type; a template without one asks for it by name', async () => {
    const types = ['rtmps://in.example.test/app', 'srt://in.example.test:9000', 'udp://239.1.1.1:5000'];
    for (const url of types) {
      const { made } = await setUp({ url });
      const { type, template } = await rowOf('getPublishingById', { publishingId: made.publishingId });
      assert.deepEqual([type, template], [{ r: 'RTMP', s: 'SRT', u: 'STREAM' }[url[0]!], null]);
    }
    const missing = await app.refused('invalid_input', 'setUpBroadcast', { address: ADDRESS, template: 'tiktok' });
    assert.deepEqual(fieldsOf(missing), ['url']);
    assert.match(missing.message, /TikTok/u);
    await app.refused('invalid_input', 'setUpBroadcast', { address: ADDRESS, url: 'gopher://a' });
  });

  it('several Destinations are a group with names of their own, and the one that is refused is named', async () => {
    const two = [{ template: 'youtube', stream_key: 'abcd-1234' }, { url: 'rtmp://in.example.test/a' }];
    const destinations = [...two, { url: 'rtmp://in.example.test/b' }, {}];
    const { made, steps } = await setUp({ name: 'Many', destinations, record: true });
    const all = await app.rows('getAllPublishings');
    assert.deepEqual(
      all.map(({ name }) => name),
      ['Many YouTube', 'Many out', 'Many out 2', 'Many web', 'Many record'],
    );
    assert.deepEqual(
      made.publishings,
      all.slice(0, -1).map(({ id }) => id),
    );
    const [group] = await app.rows('getAllPublishingGroups');
    assert.deepEqual([group!['id'], group!['elements']], [made.publishingGroupId, all.map(({ id }) => id)]);
    assert.ok(made.encodings.length > 1, 'viewers of the HLS choose');
    assert.equal(steps.filter(({ operationId }: Made) => operationId === 'addPublishing').length, 5);
    for (const [sent, field] of [
      [{ url: 'rtmp://in.example.test/a', destinations: two }, 'destinations'],
      [{ destinations: [...two, { template: 'tiktok' }] }, 'destinations.2.url'],
      [
        { destinations: [...two, { url: 'rtmp://in.example.test/c', stream_key: '****' }] },
        'destinations.2.stream_key',
      ],
    ] as const) {
      const refused = await app.refused('invalid_input', 'setUpBroadcast', { address: ADDRESS, name: 'No', ...sent });
      assert.deepEqual(fieldsOf(refused), [field]);
    }
  });

  it('a quality is the ladder of the preset, whole for viewers', async () => {
    const { made, name } = await setUp({ name: 'Show', quality: '720p' });
    assert.equal(name, 'Show');
    const rows = await Promise.all(
      made.encodings.map((encodingId: number) => rowOf('getEncodingById', { encodingId })),
    );
    assert.deepEqual(
      rows.map((row: Made) => [row.name, row.settings_video.bitrate]),
      [
        ['Show 720p', 3000],
        ['Show 480p', 1200],
        ['Show 360p', 700],
      ],
    );
  });

  it('record binds a Record Destination beside the other one', async () => {
    const { made, steps } = await setUp({ name: 'Kept', record: true });
    const group = await app.rows('getAllPublishingGroups');
    assert.deepEqual(group[0]!['elements'], [made.publishingId, made.recordPublishingId]);
    const record = await rowOf('getPublishingById', { publishingId: made.recordPublishingId });
    assert.deepEqual([record.type, record.name], ['Record', 'Kept record']);
    const stream = await rowOf('getLivestreamById', { livestreamId: made.livestreamId });
    assert.deepEqual([stream.publishingId, stream.publishingGroupId], [null, made.publishingGroupId]);
    assert.equal(steps.filter(isDone).length, 8);
  });

  it('a time makes a Schedule by the clock of the zone, and starts nothing before it', async () => {
    const data = (
      await app.call('setUpBroadcast', {
        address: ADDRESS,
        name: 'Mass',
        ...LATER,
        recurrence: 'weekly',
        timezone: 'Europe/Zurich',
      })
    ).body as { data: Made };
    const { made, status } = data.data;
    assert.equal(status, 0);
    const schedule = await rowOf('getScheduleById', { scheduleId: made.scheduleId });
    assert.deepEqual(
      [schedule.start, schedule.recurrence.type, schedule.livestreamId],
      ['2099-01-01T09:00:00.000Z', 'weekly', made.livestreamId],
    );
    const half = await app.refused('invalid_input', 'setUpBroadcast', { address: ADDRESS, start_at: LATER.start_at });
    assert.deepEqual(fieldsOf(half), ['end_at']);
  });

  it('parts that there are already are bound by id or name, and not made again', async () => {
    const { id: channelId } = await app.data('addChannel', { name: 'Cam', type: 'Stream', settings: { url: ADDRESS } });
    const encoding = await app.data('addEncoding', { name: 'Small', settings_video: { height: 360 } });
    const ladder = await app.data('addEncodingGroup', { name: 'Rungs', elements: [encoding.id] });
    const site = await app.data('addPublishing', { name: 'Site', type: 'HLS / TS' });
    const archive = await app.data('addPublishing', { name: 'Archive', type: 'HLS / TS' });
    const group = await app.data('addPublishingGroup', { name: 'All', elements: [site.id, archive.id] });
    const counts = (): Promise<number[]> =>
      Promise.all(
        ['getAllChannels', 'getAllEncodings', 'getAllPublishings', 'getAllPublishingGroups'].map(
          async (list) => (await app.rows(list)).length,
        ),
      );
    const taken = { address: undefined, channelId: 'cam' };
    const bound = async (args: object): Promise<Made> => {
      const { made } = await setUp({ ...taken, ...args });
      const row = await rowOf('getLivestreamById', { livestreamId: made.livestreamId });
      return [row.channelId, row.encodingId, row.encodingGroupId, row.publishingId, row.publishingGroupId];
    };
    assert.deepEqual(await bound({ encodingId: 'Small', publishingId: 'Arch' }), [
      channelId,
      encoding.id,
      null,
      archive.id,
      null,
    ]);
    assert.deepEqual(await bound({ encodingGroupId: ladder.id, publishingGroupId: 'all' }), [
      channelId,
      null,
      ladder.id,
      null,
      group.id,
    ]);
    assert.deepEqual(await counts(), [1, 1, 2, 1]);

    const destinations = [{ publishingId: 'Site' }, { url: 'rtmp://in.example.test/a' }];
    const mixed = await setUp({ ...taken, name: 'Mixed', encodingId: encoding.id, destinations, record: true });
    const groups = await app.rows('getAllPublishingGroups');
    const all = groups.find(({ id }: Made) => id === mixed.made.publishingGroupId) as Made;
    assert.deepEqual(all.elements, [site.id, mixed.made.publishings[1], mixed.made.recordPublishingId]);
    assert.deepEqual(
      mixed.steps.filter(({ state }: Made) => state === 'skipped').map(({ name }: Made) => name),
      [null, 'Cam', 'Small', 'Site', null],
    );
    const recorded = await setUp({ ...taken, publishingGroupId: group.id, encodingId: encoding.id, record: true });
    assert.notEqual(recorded.made.publishingGroupId, group.id);

    await app.refused('not_found', 'setUpBroadcast', { channelId: 99 });
    const gone = await app.refused('not_found', 'setUpBroadcast', { channelId, encodingId: 99 });
    assert.equal(gone.extras.facts?.['failed_step'], 'addEncoding');
    const unknown = await app.refused('not_found', 'setUpBroadcast', {
      channelId,
      destinations: [{ publishingId: 'Syte' }],
    });
    const { nearest } = unknown.extras.facts as Made;
    assert.deepEqual(nearest[0].call.arguments, { channelId, destinations: [{ publishingId: 'Site' }] });
    for (const [both, field] of [
      [{ publishingId: 'Site', url: 'rtmp://a.example.test/a' }, 'publishingId'],
      [{ publishingGroupId: 'All', destinations }, 'publishingGroupId'],
      [{ encodingId: 'Small', quality: '720p' }, 'encodingId'],
      [{ destinations: [destinations[0], destinations[0]] }, 'destinations.1.publishingId'],
    ] as const)
      assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'setUpBroadcast', { channelId, ...both })), [field]);
  });

  it('an ingest listens for an encoder, on air with the fallback until it comes', async () => {
    const push = await setUp({ address: undefined, ingest: 'rtmp-push', name: 'Push' });
    assert.match(push.message, /waits for the encoder: send to rtmp:.*viewers see the fallback/u);
    assert.equal(push.warnings.at(-1).code, 'ingest', 'no other machine can reach it');
    const srt = await setUp({ address: undefined, ingest: 'srt-listen', name: 'Srt' });
    const more = await setUp({ address: undefined, ingest: 'srt-listen', name: 'More' });
    const channels = await Promise.all(
      [push, srt, more].map(({ made }) => rowOf('getChannelById', { channelId: made.channelId })),
    );
    assert.deepEqual(
      channels.map(({ type, settings }) => [type, settings.mode ?? settings.app, settings.port]),
      [
        ['RTMP-Push', 'live', undefined],
        ['SRT', 'listener', 9000],
        ['SRT', 'listener', 9001],
      ],
    );
    const stream = await rowOf('getLivestreamById', { livestreamId: push.made.livestreamId });
    assert.equal(stream.startWithoutSource, 'fallback');
  });

  it('a dry run looks at the source, unless there is nothing to look at, no time for it, or no right to', async () => {
    const look = (args: object, options: object = {}): Promise<Made> =>
      setUp({ ...args, dry_run: true }, options).then(({ source }) => source);
    const silent = await look({});
    assert.equal(silent.probe, null);
    assert.match(silent.message, /\w+\.$/u);
    assert.equal(await look({ address: undefined, ingest: 'rtmp-push' }), null);
    assert.equal(await look({ address: 'srt://0.0.0.0:9100?mode=listener' }), null);
    assert.equal(await look({ wait_seconds: 0 }), undefined);
    assert.equal((await setUp({})).source, undefined);
  });

  it('a dry run shows the whole plan with its warnings and makes nothing', async () => {
    const args = { template: 'x', url: 'rtmps://in.example.test/x', quality: '1080p60', record: true, ...LATER };
    const { steps, warnings, id, message } = await setUp({ ...args, dry_run: true });
    assert.equal(id, null);
    assert.match(message, /Nothing was done yet/u);
    assert.deepEqual(
      steps.map(({ operationId }: Made) => operationId),
      [
        ...['uploadAsset', 'addChannel', 'addEncoding', 'addEncodingGroup', 'addPublishing', 'addPublishing'],
        ...['addPublishingGroup', 'addLivestream', 'addSchedule', 'start_livestream'],
      ],
    );
    assert.match(message, /On air from \w+day \d+ \w+ .*at \d\d:\d\d to /u);
    assert.deepEqual(
      warnings.map(({ code, publishingId }: Made) => [code, publishingId]),
      [['stream_key', null]],
    );
    for (const list of ['getAllLivestreams', 'getAllChannels', 'getAllPublishings', 'getAllSchedules'])
      assert.deepEqual(await app.rows(list), []);
  });

  const PLANTED: [string, object, string, string][] = [
    [
      'the Destination',
      { template: 'rtmp', url: 'rtmp://in.example.test/app', stream_key: '****' },
      'addPublishing',
      'stream_key',
    ],
    ['the Live stream', { deviceId: 99 }, 'addLivestream', 'deviceId'],
    ['the Schedule', { ...LATER, end_at: '2098-01-01T00:00:00' }, 'addSchedule', 'end_at'],
  ];
  for (const [what, args, failed, field] of PLANTED) {
    it(`${what} that is refused takes everything back, the uploaded file too, and the error says so`, async () => {
      const code = failed === 'addPublishing' ? 'invalid_input' : 'rule_violated';
      const error = await app.refused(code, 'setUpBroadcast', { start: false, ...args }, { upload: clip() });
      assert.match(error.message, new RegExp(`^Nothing was set up, because ${failed} failed`, 'u'));
      assert.deepEqual([error.extras.facts?.['failed_step'], fieldsOf(error)], [failed, [field]]);
      for (const list of ['getAllLivestreams', 'getAllChannels', 'getAllPublishings', 'getAllEncodings', 'listAssets'])
        assert.deepEqual(await app.rows(list), [], list);
      assert.doesNotMatch(filesOf().join(), /mp4/u);
    });
  }

  for (const step of ['uploadAsset', 'addPublishingGroup', 'addSchedule'])
    it(`who may not call ${step} is refused before the first step`, async () => {
      const full = profileByName('full');
      const profile = {
        ...full,
        name: 'part',
        allows: (tool: Parameters<typeof full.allows>[0]) => tool.name !== step,
      };
      const args = { start: false, record: true, ...LATER };
      const caller = { userId: app.users.admin, username: 'admin', role: ROLE.admin, api: true, tokenKid: 'kid' };
      const call = { operation: 'setUpBroadcast', args, caller, via: 'rest', profile, requestId: 'r', upload: clip() };
      const error = await app.dispatcher.dispatch(call as unknown as Call).then(
        () => assert.fail('it was not refused'),
        (refusal: AppError) => refusal,
      );
      assert.equal(error.code, 'profile_forbidden');
      assert.equal(error.extras.facts?.['operation'], step);
      assert.deepEqual(await app.rows('getAllLivestreams'), []);
      assert.doesNotMatch(filesOf().join(), /mp4/u);
    });
});
