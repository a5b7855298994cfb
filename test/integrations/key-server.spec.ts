import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { certificatePem, newDeliveryKey } from '../../domain/shapes/destinations/delivery-key.ts';
import type { DrmCredentials, DrmProvider } from '../../domain/shapes/destinations/drm-provider.ts';
import { AppError, type ErrorCode } from '../../domain/base/errors.ts';
import type { ContentKeys, KeyRequest } from '../../domain/shapes/installation/integrations.ts';
import { NOT_VALIDATED } from '../../domain/base/validation.ts';
import { contentKeyId } from '../../domain/shapes/destinations/content-key-id.ts';
import { checkDrmProvider, requestKeys } from '../../integrations/key-server.ts';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { closed, startKeyServer, type Fault, type KeyServer } from '../helpers/servers/key-server.ts';

const PASSWORD = 'canary-pässword:1';
const BASIC = `Basic ${Buffer.from(`onair:${PASSWORD}`).toString('base64')}`;
const opensslMissing = spawnSync('openssl', ['version']).error === undefined ? false : 'needs openssl';
const NONE: DrmCredentials = { username: null, password: null, api_key: null, keys: [] };
const signal = (): AbortSignal => new AbortController().signal;

function providerOf(fields: Partial<DrmProvider>): DrmProvider {
  const stamps = { id: 1, created_at: '', updated_at: '' };
  const credentials = { ...NONE, username: 'onair', password: PASSWORD };
  return {
    ...stamps,
    name: 'Keys',
    provider_type: 'SPEKE',
    speke_url: null,
    tenant_id: null,
    enabled: true,
    supported_systems: ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY'],
    ...NOT_VALIDATED,
    credentials,
    ...fields,
  };
}

