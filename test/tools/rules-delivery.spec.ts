/** Settings of a Destination or a source that could never work are refused when they are saved, by their field; rows stored before are not started. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

type Settings = Record<string, unknown>;
const settingsOf = (row: Row): Settings => row['settings'] as Settings;

describe('rules of delivery', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const add = (type: string, settings: object, rest: object = {}): object => ({ name: 'x', type, settings, ...rest });
  /** As an earlier version stored it. */
  const store = (id: number, settings: Partial<Publishing['settings']>): Promise<unknown> =>
    app.store.tx((tx) => {
      const row = tx.get('publishings', id)!;
      tx.put('publishings', { ...row, settings: { ...row.settings, ...settings } });
    });

  describe('a passphrase of SRT', () => {
    const PASSPHRASE = 'walk-secret-phrase';
    const srt = { host: '127.0.0.1', port: 9000, mode: 'listener', passphrase: PASSPHRASE };
    const of = {
      Channel: (settings: object) => add('SRT', { ...srt, ...settings }),
      Publishing: (settings: object) =>
        add('SRT', { url: 'srt://h:9000', srt: { passphrase: PASSPHRASE, ...settings } }),
    };
    const shown = (settings: Settings): Settings => (settings['srt'] as Settings | undefined) ?? settings;

    for (const noun of ['Channel', 'Publishing'] as const) {
      const field = noun === 'Channel' ? 'settings.encryption' : 'settings.srt.encryption';
      const idOf = ({ id }: Row): object => (noun === 'Channel' ? { channelId: id } : { publishingId: id });
      const patch = (settings: object): object => (noun === 'Channel' ? { settings } : { settings: { srt: settings } });
      const update = (row: Row, settings: object): Promise<Row> =>
        app.data(`update${noun}`, { ...idOf(row), ...patch(settings) });
      const encryptionOf = (row: Row): unknown => shown(settingsOf(row))['encryption'];

      it(`a passphrase means 128 bits in a ${noun} that names no encryption, and a longer key where one is named`, async () => {
        const added = await app.data(`add${noun}`, of[noun]({}));
        assert.deepEqual([encryptionOf(added), shown(settingsOf(added))['has_passphrase']], [128, true]);
        assert.equal(encryptionOf(await update(added, { encryption: 256 })), 256);
        assert.equal(encryptionOf(await update(added, { passphrase: 'another-phrase' })), 256, 'it stays');
      });

      it(`a passphrase sent to a ${noun} that was in the clear encrypts it`, async () => {
        const added = await app.data(`add${noun}`, of[noun]({ passphrase: noun === 'Channel' ? undefined : null }));
        assert.equal(encryptionOf(added), 0);
        assert.equal(encryptionOf(await update(added, { passphrase: PASSPHRASE })), 128);
        assert.equal(encryptionOf(await update(added, { passphrase: null, encryption: 0 })), 0);
      });

      it(`a passphrase and encryption 0 in one ${noun} are refused`, async () => {
        const error = await app.refused('rule_violated', `add${noun}`, of[noun]({ encryption: 0 }));
        assert.deepEqual(fieldsOf(error), [field]);
        assert.match(error.message, /is 0 beside a passphrase/u);
        const added = await app.data(`add${noun}`, of[noun]({}));
        for (const sent of [{ encryption: 0 }, { encryption: 0, passphrase: 'another-phrase' }]) {
          const refused = await app.refused('rule_violated', `update${noun}`, { ...idOf(added), ...patch(sent) });
          assert.deepEqual(fieldsOf(refused), [field]);
        }
      });
    }

    it('a passphrase that an earlier version stored beside encryption 0 is shown as it is used', async () => {
      const channel = await app.data('addChannel', of.Channel({}));
      const publishing = await app.data('addPublishing', of.Publishing({}));
      await store(publishing.id, { srt: { latency_ms: 200, passphrase: PASSPHRASE, encryption: 0 } });
      await app.store.tx((tx) => {
        const row = tx.get('channels', channel.id) as Channel;
        tx.put('channels', { ...row, settings: { ...row.settings, encryption: 0 } });
      });
      const again = await app.data('getPublishingById', { publishingId: publishing.id });
      assert.equal(shown(settingsOf(again))['encryption'], 128);
      const source = await app.data('getChannelById', { channelId: channel.id });
      assert.equal(settingsOf(source)['encryption'], 128);
      const renamed = await app.data('updatePublishing', { publishingId: publishing.id, name: 'y' });
      assert.equal(shown(settingsOf(renamed))['encryption'], 128);
    });
  });

  const LONG_KEY = '€'.repeat(200);
  const WIDE = 'ü'.repeat(60);
  const UNDELIVERABLE: [
    rule: string,
    type: Publishing['type'],
    settings: Partial<Publishing['settings']>,
    field: string,
  ][] = [
    ['STREAM without a port', 'STREAM', { url: 'udp://239.1.1.1' }, 'url'],
    ['STREAM to port 0', 'STREAM', { url: 'udp://127.0.0.1:0' }, 'url'],
    ['STREAM with a ttl that is none', 'STREAM', { url: 'rtp://239.1.1.1:5000?ttl=300' }, 'url'],
    ['SRT without a port', 'SRT', { url: 'srt://127.0.0.1' }, 'url'],
    ['SRT with a user name', 'SRT', { url: 'srt://u:pw@host:9000' }, 'url'],
    ['SRT in rendezvous mode', 'SRT', { url: 'srt://host:9000?mode=rendezvous' }, 'url'],
    ['SRT with a short passphrase in its address', 'SRT', { url: 'srt://host:9000?passphrase=short' }, 'url'],
    ['SRT with a stream id of 600 bytes', 'SRT', { url: 'srt://host:9000', stream_key: LONG_KEY }, 'stream_key'],
    ['a backup path without a port', 'SRT', { url: 'srt://host:9000', backup_url: 'srt://host' }, 'backup_url'],
    ['RTMP with a user name in its address', 'RTMP', { url: 'rtmp://u:pw@host/live' }, 'url'],
    ['RTMP with a user and no password', 'RTMP', { url: 'rtmp://host/live', username: 'u' }, 'password'],
    ['RTMP with a password and no user', 'RTMP', { url: 'rtmp://host/live', password: 'pw' }, 'username'],
    ['SRT with a user', 'SRT', { url: 'srt://host:9000', username: 'u' }, 'username'],
    ['a stream key with a line break', 'RTMP', { url: 'rtmp://host/live', stream_key: 'a\nb' }, 'stream_key'],
    [
      'SRT with a line break in its passphrase',
      'SRT',
      { url: 'srt://127.0.0.1:9000?passphrase=abcdefghij%0Ax' },
      'url',
    ],
    ['SRT with a key of 20 bytes', 'SRT', { url: 'srt://h:9000?passphrase=ten-letters&pbkeylen=20' }, 'url'],
    ['SRT with a line break in its stream id', 'SRT', { url: 'srt://127.0.0.1:9000?streamid=abc%0Ax' }, 'url'],
    ['SRT with a zero byte in its stream id', 'SRT', { url: 'srt://127.0.0.1:9000?streamid=%00abc' }, 'url'],
    ['SRT with 120 bytes of passphrase in its address', 'SRT', { url: `srt://h:9000?passphrase=${WIDE}` }, 'url'],
    [
      'SRT with 120 bytes of passphrase',
      'SRT',
      { url: 'srt://h:9000', srt: { latency_ms: 200, passphrase: WIDE, encryption: 128 } },
      'srt.passphrase',
    ],
    ['RTMP with a key of 1020 bytes', 'RTMP', { url: 'rtmp://host/live', stream_key: '🔑'.repeat(255) }, 'stream_key'],
    ['STREAM with a user name', 'STREAM', { url: 'udp://u:pw@127.0.0.1:5000' }, 'url'],
    ['an origin with a stray %', 'HLS / TS', { url: 'https://origin/100%.m3u8' }, 'url'],
  ];
  for (const [rule, type, settings, field] of UNDELIVERABLE) {
    it(`${rule} is refused when it is saved, and not started when it was saved before`, async () => {
      const error = await app.refused('invalid_input', 'addPublishing', add(type, settings));
      assert.deepEqual(fieldsOf(error), [`settings.${field}`], error.message);
      const { livestreamId, publishingId } = await addBroadcast(app);
      const good: Record<string, string> = { STREAM: 'udp://h:1', SRT: 'srt://h:1' };
      const url = good[type] ?? (type === 'HLS / TS' ? 'https://o/a' : 'rtmp://h/live');
      await app.data('updatePublishing', { publishingId, type, settings: { url } });
      assert.equal((await app.data('getLivestreamStartConfig', { livestreamId }))['startAllowed'], true);
      await store(publishingId, settings);
      await app.data('getPublishingById', { publishingId });
      const { startAllowed, reasons } = await app.data('getLivestreamStartConfig', { livestreamId });
      const [reason] = reasons as { code: string; message: string }[];
      assert.deepEqual([startAllowed, reason?.code], [false, 'unsupported']);
      assert.match(reason!.message, new RegExp(`^Destination "Web" cannot be delivered: settings\\.${field} `, 'u'));
      await app.refused('unsupported_by_device', 'startLivestream', { livestreamId });
    });
  }

  const STRAYS: [type: string, settings: object, field: string][] = [
    ['HLS / TS', { stream_key: 'k' }, 'stream_key'],
    ['Record', { stream_key: 'k' }, 'stream_key'],
    ['SDIOUT', { password: 'pw' }, 'password'],
    ['Record', { segment_duration: 4 }, 'segment_duration'],
    ['RTMP', { url: 'rtmp://h/live', playlist_length: 10 }, 'playlist_length'],
    ['SRT', { url: 'srt://h:1', time_shift_buffer_depth: 60 }, 'time_shift_buffer_depth'],
    ['CMAF', { container: 'ts' }, 'container'],
    ['SRT', { url: 'srt://h:1', low_latency: true }, 'low_latency'],
    ['DASH', { delete_after: 3 }, 'delete_after'],
    ['RTMP', { url: 'rtmp://h/live', srt: { passphrase: 'ten letters' } }, 'srt'],
    ['STREAM', { url: 'udp://h:1', srt: { latency_ms: 300 } }, 'srt'],
    // The default of a field of another type is as much of another type.
    ['HLS / TS', { container: 'mp4' }, 'container'],
    ['RTMP', { url: 'rtmp://h/live', segment_duration: 6 }, 'segment_duration'],
    ['RTMP', { url: 'rtmp://h/live', srt: { latency_ms: 200 } }, 'srt'],
  ];
  it('low latency is refused by name for a Destination that is pushed to an origin', async () => {
    const pushed = { url: 'https://origin.example/live/', low_latency: true };
    const error = await app.refused('invalid_input', 'addPublishing', add('HLS / TS', pushed));
    assert.deepEqual(fieldsOf(error), ['settings.low_latency']);
  });
  for (const [type, settings, field] of STRAYS) {
    it(`${field} is refused by name for a Destination of type ${type}`, async () => {
      const error = await app.refused('invalid_input', 'addPublishing', add(type, settings));
      assert.deepEqual(fieldsOf(error), [`settings.${field}`]);
      assert.match(error.message, new RegExp(`does not belong to a Destination of type ${type}`, 'u'));
    });
  }

  it('settings that were read can be sent back, whatever the type, and so can null for a field of another type', async () => {
    const urls: Record<string, string> = { RTMP: 'rtmp://h/live', SRT: 'srt://h:1?passphrase=ten-letters&pbkeylen=32' };
    for (const type of ['HLS / TS', 'RTMP', 'SRT', 'SDIOUT', 'Record']) {
      const sent = { name: type, type, settings: { url: urls[type] ?? null, stream_key: null, delete_after: null } };
      const before = await app.data('addPublishing', sent);
      const { id: publishingId, created_at: _created, updated_at: _updated, settings: shown, ...rest } = before;
      const { has_password: _password, srt, ...settings } = shown as Settings;
      const { has_passphrase: _passphrase, ...srtSettings } = srt as Settings;
      const back = { ...rest, settings: { ...settings, srt: srtSettings } };
      assert.deepEqual(await app.data('updatePublishing', { publishingId, ...back }), before, type);
    }
  });

  it('a change of type leaves the settings of the former type behind, and takes those that it has as well', async () => {
    const { id: publishingId } = await app.data(
      'addPublishing',
      add('SRT', { url: 'srt://h:1', stream_key: 'the-stream-key', srt: { passphrase: 'ten letters' } }),
    );
    const rtmp = await app.data('updatePublishing', { publishingId, type: 'RTMP', settings: { url: 'rtmp://h/a' } });
    assert.deepEqual(settingsOf(rtmp)['srt'], { latency_ms: 200, encryption: 0, has_passphrase: false });
    assert.equal(settingsOf(rtmp)['stream_key'], '****-key');
    const served = await app.data('updatePublishing', { publishingId, type: 'DASH', settings: { url: null } });
    assert.equal(settingsOf(served)['stream_key'], null);
    const sent = { publishingId, settings: { stream_key: 'k' } };
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'updatePublishing', sent)), ['settings.stream_key']);
  });

  it('an empty key or password of a Destination is refused; one that was stored before reads as none', async () => {
    const rtmp = add('RTMP', { url: 'rtmp://h/live', stream_key: '' });
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addPublishing', rtmp)), ['settings.stream_key']);
    const login = add('DASH', { url: 'https://o/a', username: '', password: '' });
    const fields = fieldsOf(await app.refused('invalid_input', 'addPublishing', login));
    assert.deepEqual(fields, ['settings.username', 'settings.password']);
    const { id: publishingId } = await app.data('addPublishing', add('RTMP', { url: 'rtmp://h/live' }));
    await store(publishingId, { stream_key: '' });
    assert.equal(settingsOf(await app.data('getPublishingById', { publishingId }))['stream_key'], null);
    await app.data('updatePublishing', { publishingId, description: 'no matter of the key' });
    assert.equal((await app.store.get('publishings', publishingId))?.row.settings.stream_key, null);
  });

  it('a backup path that is to deliver needs its URL', async () => {
    for (const [type, settings] of [
      ['RTMP', { url: 'rtmp://h/live' }],
      ['Record', {}],
      ['HLS / TS', {}],
    ] as const) {
      const error = await app.refused('rule_violated', 'addPublishing', add(type, settings, { backup_enabled: true }));
      assert.deepEqual(fieldsOf(error), ['backup_enabled']);
    }
    const settings = { url: 'rtmp://h/live', backup_url: 'rtmp://b/live' };
    const { id: publishingId } = await app.data('addPublishing', add('RTMP', settings, { backup_enabled: true }));
    const without = { publishingId, settings: { backup_url: null } };
    assert.deepEqual(fieldsOf(await app.refused('rule_violated', 'updatePublishing', without)), ['backup_enabled']);
    await app.data('updatePublishing', { ...without, backup_enabled: false });
  });
});
