/** An address in a network that may not be reached is refused where it would be stored. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

let app: TestApp;
before(async () => void (app = await startTestApp()));
after(() => app.close());

const SRT = { type: 'SRT', settings: { host: '169.254.169.254', port: 9000 } };
const REFUSED: [operation: string, field: string, args: object][] = [
  ['addChannel', 'settings.url', { type: 'Stream', settings: { url: 'http://169.254.169.254/latest/x.ts' } }],
  ['addChannel', 'settings.url', { type: 'Stream', settings: { url: 'rtmp://2852039166/live/key' } }],
  ['addChannel', 'settings.url', { type: 'Stream', settings: { url: 'https://[fe80::1]/live.m3u8' } }],
  ['addChannel', 'settings.host', SRT],
  ['addPublishing', 'settings.url', { type: 'RTMP', settings: { url: 'rtmp://100.100.100.200/live' } }],
  [
    'addPublishing',
    'settings.backup_url',
    { type: 'DASH', settings: { url: 'http://origin.example/', backup_url: 'http://169.254.1.1/' } },
  ],
  ['addRemoteFolder', 'host', { protocol: 'NFS', host: '[fe80::1]:2049', folder: '/media' }],
  ['addRemoteFolder', 'host', { protocol: 'WEBDAV', host: 'http://169.254.169.254/x', folder: '/media' }],
  ['addTargetFolder', 'host', { type: 'FTP', host: 'metadata.google.internal', user: 'onair' }],
  [
    'addTargetFolder',
    'endpoint',
    { type: 'S3', bucket: 'clips', access_key: 'A', secret_key: 'B', endpoint: 'http://169.254.169.254' },
  ],
  [
    'addDrmProvider',
    'speke_url',
    { provider_type: 'SPEKE', speke_url: 'http://169.254.169.254/speke', supported_systems: ['WIDEVINE'] },
  ],
];

async function refusal(operation: string, args: object): Promise<AppError> {
  const error = await app.call(operation, args).then(
    () => assert.fail(`${operation} has stored it`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, 'rule_violated', error.message);
  assert.match(error.message, /ONAIR_SOURCE_NETWORKS/u);
  return error;
}

describe('addresses that may not be reached', () => {
  it('addresses that may not be reached are refused by every resource, with the field, the address and the setting', async () => {
    for (const [at, [operation, field, args]] of REFUSED.entries()) {
      const { extras } = await refusal(operation, { name: `Refused ${at}`, ...args });
      assert.deepEqual(
        (extras.errors ?? []).map((issue) => [issue.field, issue.code]),
        [[field, 'network_refused']],
        operation,
      );
    }
  });

  it('addresses that may not be reached are no reason to refuse cameras, listeners, or another change', async () => {
    const stream = { name: 'Camera', type: 'Stream', settings: { url: 'http://192.168.1.64/live.m3u8' } };
    const { id } = await app.data('addChannel', stream);
    await refusal('updateChannel', { channelId: id, settings: { url: 'http://169.254.7.7/live.m3u8' } });
    const listener = { host: '169.254.7.7', port: 9001, mode: 'listener' };
    await app.data('addChannel', { name: 'Listener', type: 'SRT', settings: listener });
    // Stored under another setting.
    await app.store.tx((tx) => {
      const row = tx.get('channels', id)!;
      tx.put('channels', { ...row, settings: { url: 'http://169.254.7.7/live.m3u8' } });
    });
    assert.equal((await app.data('updateChannel', { channelId: id, name: 'Other' }))['name'], 'Other');
  });
});
