/** Pushes to a bucket: each signature is checked by the server of the tests. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { bucketUrl, parseBucketAddress } from '../../../domain/network/bucket-address.ts';
import { signedHeaders } from '../../../device/media/manifests/bucket-signature.ts';
import { pushTarget } from '../../../device/media/manifests/push-target.ts';
import { builtInReach } from '../../../device/network-rules.ts';
import { PushClient } from '../../../device/runner/outputs/origins/push-client.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { startS3 } from '../../helpers/servers/s3.ts';

const KEYS = { accessKey: 'KEYOFLIVE', secretKey: 'canary-secret-of-live' };
const HOUR_MS = 3_600_000;

function clientOf(t: TestScope, url: string, keys = KEYS, offsetMs = 0): PushClient {
  const clock = { now: () => Date.now() + offsetMs };
  const client = new PushClient(pushTarget(url, null, null, keys), () => [], builtInReach(), clock);
  cleanUp(t, () => client.close());
  return client;
}

test('a request is signed as the example of AWS is', () => {
  const headers = signedHeaders(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      headers: { range: 'bytes=0-9' },
      body: undefined,
      now: Date.UTC(2013, 4, 24),
    },
    { region: 'us-east-1', accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  );
  assert.match(
    headers['authorization']!,
    /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/u,
  );
});

test('an address of a bucket is that of AWS, of R2 or of another server', () => {
  const of = (address: string): string => bucketUrl(parseBucketAddress(address)).href;
  assert.equal(of('s3://live/a/b?region=eu-central-1'), 'https://live.s3.eu-central-1.amazonaws.com/a/b/');
  assert.equal(of('s3://live.example'), 'https://s3.us-east-1.amazonaws.com/live.example/');
  const r2 = 's3://live/news?endpoint=https://account.r2.cloudflarestorage.com&region=auto';
  assert.equal(of(r2), 'https://account.r2.cloudflarestorage.com/live/news/');
  assert.equal(of('s3://live/(x)?endpoint=http://minio:9000&path_style=false'), 'http://live.minio:9000/%28x%29/');
});

test('files get into a bucket by requests that its server finds signed, and refusals are put into words', async (t) => {
  const server = await startS3(KEYS.accessKey, KEYS.secretKey);
  cleanUp(t, () => server.stop());
  const endpoint = `http://127.0.0.1:${server.port}`;
  const address = `s3://clips/on air/(1)?endpoint=${endpoint}&region=auto`.replace(' ', '%20');
  const client = clientOf(t, address);
  await client.put('11/0-run.ts', Buffer.from('segment'));
  await client.put('11/index.m3u8', Buffer.from('#EXTM3U'));
  const get = async (path: string): Promise<Response> => {
    const url = new URL(`${endpoint}/clips/on%20air/%281%29/${path}`);
    const request = { method: 'GET', url, headers: {}, body: undefined, now: Date.now() };
    return fetch(url, { headers: signedHeaders(request, { ...KEYS, region: 'auto' }) });
  };
  const segment = await get('11/0-run.ts');
  assert.equal(await segment.text(), 'segment');
  assert.equal(segment.headers.get('content-type'), 'video/mp2t');
  assert.equal(segment.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const playlist = await get('11/index.m3u8');
  assert.equal(await playlist.text(), '#EXTM3U');
  assert.equal(playlist.headers.get('cache-control'), 'public, no-cache, max-age=1');
  assert.equal(await client.remove('11/0-run.ts'), true);
  assert.equal((await get('11/0-run.ts')).status, 404);
  const refused = async (url: string, keys: typeof KEYS, expected: RegExp): Promise<void> => {
    await assert.rejects(clientOf(t, url, keys).put('11/1.ts', Buffer.from('x')), (error: Error) => {
      assert.match(error.message, expected);
      assert.ok(!/canary|KEYOFLIVE/u.test(error.message), error.message);
      return true;
    });
  };
  const wrong = { ...KEYS, secretKey: 'canary-of-another' };
  await refused(
    address,
    wrong,
    /bucket clips .* the access key or the secret key is wrong \(403 SignatureDoesNotMatch\)/u,
  );
  await refused(address, { ...KEYS, accessKey: 'UNKNOWN' }, /key is wrong \(403 InvalidAccessKeyId\)/u);
  await refused(`s3://readonly?endpoint=${endpoint}`, KEYS, /no right to put files there \(403 AccessDenied\)/u);
  await refused(`s3://nowhere?endpoint=${endpoint}`, KEYS, /there is no such bucket \(404 NoSuchBucket\)/u);
});

test('a clock that is an hour off does not keep files from a bucket, and is named where it does', async (t) => {
  let says = true;
  const requested: number[] = [];
  const taken: number[] = [];
  const server = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => {
      const date = String(incoming.headers['x-amz-date']);
      const at = Date.parse(date.replace(/(....)(..)(..T..)(..)/u, '$1-$2-$3:$4:'));
      outgoing.sendDate = says;
      // The first request tells how far that clock is off; who has heard of it comes with another one.
      requested.push(at);
      if (says && Math.abs(at - (requested[0] ?? at)) > HOUR_MS / 2) taken.push(at);
      else outgoing.statusCode = 403;
      outgoing.end(outgoing.statusCode === 403 ? '<Error><Code>RequestTimeTooSkewed</Code></Error>' : '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `s3://live?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = clientOf(t, url, KEYS, -HOUR_MS);
  await client.put('11/0.ts', Buffer.from('x'));
  await client.put('11/1.ts', Buffer.from('x'));
  assert.equal(taken.length, 2);
  says = false;
  await assert.rejects(
    clientOf(t, url, KEYS, HOUR_MS).put('11/2.ts', Buffer.from('x')),
    /clock of this Device is wrong; set it/u,
  );
});
