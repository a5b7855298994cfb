import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { makeIssuer } from '../helpers/licences.ts';
import { readZip, type ZipEntry } from '../helpers/zip.ts';
import { PNG_BASE64, addBroadcast } from '../app/broadcast.ts';
import { type RestApi, openRestApi } from '../app/rest-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import { documentOf } from '../helpers/store-document.ts';
import { until } from '../helpers/until.ts';
import { wordsOf } from '../helpers/words.ts';

const issuer = makeIssuer();
const AT = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };

/** Secrets that must be nowhere in a bundle, each in the place that it has in an installation. */
const CANARY = {
  channelUser: 'canary-source-user-pw',
  channelQuery: 'canary-source-query',
  channelKey: 'canary-push-key-0001',
  channelPassphrase: 'canary-channel-passphrase',
  streamKey: 'canary-stream-key-0002',
  password: 'canary-output-password',
  passphrase: 'canary-output-passphrase',
  urlKey: 'canary-key-in-rtmp-url',
  urlToken: 'canary-token-in-query',
  passwordHash: 'canary$scrypt$hash',
  tokenHash: 'canary-token-hash-000000',
  sessionHash: 'canary-session-hash-0000',
  cloud: 'canary-cloud-password',
  webdav: 'canary-webdav-password',
  s3: 'canary-s3-secret-key',
  drm: 'c0ffee00c0ffee00c0ffee00c0ffee00',
  spekeKey: 'canary-speke-api-key',
  transcription: 'canary-transcription-key',
  link: 'canary-device-link-key',
  bearer: 'onair_0123456789ab_canaryBearerTokenOfSomebody0000000000000000',
};

