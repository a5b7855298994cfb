import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { PNG_BASE64, addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { wordsOf } from '../helpers/words.ts';

describe('Live streams', () => {
  let app: TestApp;
  let bound: Awaited<ReturnType<typeof addBroadcast>>;
  beforeEach(async () => {
    app = await startTestApp();
    bound = await addBroadcast(app);
  });
  afterEach(() => app.close());

  const encoding = async (name: string, codec: string): Promise<number> =>
    (await app.data('addEncoding', { name, settings_video: { codec } })).id;
  const publishing = async (name: string, type: string, settings: object = {}): Promise<number> =>
    (await app.data('addPublishing', { name, type, settings })).id;
  const setStatus = async (status: 0 | 1 | 2 | 3): Promise<void> => {
    await app.store.tx((tx) => {
      const { publishingId, encodingId } = bound;
      const run = {
        id: bound.livestreamId,
        desired: 'on' as const,
        status,
        errorstatus: status === 3 ? 'The encoder ended.' : null,
        since: '2026-01-01T00:00:00.000Z',
        started_at: '2026-01-01T00:00:00.000Z',
        runId: 'r',
        deviceId: app.deviceId,
        slot: 1,
        cost: 0.3,
        startConfig: [],
        boundPublishings: [publishingId],
        boundEncodings: [encodingId],
        scheduleId: null,
        requested_by: 'admin',
        lastEventSeq: 0,
      };
      if (tx.get('runs', run.id) === undefined) tx.insert('runs', run);
      else tx.put('runs', run);
    });
  };

  it('addLivestream creates a Live stream that is off, by the caller', async () => {
    const { channelId, encodingId, publishingId } = bound;
    const added = await app.call(
      'addLivestream',
      { name: 'l', channelId, encodingId, publishingId },
      { user: 'operator' },
    );
    assert.equal(added.status, 201);
    const { data } = added.body as { data: Record<string, unknown> };
    const { status, errorstatus, started_at, startConfig, created_by, fallback } = data;
    assert.deepEqual(
      { status, errorstatus, started_at, startConfig, created_by, fallback },
      {
        status: 0,
        errorstatus: null,
        started_at: null,
        startConfig: [],
        created_by: 'operator',
        fallback: { mode: 'slate', filename: null },
      },
    );
    assert.deepEqual((await app.call('getLivestreamById', { livestreamId: data['id'] })).body, added.body);
  });

  it('a Live stream keeps what a run is made of, also after it was unbound from its group', async () => {
    await setStatus(2);
    await app.store.tx((tx) => {
      const row = tx.get('livestreams', bound.livestreamId);
      assert.ok(row);
      tx.put('livestreams', { ...row, publishingId: null, encodingId: null });
    });
    const { publishingId, encodingId } = bound;
    await app.refused('in_use', 'deletePublishing', { publishingId });
    await app.refused('in_use', 'deleteEncoding', { encodingId });
    await setStatus(0);
    await app.call('deletePublishing', { publishingId });
    await app.call('deleteEncoding', { encodingId });
  });

  it('addLivestream refuses references to what does not exist, all in one answer', async () => {
    const error = await app.refused('rule_violated', 'addLivestream', {
      name: 'x',
      channelId: 91,
      encodingId: 92,
      publishingGroupId: 93,
      deviceId: 94,
    });
    assert.deepEqual(fieldsOf(error), ['channelId', 'encodingId', 'publishingGroupId', 'deviceId']);
    assert.match(error.message, /Channel 91.*Encoding 92.*Publishing group 93.*Device 94/u);
    const group = await app.refused('rule_violated', 'updateLivestream', {
      livestreamId: bound.livestreamId,
      idEncoderGroup: 3,
    });
    assert.deepEqual(fieldsOf(group), ['idEncoderGroup']);
  });

  it('a Live stream needs exactly one of each pair', async () => {
    const { channelId, encodingId, publishingId } = bound;
    const { id: encodingGroupId } = await app.data('addEncodingGroup', { name: 'g', elements: [encodingId] });
    const none = await app.refused('rule_violated', 'addLivestream', { name: 'x', channelId });
    assert.deepEqual(fieldsOf(none), ['encodingId', 'publishingId']);
    const both = await app.refused('rule_violated', 'addLivestream', {
      name: 'x',
      channelId,
      encodingId,
      encodingGroupId,
      publishingId,
    });
    assert.deepEqual(fieldsOf(both), ['encodingId']);
    const cleared = await app.refused('rule_violated', 'updateLivestream', {
      livestreamId: bound.livestreamId,
      encodingId: null,
    });
    assert.match(cleared.message, /exactly one of encodingId and encodingGroupId/u);
  });

  it('updateLivestream lets one of a pair clear the other, unless both are new', async () => {
    const { livestreamId, encodingId } = bound;
    const { id: encodingGroupId } = await app.data('addEncodingGroup', { name: 'g', elements: [encodingId] });
    const grouped = await app.data('updateLivestream', { livestreamId, encodingGroupId });
    assert.deepEqual([grouped['encodingId'], grouped['encodingGroupId']], [null, encodingGroupId]);
    const single = await app.data('updateLivestream', { livestreamId, encodingId, encodingGroupId });
    assert.deepEqual(
      [single['encodingId'], single['encodingGroupId']],
      [encodingId, null],
      'an unchanged value sent along is no wish',
    );
    const other = await encoding('other', 'h264');
    await app.refused('rule_violated', 'updateLivestream', { livestreamId, encodingId: other, encodingGroupId });
  });

  describe('AV1', () => {
    const RTMP = { url: 'rtmp://h/app' };
    for (const [type, settings] of Object.entries({
      'HLS / TS': {},
      RTMP,
      SRT: { url: 'srt://h:1' },
      STREAM: { url: 'udp://h:1' },
      'Enhanced RTMP': RTMP,
      Record: { container: 'ts' },
    })) {
      it(`AV1 is refused with ${type}`, async () => {
        const [encodingId, publishingId] = [await encoding('av1', 'av1'), await publishing('out', type, settings)];
        const error = await app.refused('rule_violated', 'addLivestream', {
          name: 'x',
          channelId: bound.channelId,
          encodingId,
          publishingId,
        });
        assert.match(error.message, /AV1 of Encoding.*; use a Publishing of type DASH, CMAF, Record \(/u);
      });
    }

    it('AV1 is taken with DASH, CMAF and a Record as mp4', async () => {
      const encodingId = await encoding('av1', 'av1');
      const elements = [await publishing('a', 'DASH'), await publishing('b', 'CMAF'), await publishing('d', 'Record')];
      const { id: publishingGroupId } = await app.data('addPublishingGroup', { name: 'g', elements });
      await app.data('addLivestream', { name: 'x', channelId: bound.channelId, encodingId, publishingGroupId });
    });

    it('AV1 is refused where a change would bring it together with a type that cannot carry it', async () => {
      const { channelId } = bound;
      const [h264, av1] = [await encoding('h264', 'h264'), await encoding('av1', 'av1')];
      const [rtmp, dash] = [await publishing('rtmp', 'RTMP', RTMP), await publishing('dash', 'DASH')];
      const ladder = (await app.data('addEncodingGroup', { name: 'ladder', elements: [h264] })).id;
      const outputs = (await app.data('addPublishingGroup', { name: 'outputs', elements: [dash] })).id;
      const [toRtmp] = [
        await app.data('addLivestream', { name: 'a', channelId, encodingGroupId: ladder, publishingId: rtmp }),
      ];
      await app.data('addLivestream', { name: 'b', channelId, encodingId: av1, publishingGroupId: outputs });

      await app.refused('rule_violated', 'updateLivestream', { livestreamId: toRtmp.id, encodingId: av1 });
      const byCodec = await app.refused('rule_violated', 'updateEncoding', {
        encodingId: h264,
        settings_video: { codec: 'av1' },
      });
      assert.match(byCodec.message, /in Live stream 2 "a"/u);
      await app.refused('rule_violated', 'updateEncodingGroup', { groupId: ladder, elements: [av1] });
      await app.refused('rule_violated', 'updatePublishing', { publishingId: dash, type: 'HLS / TS' });
      await app.refused('rule_violated', 'updatePublishingGroup', { groupId: outputs, elements: [dash, rtmp] });
    });
  });

  it('a Live stream refuses a logo or fallback that is not uploaded, and a crop that leaves nothing', async () => {
    const { livestreamId } = bound;
    const error = await app.refused('rule_violated', 'updateLivestream', {
      livestreamId,
      logo: { filename: 'none.png' },
      fallback: { mode: 'file' },
      crop: { left: 50, right: 50 },
    });
    assert.deepEqual(fieldsOf(error), ['logo.filename', 'fallback.filename', 'crop']);
    await app.data('uploadAsset', { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 });
    const changed = await app.data('updateLivestream', { livestreamId, logo: { filename: 'bug.png' } });
    assert.deepEqual(changed['logo'], { filename: 'bug.png', position: 'Top-Right' });
    assert.equal((await app.data('updateLivestream', { livestreamId, logo: null }))['logo'], null);
  });

  for (const status of [1, 2, 3] as const) {
    it(`a Live stream in status ${status} refuses edit and delete while it runs, naming state and what is allowed`, async () => {
      await setStatus(status);
      const { livestreamId } = bound;
      for (const [operation, args] of [
        ['updateLivestream', { name: 'new' }],
        ['deleteLivestream', {}],
      ] as const) {
        const error = await app.refused('wrong_state', operation, { livestreamId, ...args });
        assert.deepEqual(error.extras.facts, { state: status, allowed: [0, 3] });
      }
    });
  }

  it('deleteLivestream deletes the run along with the Live stream, and nothing else', async () => {
    await setStatus(0);
    const { livestreamId, channelId } = bound;
    assert.deepEqual(await app.data('deleteLivestream', { livestreamId }), { id: livestreamId, deleted: true });
    assert.equal(await app.store.get('runs', livestreamId), undefined);
    assert.ok(await app.store.get('channels', channelId));
    for (const operation of wordsOf(`
      getLivestreamById updateLivestream deleteLivestream getLivestreamStatus getLivestreamEvents
      getLivestreamStartConfig
    `)) {
      await app.refused('not_found', operation, { livestreamId });
    }
  });

  it('getAllLivestreams joins the run, and filters by status', async () => {
    const second = await addBroadcast(app, ' 2');
    const lists = async (): Promise<number[][]> =>
      Promise.all([0, 1, 2, 3].map((status) => app.ids('getAllLivestreams', { status })));
    assert.deepEqual(await lists(), [[bound.livestreamId, second.livestreamId], [], [], []]);
    await setStatus(3);
    assert.deepEqual(await lists(), [[second.livestreamId], [], [], [bound.livestreamId]]);
    const [failed] = await app.rows('getAllLivestreams', { status: 3 });
    assert.deepEqual(
      [failed?.['status'], failed?.['errorstatus'], failed?.['started_at']],
      [3, 'The encoder ended.', '2026-01-01T00:00:00.000Z'],
    );
    await setStatus(0);
    assert.deepEqual((await lists())[0], [bound.livestreamId, second.livestreamId]);
    await app.refused('invalid_input', 'getAllLivestreams', { status: 4 });
  });

  it('getAllLivestreams filters by each binding, by enabled and by name', async () => {
    const second = await addBroadcast(app, ' 2');
    await app.data('updateLivestream', {
      livestreamId: second.livestreamId,
      enabled: false,
      deviceId: app.deviceId,
    });
    const { id: publishingGroupId } = await app.data('addPublishingGroup', {
      name: 'g',
      elements: [bound.publishingId],
    });
    const { id: encodingGroupId } = await app.data('addEncodingGroup', { name: 'g', elements: [bound.encodingId] });
    for (const [field, value] of Object.entries({
      channelId: second.channelId,
      encodingId: second.encodingId,
      publishingId: second.publishingId,
      enabled: false,
      deviceId: app.deviceId,
      search: 'W 2',
    })) {
      assert.deepEqual(await app.ids('getAllLivestreams', { [field]: value }), [second.livestreamId], field);
    }
    await app.data('updateLivestream', { livestreamId: bound.livestreamId, publishingGroupId, encodingGroupId });
    for (const filter of [{ publishingGroupId }, { encodingGroupId }]) {
      assert.deepEqual(await app.ids('getAllLivestreams', filter), [bound.livestreamId]);
    }
  });

  it('tags group Live streams, whatever their case; lists filter by one and search in all', async () => {
    const { livestreamId } = bound;
    const second = await addBroadcast(app, ' 2');
    assert.deepEqual((await app.data('getLivestreamById', { livestreamId }))['tags'], []);
    const tagged = await app.data('updateLivestream', { livestreamId, tags: [' Studio 1 ', 'sport'] });
    assert.deepEqual(tagged['tags'], ['Studio 1', 'sport']);
    await app.data('updateLivestream', { livestreamId: second.livestreamId, tags: ['Sport'] });
    const both = [livestreamId, second.livestreamId];
    for (const [filter, ids] of [
      [{ tag: 'SPORT' }, both],
      [{ tag: 'sport', search: '2' }, [second.livestreamId]],
      [{ tag: 'studio 1' }, [livestreamId]],
      [{ tag: 'studio' }, []],
      [{ search: 'studio' }, [livestreamId]],
      [{ tag: 'sport', status: 0 }, both],
      [{ tag: 'sport', status: 2 }, []],
    ] as const) {
      assert.deepEqual(await app.ids('getAllLivestreams', filter), ids, JSON.stringify(filter));
      const statuses = await app.rows('getLivestreamsStatus', filter);
      assert.deepEqual(
        statuses.map((row) => row['livestreamId']),
        ids,
      );
    }
    for (const [tags, field, code] of [
      [['a', 'A'], 'tags.1', 'duplicate'],
      [['a', ' '], 'tags.1', 'too_short'],
      [['a'.repeat(31)], 'tags.0', 'too_long'],
      [Array.from({ length: 21 }, (_, n) => `t${n}`), 'tags', 'too_many'],
      [['a\u200bb'], 'tags.0', 'invisible_character'],
    ] as const) {
      const error = await app.refused('invalid_input', 'updateLivestream', { livestreamId, tags });
      assert.deepEqual([fieldsOf(error), error.extras.errors?.[0]?.code], [[field], code]);
    }
  });

  it('a Live stream from before there were tags has none', async () => {
    const { livestreamId } = bound;
    await app.store.tx((tx) => {
      const { tags: _, ...row } = tx.get('livestreams', livestreamId)!;
      tx.put('livestreams', row);
    });
    assert.deepEqual((await app.data('getLivestreamById', { livestreamId }))['tags'], []);
    assert.deepEqual(await app.ids('getAllLivestreams', { tag: 'news' }), []);
    await app.data('updateLivestream', { livestreamId, description: 'later' });
    assert.deepEqual((await app.rows('getAllLivestreams', {}))[0]?.['tags'], []);
  });

  it('getAllLivestreams embeds the Channel and the Destinations on request, secrets masked', async () => {
    const { livestreamId, publishingId } = bound;
    const other = await publishing('push', 'RTMP', { url: 'rtmp://h/app', stream_key: 'canary-stream-key' });
    const { id: publishingGroupId } = await app.data('addPublishingGroup', {
      name: 'g',
      elements: [other, publishingId],
    });
    await app.data('updateLivestream', { livestreamId, publishingGroupId });
    const plain = await app.rows('getAllLivestreams');
    assert.ok(!('channel' in (plain[0] ?? {})) && !('destinations' in (plain[0] ?? {})));
    for (const via of ['rest', 'mcp'] as const) {
      const [row] = await app.rows('getAllLivestreams', { includeChannel: true, includeDestinations: true }, { via });
      assert.equal((row?.['channel'] as { name: string }).name, 'Camera');
      assert.deepEqual(
        (row?.['destinations'] as { id: number }[]).map(({ id }) => id),
        [other, publishingId],
      );
      assert.ok(!JSON.stringify(row).includes('canary'));
    }
  });

  it('nothing is watched where video is copied, and what was set counts again once it is encoded', async () => {
    const { livestreamId, encodingId } = bound;
    const copied = await encoding('as it is', 'copy');
    const detectOf = async (): Promise<unknown> => (await app.data('getLivestreamById', { livestreamId }))['detect'];
    const before = await detectOf();
    assert.deepEqual(before, {
      silence: { level_db: -60, seconds: 5 },
      black: { seconds: 5 },
      frozen: { seconds: 10 },
    });
    const changed = await app.data('updateLivestream', { livestreamId, encodingId: copied });
    assert.equal(changed['detect'], null);
    assert.equal(await detectOf(), null);
    const listed = (await app.rows('getAllLivestreams', { fields: '*' })).find(({ id }) => id === livestreamId);
    assert.equal(listed?.['detect'], null);
    await app.data('updateLivestream', { livestreamId, encodingId, detect: null, description: 'sent back' });
    assert.deepEqual(await detectOf(), before);
  });
});
