import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closedConnection,
  failedConnection,
  redirectedTarget,
  refusedStream,
  rtmpTarget,
} from '../../../device/media/rtmp/rtmp-target.ts';
import { srtTarget } from '../../../device/media/arguments/srt-args.ts';
import { isKeyRefusal } from '../../../device/media/ffmpeg-output/source-reason.ts';

test('an RTMP address is split into server, application and key', () => {
  assert.deepEqual(rtmpTarget('rtmp://a.example/live2', 'key?x=1'), {
    url: 'rtmp://a.example:1935/live2',
    app: 'live2',
    key: 'key?x=1',
    host: 'a.example',
    port: 1935,
    peer: 'a.example',
    secure: false,
  });
  assert.deepEqual(rtmpTarget('rtmps://b.example:444/app/pasted-key?t=1', null), {
    url: 'rtmps://b.example:444/app',
    app: 'app',
    key: 'pasted-key?t=1',
    host: 'b.example',
    port: 444,
    peer: 'b.example:444',
    secure: true,
  });
  const { url, host, port } = rtmpTarget('rtmps://[::1]/app/instance?auth=2', 'k');
  assert.deepEqual([url, host, port], ['rtmps://[::1]:443/app/instance?auth=2', '::1', 443]);
});

test('a redirect leads to an application elsewhere with the same key, and never out of TLS', () => {
  const from = rtmpTarget('rtmps://a.example/live', 'the-key');
  const led = (redirect: string): string[] => {
    const { host, port, app, key } = redirectedTarget(from, redirect);
    return [host, String(port), app, key];
  };
  assert.deepEqual(led('rtmps://b.example:444/edge/x?t=1'), ['b.example', '444', 'edge/x?t=1', 'the-key']);
  assert.deepEqual(led('rtmps://b.example/edge/the-key'), ['b.example', '443', 'edge', 'the-key']);
  assert.deepEqual(led('rtmps://b.example'), ['b.example', '443', 'live', 'the-key']);
  for (const [redirect, why] of [
    ['rtmp://b.example/live', /no TLS/u],
    ['https://b.example/live', /none of RTMP/u],
    ['/live', /none of RTMP/u],
    ['rtmps://user:pw@b.example/live', /user name or password/u],
  ] as const)
    assert.throws(() => redirectedTarget(from, redirect), why, redirect);
});

test('an address or a key that no server could be given is refused', () => {
  assert.throws(() => rtmpTarget('rtmp://user:pw@c/app', 'k'), /holds a user name or password/u);
  assert.throws(
    () => rtmpTarget(`rtmps://127.0.0.1:1/app/${'z'.repeat(997)}`, null),
    /997 bytes is too long; use at most 900/u,
  );
  assert.throws(() => rtmpTarget(`rtmps://127.0.0.1:1/${'z'.repeat(997)}`, null), TypeError);
  assert.throws(() => rtmpTarget('rtmps://a/app', '漢'.repeat(330)), TypeError);
  for (const key of ['a\nb', 'a\rb', 'a\0b', 'a\tb', 'a\u007fb'])
    assert.throws(() => rtmpTarget('rtmp://c/app', key), /control characters/u);
  const srt = { latency_ms: 120, encryption: 128, passphrase: 'long enough\nmode=listener' } as const;
  assert.throws(() => srtTarget('srt://a:9000', null, srt), /control characters/u);
});

test('the failure of an RTMP connection is said in plain words', () => {
  const cases: [code: string | undefined, hasAccepted: boolean, reason: RegExp][] = [
    ['ENOTFOUND', false, /^The server a:1 is not known in the name service\.$/u],
    ['ECONNREFUSED', false, /nothing listens/u],
    ['ECONNRESET', false, /hung up before it took the stream\. Check the application and/u],
    ['EPIPE', true, /closed the connection/u],
    ['ETIMEDOUT', true, /timed out/u],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, /not signed by an authority/u],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', false, /not signed by an authority/u],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, /for another host/u],
    ['CERT_HAS_EXPIRED', false, /has expired/u],
    ['ERR_SSL_WRONG_VERSION_NUMBER', false, /does not speak RTMPS/u],
    [undefined, false, /^The delivery has ended \(words\)\.$/u],
  ];
  for (const [code, hasAccepted, reason] of cases)
    assert.match(failedConnection(code, 'words', hasAccepted, 'a:1'), reason);
  assert.match(closedConnection(false, 'a:1'), /hung up/u);
  assert.equal(
    refusedStream('The key is wrong', 'a:1'),
    'The server a:1 refuses the stream: The key is wrong. Check the application and the stream key.',
  );
  const repeated = refusedStream('No application live?authmod=adobe&user=u&response=canary here', 'a:1');
  assert.match(repeated, /No application live here\. Check/u);
  for (const words of ['The key is wrong.', 'NetStream.Publish.BadName', 'Access denied'])
    assert.ok(isKeyRefusal(words));
  assert.equal(isKeyRefusal('The server is full.'), false);
});