async function rejected(promise: Promise<ContentKeys>, code: ErrorCode): Promise<AppError> {
  const error = await promise.then(
    () => assert.fail('was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code, error.message);
  const words = JSON.stringify([error.message, error.extras, String(error.cause)]);
  assert.ok(!words.includes('canary') && !words.includes(BASIC.slice(6)), words);
  return error;
}

describe('SPEKE v2 key server', () => {
  let server: KeyServer;
  let provider: DrmProvider;
  const request: KeyRequest = {
    contentid: 'news & <sport> "live"',
    kids: { VIDEO: contentKeyId('news', 'VIDEO'), AUDIO: contentKeyId('news', 'AUDIO') },
    systems: ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY'],
    encryption_mode: 'cbcs',
  };
  beforeEach(async () => {
    server = await startKeyServer({ authorization: BASIC, tenant: 'station-1' });
    provider = providerOf({ speke_url: server.url, tenant_id: 'station-1' });
  });
  afterEach(() => server.close());

  it('a SPEKE v2 key server delivers a key for each kind of track and the signals of three systems', async () => {
    const { keys, signals, encryption_mode } = await requestKeys(provider, request, signal());
    assert.equal(encryption_mode, 'cbcs');
    const wanted = (['VIDEO', 'AUDIO'] as const).map((track) => {
      const kid = contentKeyId('news', track);
      return { track, kid, ...server.keyOf(kid) };
    });
    assert.deepEqual(keys, wanted);
    assert.deepEqual(
      signals.map(({ system, kid }) => [system, kid]),
      keys.flatMap(({ kid }) => request.systems.map((system) => [system, kid])),
    );
    for (const { system, pssh, hls_media, hls_master, content_protection } of signals) {
      assert.equal(pssh === null, system === 'FAIRPLAY');
      assert.equal(content_protection === null, system !== 'WIDEVINE');
      assert.match(hls_media ?? '', /^#EXT-X-KEY:METHOD=SAMPLE-AES/u);
      assert.match(hls_master ?? '', /^#EXT-X-SESSION-KEY:/u);
    }
    assert.deepEqual(server.refused, []);
    assert.equal(server.requests[0]?.tenant, 'station-1');
  });

  it('a SPEKE v2 key server is asked for the keys of a period by its number, and by key ids that no other period has', async () => {
    const period = { lengthMs: 900_000, index: 1_976_234 };
    const kids = { VIDEO: contentKeyId('news', 'VIDEO', period), AUDIO: contentKeyId('news', 'AUDIO', period) };
    const { keys } = await requestKeys(provider, { ...request, kids, period: period.index }, signal());
    assert.deepEqual(server.refused, []);
    const [{ document }] = server.requests as [(typeof server.requests)[number]];
    assert.equal(document['cpix:ContentKeyPeriodList']['cpix:ContentKeyPeriod'][0].index, '1976234');
    assert.deepEqual(
      keys.map(({ kid, key }) => [kid, key]),
      Object.values(kids).map((kid) => [kid, server.keyOf(kid).key]),
    );
    const others = [undefined, { ...period, index: 1_976_235 }, { ...period, lengthMs: 1_800_000 }];
    const ids = others.map((other) => contentKeyId('news', 'VIDEO', other));
    assert.equal(new Set([...ids, kids.VIDEO]).size, 4);
  });

  it('a SPEKE v2 key server is asked with a bearer token, or with nothing at all', async () => {
    const api_key = 'canary-api-key';
    const other = await startKeyServer({ authorization: `Bearer ${api_key}` });
    const open = await startKeyServer();
    try {
      const bearer = providerOf({ speke_url: other.url, credentials: { ...NONE, api_key } });
      assert.equal((await requestKeys(bearer, request, signal())).keys.length, 2);
      assert.equal(
        (await requestKeys(providerOf({ speke_url: open.url, credentials: null }), request, signal())).keys.length,
        2,
      );
    } finally {
      await other.close();
      await open.close();
    }
  });

  const FAULTS: Partial<Record<Fault, RegExp>> = {
    'wrong kid': /no key for the kid/u,
    'wrong scheme': /key for cenc where cbcs/u,
    'no scheme': /no scheme known/u,
    'short key': /no key of 16 bytes/u,
    'encrypted key': /encrypted key/u,
    'bad iv': /explicitIV/u,
    'no signals': /no PSSH for WIDEVINE/u,
    'foreign pssh': /not one box of WIDEVINE/u,
    'bad hls': /HLSSignalingData of WIDEVINE/u,
    'other content': /another content id/u,
    failure: /failed \(HTTP 500\)/u,
    half: /closed the connection|could not be spoken to/u,
    huge: /more than 262144 bytes/u,
    dtd: /document type/u,
    'not xml': /not well-formed/u,
    'not cpix': /not a CPIX document/u,
    redirect: /redirects to https:\/\/elsewhere\.example\.org;/u,
    echo: /refuses the request for keys \(HTTP 400\)/u,
  };
  for (const [fault, pattern] of Object.entries(FAULTS) as [Fault, RegExp][]) {
    it(`a SPEKE v2 key server with the fault ${fault} is refused`, async () => {
      server.fault = fault;
      assert.match((await rejected(requestKeys(provider, request, signal()), 'upstream_failed')).message, pattern);
    });
  }

  describe('with encrypted content keys', () => {
    const delivery_key = newDeliveryKey();
    const encrypted = (): DrmProvider => ({ ...provider, encrypt_keys: true, delivery_key });

    it('keys that were encrypted for the certificate of the provider are those that the server has, with a MAC or without', async () => {
      for (const fault of [undefined, 'no mac'] as const) {
        server.fault = fault;
        const { keys } = await requestKeys(encrypted(), request, signal());
        assert.deepEqual(
          keys.map(({ kid, key, iv }) => ({ kid, key, iv })),
          Object.values(request.kids).map((kid) => ({ kid, ...server.keyOf(kid) })),
        );
      }
      const [delivery] = [server.requests[0]!.document['cpix:DeliveryDataList']['cpix:DeliveryData']];
      const certificate = delivery['cpix:DeliveryKey']['ds:X509Data']['ds:X509Certificate'];
      assert.equal(certificate, delivery_key.certificate);
      assert.deepEqual(await checkDrmProvider(encrypted(), signal()), { valid: true });
    });

    const ENCRYPTED_FAULTS: Partial<Record<Fault, RegExp>> = {
      'plain key': /plain key for the kid .* where an encrypted one was asked for \(encrypt_keys\)/u,
      'bad mac': /whose MAC does not fit/u,
      'other certificate': /document key that was encrypted for another certificate/u,
      'other algorithm': /names another algorithm for a document key/u,
      'no document key': /no document key for the certificate/u,
      'short key': /no key of 16 bytes/u,
    };
    for (const [fault, pattern] of Object.entries(ENCRYPTED_FAULTS) as [Fault, RegExp][])
      it(`encrypted keys with the fault ${fault} are refused`, async () => {
        server.fault = fault;
        assert.match((await rejected(requestKeys(encrypted(), request, signal()), 'upstream_failed')).message, pattern);
      });

    it('the certificate is one that OpenSSL reads, of an RSA key of 2048 bits', { skip: opensslMissing }, () => {
      const input = certificatePem(delivery_key);
      const { status, stdout, stderr } = spawnSync('openssl', ['x509', '-noout', '-text'], { input });
      assert.equal(status, 0, String(stderr));
      assert.match(String(stdout), /Subject: CN = onair[\s\S]*2048 bit/u);
      assert.equal(spawnSync('openssl', ['x509', '-noout', '-checkend', '0'], { input }).status, 0);
    });
  });

  it('the refusal of a SPEKE v2 key server gives its words, without the credentials that it repeats', async () => {
    server.fault = 'failure';
    assert.equal(
      (await rejected(requestKeys(provider, request, signal()), 'upstream_failed')).extras.upstream,
      'vault is sealed',
    );
    server.fault = 'echo';
    assert.equal(
      (await rejected(requestKeys(provider, request, signal()), 'upstream_failed')).extras.upstream,
      'cannot serve Basic **** (onair:****)',
    );
  });

  it('the check of a SPEKE v2 key server tells wrong credentials, a wrong tenant and a wrong URL apart', async () => {
    const credentials = { ...NONE, username: 'onair', password: 'canary-other' };
    const refusals: [Partial<DrmProvider>, RegExp][] = [
      [{ credentials }, /refuses the credentials \(HTTP 401\)/u],
      [{ tenant_id: 'other' }, /refuses the credentials \(HTTP 403\).*tenant_id/u],
      [{ speke_url: server.url.replace('v2.0', 'v1') }, /no SPEKE service at this URL \(HTTP 404\)/u],
    ];
    for (const [fields, pattern] of refusals) {
      const error = await rejected(requestKeys({ ...provider, ...fields }, request, signal()), 'upstream_failed');
      assert.match(error.message, pattern);
    }
  });

  it('the check of a SPEKE v2 key server says that nobody listens, or that the other side speaks another protocol', async () => {
    const loud = createServer((socket) =>
      socket.on('error', () => undefined).end('220 ftp ready\r\n', () => socket.resume()),
    );
    await new Promise<void>((resolve) => loud.listen(0, '127.0.0.1', resolve));
    const { port } = loud.address() as AddressInfo;
    const at = (scheme: string): Promise<ContentKeys> =>
      requestKeys({ ...provider, speke_url: `${scheme}://127.0.0.1:${port}/` }, request, signal());
    assert.match((await rejected(at('http'), 'upstream_failed')).message, /does not speak HTTP/u);
    assert.match((await rejected(at('https'), 'upstream_failed')).message, /TLS|closed/u);
    await new Promise((resolve) => loud.close(resolve));
    assert.match((await rejected(at('http'), 'upstream_failed')).message, /refuses connections \(ECONNREFUSED\)/u);
  });

  it('a key server with a certificate that nobody vouches for is refused', { skip: opensslMissing }, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'onair-tls-'));
    const { key, certificate } = selfSigned(dir);
    const secure = createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate) }, () =>
      assert.fail('was trusted'),
    );
    try {
      await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
      const speke_url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/`;
      const error = await rejected(requestKeys({ ...provider, speke_url }, request, signal()), 'upstream_failed');
      assert.match(error.message, /certificate that is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/u);
    } finally {
      await closed(secure);
      rmSync(dir, { recursive: true });
    }
  });

  it('the wait for a silent SPEKE v2 key server ends when the caller ends it', async () => {
    server.fault = 'silence';
    const caller = new AbortController();
    const pending = requestKeys(provider, request, caller.signal);
    setImmediate(() => caller.abort());
    await rejected(pending, 'timeout');
  });

  it('a SPEKE v2 key server is found valid by a key that it really delivers, the same for each check', async () => {
    assert.deepEqual(await checkDrmProvider(provider, signal()), { valid: true });
    assert.deepEqual(await checkDrmProvider({ ...provider, supported_systems: ['WIDEVINE'] }, signal()), {
      valid: true,
    });
    const [first, second] = server.requests.map(
      ({ document }) => document['cpix:ContentKeyList']['cpix:ContentKey'][0],
    );
    assert.equal(first.kid, second.kid);
    assert.deepEqual([first.commonEncryptionScheme, second.commonEncryptionScheme], ['cbcs', 'cenc']);
    server.fault = 'failure';
    const finding = await checkDrmProvider(provider, signal());
    assert.ok(!finding.valid && /HTTP 500.*It said: vault is sealed/u.test(finding.reason), JSON.stringify(finding));
  });
});

describe('STATIC keys', () => {
  const kid = (digit: string): string => digit.repeat(32);
  const entry = (digit: string, fields: object) => ({
    contentid: null,
    track: 'ALL' as const,
    kid: kid(digit),
    key: kid('9'),
    iv: null,
    ...fields,
  });
  const provider = providerOf({
    provider_type: 'STATIC',
    credentials: {
      ...NONE,
      keys: [
        entry('1', {}),
        entry('2', { contentid: 'news' }),
        entry('3', { contentid: 'news', track: 'AUDIO', iv: kid('8') }),
      ],
    },
  });
  const ask = (request: Partial<KeyRequest>): Promise<ContentKeys> =>
    requestKeys(
      provider,
      {
        contentid: 'news',
        kids: { ALL: kid('0') },
        systems: ['WIDEVINE', 'FAIRPLAY'],
        encryption_mode: 'cenc',
        ...request,
      },
      signal(),
    );

  it('STATIC keys are found by content and track; what has none of its own gets those for any other', async () => {
    const split = await ask({ kids: { VIDEO: kid('0'), AUDIO: kid('4') }, encryption_mode: 'cbcs' });
    assert.deepEqual(
      split.keys.map((key) => [key.track, key.kid, key.iv]),
      [
        ['VIDEO', kid('2'), kid('2')],
        ['AUDIO', kid('3'), kid('8')],
      ],
    );
    assert.deepEqual((await ask({ contentid: 'sport' })).keys, [
      { track: 'ALL', kid: kid('1'), key: kid('9'), iv: null },
    ]);
  });

  it('STATIC keys of a period are made of the stored one and the key id of the period', async () => {
    const [key] = (await ask({ period: 7, encryption_mode: 'cbcs' })).keys;
    const made = createHmac('sha256', Buffer.from(kid('9'), 'hex'))
      .update(Buffer.from(kid('0'), 'hex'))
      .digest('hex');
    assert.deepEqual(key, { track: 'ALL', kid: kid('0'), key: made.slice(0, 32), iv: kid('0') });
  });

  it('STATIC keys come with the boxes that can be made without a licence server', async () => {
    const { signals } = await ask({});
    assert.deepEqual(
      signals.map(({ system, pssh }) => [system, pssh === null]),
      [
        ['WIDEVINE', false],
        ['FAIRPLAY', true],
      ],
    );
  });

  it('STATIC keys are missing for a track that none was given for', async () => {
    const audio = { ...provider, credentials: { ...NONE, keys: [entry('3', { track: 'AUDIO' })] } };
    await rejected(
      requestKeys(audio, { contentid: 'x', kids: { VIDEO: kid('0') }, systems: [], encryption_mode: 'cenc' }, signal()),
      'rule_violated',
    );
    assert.deepEqual(await checkDrmProvider(audio, signal()), { valid: true });
  });
});
