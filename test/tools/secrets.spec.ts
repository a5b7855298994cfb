/** No secret may have two lines or be longer than the line that it is handed over in. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { update_destination_stream_key } from '../../workflows/update_destination_stream_key.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const CONTROL = [
  'a-long-enough\nsecret',
  'a-long-enough\r\nsecret',
  'a-long-enough\0secret',
  'a-long-enough\u007fsecret',
];
const RTMP = { name: 'RTMP', type: 'RTMP' };
const url = 'rtmp://live.example.org/app';
const FTP = { name: 'FTP', type: 'FTP', host: 'ftp.example.com' };
const S3 = { name: 'S3', type: 'S3', bucket: 'clips' };

/** The call that stores the secret, and the field that holds it. */
const PLACES: [name: string, tool: string, field: string, input: (secret: string) => object][] = [
  ['stream key', 'addPublishing', 'settings.stream_key', (s) => ({ ...RTMP, settings: { url, stream_key: s } })],
  ['password', 'addPublishing', 'settings.password', (s) => ({ ...RTMP, settings: { url, password: s } })],
  ['user name', 'addPublishing', 'settings.username', (s) => ({ ...RTMP, settings: { url, username: s } })],
  [
    'passphrase',
    'addPublishing',
    'settings.srt.passphrase',
    (s) => ({ name: 'S', type: 'SRT', settings: { url: 'srt://h:9000', srt: { passphrase: s, encryption: 128 } } }),
  ],
  [
    'passphrase of a Channel',
    'addChannel',
    'settings.passphrase',
    (s) => ({
      name: 'S',
      type: 'SRT',
      settings: { mode: 'caller', host: 'h', port: 9000, encryption: 128, passphrase: s },
    }),
  ],
  [
    'key of a pusher',
    'addChannel',
    'settings.stream_key',
    (s) => ({ name: 'P', type: 'RTMP-Push', settings: { app: 'live', stream_key: s } }),
  ],
  [
    'password of a Remote Folder',
    'addRemoteFolder',
    'password',
    (s) => ({ name: 'R', protocol: 'WEBDAV', host: 'https://h', folder: '/m', user: 'u', password: s }),
  ],
  ['password of a Target Folder', 'addTargetFolder', 'password', (s) => ({ ...FTP, user: 'u', password: s })],
  ['user of a Target Folder', 'addTargetFolder', 'user', (s) => ({ ...FTP, user: s, password: 'p' })],
  ['secret key', 'addTargetFolder', 'secret_key', (s) => ({ ...S3, access_key: 'A', secret_key: s })],
  [
    'secret key of a bucket that is an origin',
    'addPublishing',
    'settings.secret_key',
    (s) => ({ name: 'B', type: 'CMAF', settings: { url: 's3://live/a', access_key: 'A', secret_key: s } }),
  ],
  ['access key', 'addTargetFolder', 'access_key', (s) => ({ ...S3, access_key: s, secret_key: 'k' })],
  [
    'password of a key server',
    'addDrmProvider',
    'credentials.password',
    (s) => ({
      name: 'D',
      provider_type: 'SPEKE',
      speke_url: 'https://k.example/',
      credentials: { username: 'u', password: s },
    }),
  ],
  ['password of a Cloud account', 'addCloudAccount', 'password', (s) => ({ client: 'C', client_id: '1', password: s })],
  [
    'password of a user',
    'addUser',
    'password',
    (s) => ({ username: 'somebody', email: 'a@example.com', role: 2, password: s }),
  ],
];

describe('secrets', () => {
  let app: TestApp;
  before(async () => void (app = await startTestApp()));
  after(() => app.close());

  for (const [name, tool, field, input] of PLACES) {
    it(`a ${name} holds no line break and no other control character`, async () => {
      for (const secret of CONTROL) {
        const error = await app.refused('invalid_input', tool, input(secret));
        assert.ok(fieldsOf(error).includes(field), `${fieldsOf(error).join()} for ${JSON.stringify(secret)}`);
        assert.ok(!JSON.stringify(error.message).includes('a-long-enough'), 'the secret is not repeated');
      }
    });
  }

  it('a new key of a Destination on air holds no line break and no other control character', () => {
    const parse = (stream_key: string): boolean =>
      update_destination_stream_key.input.safeParse({ livestream: 'a', destination: 'b', stream_key }).success;
    assert.ok(parse('a-long-enough secret'));
    assert.deepEqual(CONTROL.filter(parse), []);
  });

  it('the keys of a bucket are needed for one, answered as has_ alone, and of use for a bucket only', async () => {
    const at = { url: 's3://live/a?endpoint=https://s3.example.com&region=auto' };
    const keys = { access_key: 'KEY-OF-CANARY', secret_key: 'canary-of-the-bucket' };
    const add = { name: 'bucket', type: 'CMAF' };
    const refusals: [object, string[]][] = [
      [at, ['settings.access_key', 'settings.secret_key']],
      [{ ...at, access_key: 'A' }, ['settings.secret_key']],
      [keys, ['settings.access_key', 'settings.secret_key']],
      [{ ...at, ...keys, low_latency: true }, ['settings.low_latency']],
      [{ ...keys, url: 's3://live?acl=public-read' }, ['settings.url']],
      [{ ...keys, url: 's3://live?endpoint=http://169.254.169.254' }, ['settings.url']],
    ];
    for (const [settings, fields] of refusals) {
      const code = JSON.stringify(settings).includes('169.254') ? 'rule_violated' : 'invalid_input';
      const error = await app.refused(code, 'addPublishing', { ...add, settings });
      assert.deepEqual(fieldsOf(error), fields);
      assert.ok(!/canary/iu.test(error.message), error.message);
    }
    const added = await app.data('addPublishing', { ...add, settings: { ...at, ...keys } });
    const settings = added['settings'] as Record<string, unknown>;
    assert.deepEqual([settings['url'], settings['has_access_key'], settings['has_secret_key']], [at.url, true, true]);
    assert.ok(!/canary/iu.test(JSON.stringify(added)));
  });

  it('an RTMP key or application fits ffmpeg’s line in bytes, also pasted into the address', async () => {
    const attack = `${'z'.repeat(985)}tls_verify=0`;
    const refusals: [object, string][] = [
      [{ url: `rtmps://h/app/${attack}` }, 'settings.url'],
      [{ url: `rtmps://h/${attack}` }, 'settings.url'],
      [{ url: `${url}/x`, backup_url: `${url}/${attack}` }, 'settings.backup_url'],
    ];
    for (const [settings, field] of refusals) {
      const error = await app.refused('invalid_input', 'addPublishing', { ...RTMP, settings });
      assert.deepEqual(fieldsOf(error), [field]);
      assert.match(JSON.stringify(error.extras), /at most 900/u);
    }
    const most = { ...RTMP, name: 'most', settings: { url: `${url}/${'z'.repeat(900)}` } };
    assert.equal((await app.call('addPublishing', most)).status, 201);
    const added = await app.call('addPublishing', {
      ...RTMP,
      name: 'words',
      settings: { url, stream_key: '漢'.repeat(255) },
    });
    assert.equal(added.status, 201, '765 bytes');
    await app.refused('invalid_input', 'updatePublishing', {
      publishingId: 1,
      settings: { url: `${url}/${attack}` },
    });
  });
});
