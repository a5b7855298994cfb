import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DatagramCutter,
  datagramTarget,
  isMulticast,
  Pacer,
  RtpHeaders,
} from '../../../device/media/mpeg-ts/datagrams.ts';
import { srtArgs, srtReason, srtTarget } from '../../../device/media/arguments/srt-args.ts';

const clear = { latency_ms: 200, encryption: 0, passphrase: null } as const;
const secret = { latency_ms: 80, encryption: 256, passphrase: 'canary-phrase' } as const;

test('SRT secrets are in the preset, never in the arguments', () => {
  const target = srtTarget('srt://a.example:9000?mode=listener&streamid=other', '#!::r=canary-id,m=publish', secret);
  assert.deepEqual(target, {
    url: 'srt://a.example:9000?mode=listener&latency=80000&pkt_size=1316&pbkeylen=32',
    peer: 'a.example:9000',
    port: 9000,
    mode: 'listener',
    preset: 'passphrase=canary-phrase\nsrt_streamid=#!::r=canary-id,m=publish\n',
  });
  const line = srtArgs(target, '/run/srt.preset').join(' ');
  assert.ok(!line.includes('canary'));
  assert.match(line, / -fpre \/run\/srt\.preset srt:\/\/a\.example:9000\?/u);
  assert.ok(!srtArgs(srtTarget('srt://a:1', null, clear), '/x').includes('-fpre'));
});

test('an SRT address may say what other programs write into it', () => {
  const output = srtTarget(
    'srt://[::1]:9?latency=120&passphrase=canary-pasted&pbkeylen=24&streamid=a%2Fb',
    null,
    clear,
  );
  assert.equal(output.url, 'srt://[::1]:9?mode=caller&latency=120000&pkt_size=1316&connect_timeout=2000&pbkeylen=24');
  assert.equal(output.preset, 'passphrase=canary-pasted\nsrt_streamid=a/b\n');
  assert.match(srtTarget('srt://a:1?latency=300000', null, clear).url, /latency=300000&/u, 'microseconds');
  const stored = srtTarget('srt://a:1', null, { ...clear, passphrase: 'canary-phrase' });
  assert.match(stored.url, /&pbkeylen=16$/u, 'a passphrase is used, whatever an earlier version stored beside it');
  assert.equal(stored.preset, 'passphrase=canary-phrase\n');
  for (const [address, key] of [
    ['srt://a', null],
    ['srt://u:p@a:1', null],
    ['srt://a:1?mode=rendezvous', null],
    ['srt://a:1?pbkeylen=20', null],
    ['srt://a:1?latency=soon', null],
    ['srt://a:1?passphrase=short', null],
    ['srt://a:0', null],
    ['srt://a:1', 'k\npassphrase=other'],
    ['srt://a:1', 'k'.repeat(513)],
  ] as const)
    assert.throws(() => srtTarget(address, key, clear), TypeError, address);
});

test('the reason why an SRT peer refuses is put into words', () => {
  const failed = '[error] Connection to srt://a:1?mode=caller failed: Input/output error';
  const refused = `11:00:01.2/SRT:RcvQ:w1!W:SRT.cn: processAsyncConnectRequest: REJECT reported from HS processing: Incorrect passphrase - not processing further`;
  assert.equal(srtReason(failed, 'a:1'), 'The SRT peer a:1 does not answer.');
  assert.match(srtReason(`${refused}\n${failed}`, 'a:1')!, /refuses the connection: Incorrect passphrase\.$/u);
  assert.match(srtReason('[error] av_interleaved_write_frame(): Input/output error', 'a:1')!, /a:1 has gone/u);
  assert.match(srtReason('[error] srt://a:1?mode=listener: Address already in use', 'a:1')!, /port of a:1 is in use/u);
  assert.equal(srtReason('[warning] something else', 'a:1'), undefined);
});

test('UDP and RTP addresses are read with their options, and bad ones are refused', () => {
  assert.deepEqual(datagramTarget('udp://@239.1.1.1:5000?ttl=4&localaddr=127.0.0.1&fifo_size=9'), {
    rtp: false,
    host: '239.1.1.1',
    port: 5000,
    ttl: 4,
    localAddress: '127.0.0.1',
  });
  assert.deepEqual(datagramTarget('rtp://[ff02::1]:6000'), {
    rtp: true,
    host: 'ff02::1',
    port: 6000,
    ttl: undefined,
    localAddress: undefined,
  });
  for (const bad of ['udp://h', 'udp://h:0', 'udp://h:5000?ttl=256', 'rtp://h:1?ttl=x'])
    assert.throws(() => datagramTarget(bad), TypeError);
  assert.deepEqual(
    ['223.255.255.255', '224.0.0.1', '239.255.0.1', '240.0.0.1', 'ff02::1', 'fe80::1'].map(isMulticast),
    [false, true, true, false, true, false],
  );
});

test('datagrams hold seven packets; an RTP header counts on past its ends', () => {
  const cutter = new DatagramCutter();
  const packets = (from: number, count: number): Buffer =>
    Buffer.concat(Array.from({ length: count }, (_, i) => Buffer.alloc(188, from + i)));
  assert.deepEqual(cutter.push(packets(0, 6)), []);
  const [first, second, ...more] = cutter.push(packets(6, 9));
  assert.deepEqual([first!.length, first![0], second![0], second![1315], more.length], [1316, 0, 7, 13, 0]);
  const [last, ...none] = cutter.finish();
  assert.deepEqual([last!.length, last![0], last!.readUInt32BE(188), none.length], [1316, 14, 0x471fff10, 0]);
  assert.deepEqual(cutter.finish(), []);
  const headers = new RtpHeaders({ sequence: 0xffff, timestamp: 2 ** 32 - 45_000, ssrc: 0xfeedbeef });
  assert.equal(headers.next(0).toString('hex'), '8021ffffffff5038feedbeef');
  assert.equal(headers.next(1000).toString('hex'), '802100000000afc8feedbeef', 'half a second past the wrap');
});

test('a burst leaves evenly within its time, in order', () => {
  const pacer = new Pacer(30);
  pacer.add(
    Array.from({ length: 60 }, (_, i) => Buffer.from([i])),
    1000,
  );
  const ticks = [1000, 1005, 1010, 1015, 1020, 1025, 1030].map((now) => pacer.take(now, 5));
  assert.deepEqual(
    ticks.map(({ length }) => length),
    [10, 10, 10, 10, 10, 10, 0],
  );
  assert.deepEqual(
    ticks.flat().map((datagram) => datagram[0]),
    Array.from({ length: 60 }, (_, i) => i),
  );
  assert.equal(pacer.bytes, 0);
});