describe('The support bundle', () => {
  let app: TestApp;
  let api: RestApi;
  beforeEach(async () => {
    app = await startTestApp({ licenceKey: issuer.publicPem });
    api = await openRestApi(app);
  });
  afterEach(() => app.close());

  const folder = (): string[] => readdirSync(join(app.dir, 'support'));

  async function download(): Promise<{ entries: Map<string, ZipEntry>; response: Response }> {
    const response = await api.send('GET', '/system/info/download');
    assert.equal(response.status, 200);
    return { entries: readZip(Buffer.from(await response.arrayBuffer())), response };
  }
  const json = (entries: Map<string, ZipEntry>, name: string): never =>
    JSON.parse(entries.get(name)?.content.toString() ?? 'null') as never;

  it('the support bundle is a zip under its own name, and nothing of it stays behind', async () => {
    await addBroadcast(app);
    const { entries, response } = await download();
    assert.equal(response.headers.get('content-type'), 'application/zip');
    assert.match(
      response.headers.get('content-disposition') ?? '',
      /^attachment; filename="onair-info-20260101T000000Z\.zip"/u,
    );
    assert.deepEqual(folder(), []);
    const names = wordsOf(`
      versions.json settings.json health.json counts.json devices.json livestreams.json status.json channels.json
      encodings.json publishings.json events.json audit.json licences.json
    `);
    for (const name of names) assert.ok(entries.has(name), name);
    const versions: Record<string, unknown> = json(entries, 'versions.json');
    assert.equal(versions['node'], process.versions.node);
    assert.deepEqual(versions['ffmpeg'], [{ deviceId: app.deviceId, ffmpeg: '5.1.9' }]);
    assert.equal((json(entries, 'counts.json') as Record<string, number>)['livestreams'], 1);
    assert.deepEqual(json(entries, 'livestreams.json'), await app.rows('getAllLivestreams'));
    assert.deepEqual(json(entries, 'devices.json'), await app.rows('getAllDevices'));
    const audit: { operation: string }[] = json(entries, 'audit.json');
    assert.deepEqual(
      audit.map(({ operation }) => operation),
      ['addChannel', 'addEncoding', 'addPublishing', 'addLivestream'],
    );
    for (const [name, { mode }] of entries) assert.equal(mode & 0o777, 0o600, name);
  });

  it('the support bundle holds no secret of any resource, and none that a log has', async () => {
    await fillWithCanaries(app);
    const lines = Object.entries(CANARY).map(
      ([name, secret]) => `{"msg":"${name} is ${secret}, encoded ${encodeURIComponent(secret)}"}`,
    );
    const shapes = [
      '{"url":"rtmp://somebody:canary-unknown-1@host/app/canary-unknown-2?k=canary-unknown-3"}',
      'Authorization: Bearer canary-unknown-4.abc',
      '{"stream_key":"canary-unknown-5 with \\"quotes\\" canary-unknown-5","kept":"a harmless word"}',
      `token=canary-unknown-6 then eyJhbGciOiJIUzI1NiJ9.canary-unknown-7.canary-unknown-7`,
      '-----BEGIN PRIVATE KEY-----\ncanary-unknown-8\n-----END PRIVATE KEY-----',
      issuer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ];
    mkdirSync(join(app.dir, 'device'));
    for (const log of ['serve.log', 'serve.log.1', join('device', 'agent.log')]) {
      writeFileSync(join(app.dir, log), [...lines, ...shapes, ''].join('\n'));
    }
    await app.store.tx((tx) => {
      const output = `publisher said ${CANARY.streamKey} to rtmp://a/b/${CANARY.urlKey}`;
      tx.insert('events', {
        at: AT.created_at,
        livestreamId: 1,
        kind: 'destination_failed',
        severity: 'error',
        message: output,
        data: { output },
      });
    });

    const { entries } = await download();
    assert.ok(entries.has('logs/serve.log') && entries.has('logs/serve.log.1') && entries.has('logs/device/agent.log'));
    const all = [...entries].map(([name, { content }]) => [name, content.toString()] as const);
    const privatePart = shapes.at(-1)!.split('\n')[1]!;
    for (const secret of [...Object.values(CANARY), privatePart]) {
      for (const form of [secret, encodeURIComponent(secret)]) {
        assert.deepEqual(
          all.filter(([, text]) => text.includes(form)).map(([name]) => name),
          [],
          form,
        );
      }
    }
    for (const [name, text] of all) assert.doesNotMatch(text, /canary-unknown|BEGIN PRIVATE/u, name);
    assert.match(entries.get('logs/serve.log')?.content.toString() ?? '', /"kept":"a harmless word"/u);
    assert.match(JSON.stringify(json(entries, 'events.json')), /publisher said \*\*\*\*/u);
    // The canaries are where they belong, or their absence says nothing.
    const stored = JSON.stringify(await documentOf(app.store));
    for (const [name, secret] of Object.entries(CANARY)) {
      if (name !== 'bearer') assert.ok(stored.includes(JSON.stringify(secret).slice(1, -1)), name);
    }
  });

  it('the support bundle has the last of a long log, from a whole line on', async () => {
    const log = join(app.dir, 'serve.log');
    for (let block = 0; block < 30; block += 1) {
      appendFileSync(
        log,
        Array.from({ length: 1000 }, (_, line) => `line ${block * 1000 + line} ${'x'.repeat(90)}\n`).join(''),
      );
    }
    const text = (await download()).entries.get('logs/serve.log')?.content.toString() ?? '';
    assert.ok(text.length > 1_900_000 && text.length <= 2 * 1024 * 1024, String(text.length));
    assert.match(text, /^line \d+ x/u);
    assert.ok(text.endsWith(`line 29999 ${'x'.repeat(90)}\n`));
  });

  it('the support bundle has the latest 1000 events, oldest first', async () => {
    await app.store.tx((tx) => {
      for (let number = 1; number <= 1100; number += 1) {
        tx.insert('events', {
          at: AT.created_at,
          livestreamId: 1,
          kind: 'started',
          severity: 'info',
          message: `event ${number}`,
          data: {},
        });
      }
    });
    const events: { message: string }[] = json((await download()).entries, 'events.json');
    assert.deepEqual([events.length, events[0]?.message, events.at(-1)?.message], [1000, 'event 101', 'event 1100']);
  });

  it('the answer names the support bundle where no file can be sent; it is there for an hour, for its owner alone', async () => {
    const data = await app.data('downloadSystemInfo', {}, { via: 'mcp' });
    assert.equal(data['filename'], 'onair-info-20260101T000000Z.zip');
    const path = join(app.dir, 'support', String(data['filename']));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(path).size, data['size_bytes']);
    const listed = (data['entries'] as unknown as { name: string; size_bytes: number }[]).map(
      ({ name, size_bytes }) => [name, size_bytes],
    );
    assert.deepEqual(
      listed,
      [...readZip(readFileSync(path))].map(([name, { content }]) => [name, content.length]),
    );
    const second = await app.data('downloadSystemInfo', {}, { via: 'mcp' });
    assert.equal(second['filename'], 'onair-info-20260101T000000Z-2.zip');
    const age = (name: string, minutes: number): void => {
      const at = Date.now() / 1000 - minutes * 60;
      utimesSync(join(app.dir, 'support', name), at, at);
    };
    age('onair-info-20260101T000000Z.zip', 61);
    age('onair-info-20260101T000000Z-2.zip', 59);
    writeFileSync(join(app.dir, 'support', 'notes.txt'), 'mine');
    age('notes.txt', 600);
    await download();
    assert.deepEqual(folder().sort(), ['notes.txt', 'onair-info-20260101T000000Z-2.zip']);

    // Nobody asks for another one, and it goes all the same.
    age('onair-info-20260101T000000Z-2.zip', 61);
    app.clock.advance(3_602_000);
    await until('nothing stays behind', () => folder().length <= 1, { everyMs: 20 });
    assert.deepEqual(folder(), ['notes.txt']);
    assert.equal(
      (await api.send('GET', '/system/info/download', { headers: { accept: 'application/json' } })).headers.get(
        'content-type',
      ),
      'application/json',
    );
  });

  it('the support bundle is for Admins', async () => {
    await app.refused('forbidden', 'downloadSystemInfo', {}, { user: 'operator' });
    assert.equal((await api.send('GET', '/system/info/download', { token: TOKENS.operator })).status, 403);
    assert.throws(folder, /ENOENT/u);
  });

  it('the support bundle leaves nothing when its caller goes away', async () => {
    const gone = AbortSignal.abort();
    await assert.rejects(app.call('downloadSystemInfo', {}, { signal: gone }));
    assert.deepEqual(folder(), []);
  });
});

