/** Secrets and addresses of sources and outputs: what no attempt could use is refused when it is saved, and what is used is answered. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

type Settings = Record<string, unknown>;
const settingsOf = (row: Row): Settings => row['settings'] as Settings;

const WIDE = 'ü'.repeat(60);

describe('rules of addresses and secrets', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const srt = { mode: 'caller', host: '127.0.0.1', port: 9000 };
  const channel = (type: string, settings: object): object => ({ name: 'x', type, settings });

  const REFUSED: [rule: string, type: Channel['type'], settings: object, field: string][] = [
    ['120 bytes of passphrase', 'SRT', { ...srt, passphrase: WIDE }, 'passphrase'],
    ['a stream id of 513 bytes', 'SRT', { ...srt, streamid: `${'ü'.repeat(256)}x` }, 'streamid'],
    ['a stream id of blanks', 'SRT', { ...srt, streamid: '   ' }, 'streamid'],
    ['a key of blanks', 'RTMP-Push', { app: 'live', stream_key: '   ' }, 'stream_key'],
    ['a group without a port', 'Stream', { url: 'udp://239.1.1.1' }, 'url'],
    ['RTP without a port', 'Stream', { url: 'rtp://239.1.1.1' }, 'url'],
    ['UDP from port 0', 'Stream', { url: 'udp://127.0.0.1:0' }, 'url'],
    [
      'RIST of the simple profile at an odd port',
      'Stream',
      { url: 'rist://@:5005', rist: { profile: 'simple' } },
      'url',
    ],
    ['a secret in a RIST address', 'Stream', { url: 'rist://a:5004?secret=canary-secret' }, 'url'],
    ['RTMP from port 0', 'Stream', { url: 'rtmp://127.0.0.1:0/live/x' }, 'url'],
    ['HTTP from port 0', 'Stream', { url: 'http://127.0.0.1:0/a.m3u8' }, 'url'],
  ];
  for (const [rule, type, settings, field] of REFUSED) {
    it(`a Channel with ${rule} is refused, new and changed, and not started when it was saved before`, async () => {
      const error = await app.refused('invalid_input', 'addChannel', channel(type, settings));
      assert.deepEqual(fieldsOf(error), [`settings.${field}`], error.message);
      const { channelId, livestreamId } = await addBroadcast(app);
      const change = { channelId, type, settings };
      assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'updateChannel', change)), [`settings.${field}`]);
      await app.store.tx((tx) => {
        tx.put('channels', {
          ...tx.get('channels', channelId)!,
          type,
          settings,
          deviceId: type === 'RTMP-Push' ? 1 : null,
        });
      });
      const { startAllowed, reasons } = await app.data('getLivestreamStartConfig', { livestreamId });
      const [{ code, message }] = reasons as [{ code: string; message: string }];
      assert.deepEqual([startAllowed, code], [false, 'unsupported']);
      assert.match(message, new RegExp(` cannot be taken in: settings\\.${field} `, 'u'));
    });
  }

  it('settings of RIST are completed, kept by what names others, and their secret is never answered', async () => {
    const rist = { secret: 'canary-secret', key_bits: 256 };
    const channel = await app.data('addChannel', {
      name: 'r',
      type: 'Stream',
      settings: { url: 'rist://@:5004', rist },
    });
    const shown = { profile: 'main', buffer_ms: 1000, key_bits: 256, has_secret: true };
    assert.deepEqual(settingsOf(channel), { url: 'rist://@0.0.0.0:5004', rist: shown });
    const changed = { channelId: channel['id'], settings: { rist: { buffer_ms: 300 } } };
    assert.deepEqual(settingsOf(await app.data('updateChannel', changed))['rist'], { ...shown, buffer_ms: 300 });
    const moved = { channelId: channel['id'], settings: { url: 'udp://127.0.0.1:5004' } };
    assert.deepEqual(settingsOf(await app.data('updateChannel', moved)), { url: 'udp://127.0.0.1:5004' });
    const out = { name: 'o', type: 'STREAM', settings: { url: 'rist://127.0.0.1:5004', rist } };
    assert.deepEqual(settingsOf(await app.data('addPublishing', out))['rist'], shown);
    const none = { name: 'n', type: 'STREAM', settings: { url: 'udp://127.0.0.1:5004', rist } };
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addPublishing', none)), ['settings.rist']);
    const simple = { ...out, name: 's', settings: { url: out.settings.url, rist: { ...rist, profile: 'simple' } } };
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addPublishing', simple)), ['settings.rist.secret']);
  });

  it('a Channel at the edge of the bounds is taken', async () => {
    const edges: [string, object][] = [
      ['SRT', { ...srt, passphrase: `${'ü'.repeat(39)}x`, streamid: 'ü'.repeat(256) }],
      ['Stream', { url: 'rtmp://127.0.0.1/live/x' }],
      ['Stream', { url: 'http://127.0.0.1/a.m3u8' }],
    ];
    for (const [at, [type, settings]] of edges.entries())
      await app.data('addChannel', { ...channel(type, settings), name: `edge ${at}` });
  });

  it('a stream id of an SRT Channel is stored whole, answered masked, and cleared with null', async () => {
    const added = await app.data('addChannel', channel('SRT', { ...srt, streamid: '#!::r=cam1,u=crew' }));
    assert.equal(settingsOf(added)['streamid'], '****crew');
    const { has_passphrase: _answered, ...echo } = settingsOf(added);
    await app.data('updateChannel', { channelId: added.id, alias: 'cam', settings: echo });
    const stored = async (): Promise<unknown> => (await app.store.get('channels', added.id))?.row.settings.streamid;
    assert.equal(await stored(), '#!::r=cam1,u=crew', 'sent back as it was answered');
    await app.data('updateChannel', { channelId: added.id, settings: { streamid: null } });
    assert.equal(await stored(), undefined);
  });

  it('an SRT listener without a host listens where its Device does; a caller needs one', async () => {
    const added = await app.data('addChannel', channel('SRT', { mode: 'listener', port: 9000 }));
    assert.equal(settingsOf(added)['host'], undefined);
    const error = await app.refused('invalid_input', 'addChannel', channel('SRT', { mode: 'caller', port: 9000 }));
    assert.deepEqual(fieldsOf(error), ['settings.host']);
  });

  describe('encryption that a change would end', () => {
    const cleared = /send (?:one|a passphrase), or encryption 0 for none/u;

    it('encryption of an SRT Channel ends only when somebody says so', async () => {
      const { id: channelId } = await app.data('addChannel', channel('SRT', { ...srt, passphrase: 'ten letters' }));
      const refused = await app.refused('rule_violated', 'updateChannel', { channelId, settings: { encryption: 0 } });
      assert.match(refused.message, /send the passphrase as null too/u);
      for (const sent of [{ passphrase: null }, { passphrase: null, encryption: 128 }]) {
        const error = await app.refused('invalid_input', 'updateChannel', { channelId, settings: sent });
        assert.deepEqual(fieldsOf(error), ['settings.passphrase']);
        assert.match(error.message, cleared);
      }
      const off = { channelId, settings: { passphrase: null, encryption: 0 } };
      const { encryption, has_passphrase } = settingsOf(await app.data('updateChannel', off));
      assert.deepEqual({ encryption, has_passphrase }, { encryption: 0, has_passphrase: false });
    });

    it('encryption of an SRT Destination ends only when somebody says so, in the settings and in the address', async () => {
      const url = 'srt://h:9000';
      const inSettings = { url, srt: { passphrase: 'ten letters', encryption: 256 } };
      const inAddress = { url: `${url}?passphrase=abcdefghijkl` };
      for (const [settings, lost, off] of [
        [inSettings, { srt: { passphrase: null } }, { srt: { passphrase: null, encryption: 0 } }],
        [inAddress, { url }, { url, srt: { encryption: 0 } }],
      ]) {
        const { id: publishingId } = await app.data('addPublishing', {
          name: JSON.stringify(lost),
          type: 'SRT',
          settings,
        });
        const error = await app.refused('invalid_input', 'updatePublishing', { publishingId, settings: lost });
        assert.deepEqual(fieldsOf(error), ['settings.srt.passphrase']);
        assert.match(error.message, cleared);
        const changed = await app.data('updatePublishing', { publishingId, settings: off });
        assert.deepEqual(settingsOf(changed)['srt'], { latency_ms: 200, encryption: 0, has_passphrase: false });
      }
    });
  });

  describe('a passphrase in the address of an SRT Destination', () => {
    const add = (settings: object): object => ({ name: 'x', type: 'SRT', settings });
    const SECRET = 'passphrase=abcdefghijkl';
    const shown = async (settings: object): Promise<unknown> => {
      const row = await app.data('addPublishing', { ...add(settings), name: JSON.stringify(settings).slice(0, 100) });
      return settingsOf(row)['srt'];
    };

    it('a passphrase in an SRT address is answered with the key length that it is used with', async () => {
      const of = (encryption: number, has_passphrase = true): object => ({
        latency_ms: 200,
        encryption,
        has_passphrase,
      });
      assert.deepEqual(await shown({ url: `srt://h:9000?${SECRET}&pbkeylen=32` }), of(256));
      assert.deepEqual(await shown({ url: `srt://h:9000?${SECRET}` }), of(128));
      assert.deepEqual(await shown({ url: `srt://h:9000?${SECRET}`, srt: { encryption: 192 } }), of(192));
      assert.deepEqual(await shown({ url: 'srt://h:9000?pbkeylen=32' }), of(0, false));
      const half = { url: `srt://h:9000?${SECRET}`, backup_url: 'srt://b:9000' };
      assert.deepEqual(await shown(half), of(0), 'one of its paths is in the clear');
    });

    it('a passphrase in an SRT address contradicts encryption 0 sent with it, and each encrypted path needs one', async () => {
      const none = add({ url: `srt://h:9000?${SECRET}`, srt: { encryption: 0 } });
      const refused = await app.refused('rule_violated', 'addPublishing', none);
      assert.deepEqual(fieldsOf(refused), ['settings.srt.encryption']);
      const half = add({ url: `srt://h:9000?${SECRET}`, backup_url: 'srt://b:9000', srt: { encryption: 128 } });
      assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addPublishing', half)), [
        'settings.srt.passphrase',
      ]);
    });
  });

  it('a key, user name or password of blanks is refused for a Destination', async () => {
    const rtmp = { name: 'x', type: 'RTMP', settings: { url: 'rtmp://h/live', stream_key: '   ' } };
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addPublishing', rtmp)), ['settings.stream_key']);
    const login = { name: 'x', type: 'DASH', settings: { url: 'https://o/a', username: ' ', password: '  ' } };
    const fields = fieldsOf(await app.refused('invalid_input', 'addPublishing', login));
    assert.deepEqual(fields, ['settings.username', 'settings.password']);
  });
});
