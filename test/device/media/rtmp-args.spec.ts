import assert from 'node:assert/strict';
import { test } from 'node:test';
import { srtTarget } from '../../../device/media/arguments/srt-args.ts';
import { rtmpArgs, rtmpBytesArgs, rtmpReason, rtmpTarget } from '../../../device/media/arguments/rtmp-args.ts';

test('an RTMP key is in the preset, never in the arguments', () => {
  assert.deepEqual(rtmpTarget('rtmp://a.example/live2', 'key?x=1'), {
    url: 'rtmp://a.example/live2',
    peer: 'a.example',
    secure: false,
    preset: 'rtmp_app=live2\nrtmp_playpath=key?x=1\n',
  });
  assert.deepEqual(rtmpTarget('rtmps://b.example:443/app/pasted-key?t=1', null), {
    url: 'rtmps://b.example:443/app',
    peer: 'b.example:443',
    secure: true,
    preset: 'rtmp_app=app\nrtmp_playpath=pasted-key?t=1\n',
  });
  assert.deepEqual(rtmpTarget('rtmp://c/app/instance?auth=2', 'k'), {
    url: 'rtmp://c/app',
    peer: 'c',
    secure: false,
    preset: 'rtmp_app=app/instance?auth=2\nrtmp_playpath=k\n',
  });
  assert.throws(() => rtmpTarget('rtmp://user:pw@c/app', 'k'), /holds a user name or password/u);
  assert.throws(() => rtmpTarget('rtmp://c/app', 'k\nrtmp_app=other'), TypeError);
  const connection = {
    target: rtmpTarget('rtmp://a/live', 'canary'),
    presetFile: '/run/key.preset',
    authoritiesFile: undefined,
  };
  for (const line of [rtmpArgs(connection, 'mp4a').join(' '), rtmpBytesArgs(connection).join(' ')]) {
    assert.ok(!line.includes('canary') && !line.includes('tls_verify'));
    assert.match(line, /-fpre \/run\/key\.preset rtmp:\/\/a\/live$/u);
  }
});

test('nothing that a key holds becomes an option of its own', () => {
  // fgets takes 999 bytes: what stands behind would begin a line.
  const attack = `${'z'.repeat(985)}tls_verify=0`;
  assert.throws(() => rtmpTarget(`rtmps://127.0.0.1:1/app/${attack}`, null), /997 bytes is too long; use at most 900/u);
  assert.throws(() => rtmpTarget(`rtmps://127.0.0.1:1/${attack}`, null), TypeError);
  assert.throws(() => rtmpTarget('rtmps://a/app', '漢'.repeat(330)), TypeError);
  const { preset } = rtmpTarget(`rtmps://a/${'a'.repeat(900)}/${'k'.repeat(900)}`, null);
  for (const line of preset.split('\n')) assert.ok(Buffer.byteLength(line) < 999);
  for (const key of ['a\nb', 'a\rb', 'a\0b', 'a\tb', 'a\u007fb'])
    assert.throws(() => rtmpTarget('rtmp://c/app', key), /control characters/u);
  const srt = { latency_ms: 120, encryption: 128, passphrase: 'long enough\nmode=listener' } as const;
  assert.throws(() => srtTarget('srt://a:9000', null, srt), /control characters/u);
});

test('a certificate is always verified', () => {
  const target = rtmpTarget('rtmps://a/live', 'k');
  const named = rtmpArgs({ target, presetFile: '/p', authoritiesFile: '/ca.pem' }, 'mp4a').join(' ');
  assert.match(named, / -tls_verify 1 -ca_file \/ca\.pem /u);
  assert.match(
    rtmpBytesArgs({ target, presetFile: '/p', authoritiesFile: undefined }).join(' '),
    / -tls_verify 1 -fpre/u,
  );
});

test('ffmpeg’s message about a failed RTMP connection is turned into a plain reason', () => {
  const cases: [string, RegExp][] = [
    ['[rtmp] [error] Server error: The key is wrong.', /^The server a:1 refuses the stream: The key is wrong\. Check/u],
    ['[error] Failed to resolve hostname a: Name or service not known', /not known/u],
    ['[tcp] [error] Connection to tcp://a:1 failed: Connection refused', /nothing listens/u],
    ['[error] rtmp://a:1/live: Input/output error', /hung up before it took the stream\. Check the application and/u],
    ['[error] av_interleaved_write_frame(): Broken pipe', /closed the connection/u],
    ['[tls] [error] Peer certificate failed verification', /not signed by an authority/u],
    ["[tls] [error] The certificate's owner does not match hostname a", /for another host/u],
  ];
  for (const [words, reason] of cases) assert.match(rtmpReason(words, 'a:1')!, reason);
  assert.equal(rtmpReason('[warning] something else', 'a:1'), undefined);
});