async function fillWithCanaries(app: TestApp): Promise<void> {
  const { publishingId } = await addBroadcast(app);
  await app.data('uploadAsset', { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 });
  await app.data('addChannel', {
    name: 'Pull',
    type: 'Stream',
    settings: { url: `http://somebody:${CANARY.channelUser}@host/a.m3u8?sig=${CANARY.channelQuery}` },
  });
  await app.data('addChannel', {
    name: 'Push',
    type: 'RTMP-Push',
    settings: { app: 'live', stream_key: CANARY.channelKey },
  });
  await app.data('addChannel', {
    name: 'SRT',
    type: 'SRT',
    settings: { host: 'host', port: 9000, encryption: 128, passphrase: CANARY.channelPassphrase },
  });
  await app.data('addPublishing', {
    name: 'RTMP',
    type: 'RTMP',
    settings: { url: `rtmp://host/live/${CANARY.urlKey}?t=${CANARY.urlToken}`, stream_key: CANARY.streamKey },
  });
  await app.data('addPublishing', {
    name: 'Origin',
    type: 'DASH',
    settings: { url: 'https://host/live', username: 'u', password: CANARY.password },
  });
  await app.data('addPublishing', {
    name: 'SRT out',
    type: 'SRT',
    settings: { url: 'srt://host:9000', srt: { encryption: 128, passphrase: CANARY.passphrase } },
  });
  await app.data('installLicense', { license: await issuer.issue() });
  await app.store.tx((tx) => {
    const user = tx.get('users', app.users.operator)!;
    tx.put('users', { ...user, password_hash: CANARY.passwordHash });
    const lasting = { ...AT, expires_at: null, revoked_at: null };
    tx.insert('tokens', { ...lasting, kid: 'kid', name: 'a token', userId: user.id, token_hash: CANARY.tokenHash });
    tx.insert('sessions', { ...AT, token_hash: CANARY.sessionHash, userId: user.id, expires_at: AT.created_at });
    const rest = {
      cloudAccounts: { client: 'c', password: CANARY.cloud },
      remoteFolders: { name: 'r', password: CANARY.webdav },
      targetFolders: { name: 't', secret_key: CANARY.s3 },
      drmProviders: { name: 'd', credentials: { api_key: CANARY.spekeKey, keys: [{ kid: 'kid', key: CANARY.drm }] } },
      transcription: { api_key: CANARY.transcription },
    };
    for (const [collection, row] of Object.entries(rest))
      tx.insert(collection as 'transcription', { ...AT, ...row } as never);
    const { id: _own, ...device } = tx.get('devices', app.deviceId)!;
    tx.insert('devices', { ...device, name: 'other', local: false, link_key: CANARY.link });
  });
  await app.call('startLivestream', { livestreamId: 1, startConfig: [{ publishingId }] });
}
