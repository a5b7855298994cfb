/** Transport streams that are copied without an ffmpeg: real senders by UDP, RTP, multicast and SRT into a real runner. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { isTransportStream, rtpPayload, rtpSender } from '../../../device/media/rtsp/rtp-payload.ts';
import { datagramSource } from '../../../device/runner/copies/datagram-source.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { itLong, someOf } from '../../helpers/counts.ts';
import { lossyRelay } from '../../helpers/lossy-relay.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { startPush } from '../push/push-fixture.ts';
import { feed, type Feeder } from './feeder.ts';
import { decoded } from './receivers.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { rendered } from './viewing.ts';

const COPY = (() => {
  const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
  return [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
})();
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const countOf = (runner: TestRunner, kind: string): number =>
  runner.events().filter((event) => event.kind === kind).length;

function begin(t: TestScope, dir: string, from: RunSpec['source']): TestRunner {
  return startRunner(t, dir, runSpec('transport', from, HLS, { renditions: COPY, startTimeoutSeconds: 60 }));
}

const KINDS = [
  ['UDP', 'mpegts', (port: number) => `udp://127.0.0.1:${port}`, '?pkt_size=1316'],
  ['RTP', 'rtp_mpegts', (port: number) => `rtp://127.0.0.1:${port}`, ''],
  ['multicast', 'mpegts', (port: number) => `udp://239.255.77.4:${port}?localaddr=127.0.0.1`, '&pkt_size=1316'],
] as const;
for (const [name, muxer, addressOf, more] of someOf(KINDS, 1))
  test(`a copy by ${name} needs no ffmpeg, is lost with its sender, and goes on with the next one`, async (t) => {
    const dir = folder(t);
    const file = clip(dir);
    // RTP wants an even port, with its control port beside it.
    const address = addressOf((await freePort()) & ~1);
    const push = (): Feeder => feed(t, file, '-f', muxer, `${address}${more}`);
    const first = push();
    const runner = begin(t, dir, source('Stream', { url: address }));
    await running(runner);
    await until('segments', () => rendered(dir).length > 1);
    assert.deepEqual(runner.children(), []);
    first.kill();
    await until('it is lost', () => countOf(runner, 'source_lost') > 0);
    push();
    await until('it is back', () => countOf(runner, 'source_restored') > 0);
    const known = rendered(dir).length;
    await until('segments of the next one', () => rendered(dir).length > known + 1);
    assert.deepEqual([runner.children(), countOf(runner, 'source_lost')], [[], 1]);
    await runner.stop();
    assert.equal(await runner.exited, 0);
    const broken: string[] = [];
    for (const path of rendered(dir).slice(1, -1)) {
      const { video, audio, complaints } = await decoded(path);
      assert.ok(video > 0 && audio > 0, `${path}: ${video} ${audio}`);
      if (complaints !== '') broken.push(`${path}: ${complaints}`);
    }
    // The last picture of the sender that was killed is half a one.
    assert.ok(broken.length <= 1, broken.join('\n'));
  });

test('an address is read as ffmpeg reads it, and one with options that ffmpeg alone knows is left to it', () => {
  const read = (address: string): string => {
    const own = datagramSource(address);
    if (own === undefined) return 'ffmpeg';
    const { isRtp, port, isIPv6, group = 'none', localAddress = 'any', senders, isShared } = own;
    return [isRtp ? 'rtp' : 'udp', port, isIPv6 ? 6 : 4, group, localAddress, senders.join('+'), isShared].join(' ');
  };
  const rows: [string, string][] = [
    ['udp://127.0.0.1:5000', 'udp 5000 4 none any  false'],
    ['rtp://[::1]:5000?reuse=1&pkt_size=1316&fifo_size=9', 'rtp 5000 6 none any  true'],
    ['udp://@239.1.2.3:5000?localaddr=10.0.0.1', 'udp 5000 4 239.1.2.3 10.0.0.1  true'],
    ['udp://232.1.2.3:5000?sources=10.0.0.8,10.0.0.9&reuse=0', 'udp 5000 4 232.1.2.3 any 10.0.0.8+10.0.0.9 false'],
    ['udp://[ff02::1]:5000', 'udp 5000 6 ff02::1 any  true'],
    ['udp://127.0.0.1:5000?timeout=9000000', 'ffmpeg'],
    ['udp://239.1.2.3:5000?block=10.0.0.8', 'ffmpeg'],
  ];
  for (const [address, wanted] of rows) assert.equal(read(address), wanted, address);
});

test('the payload of RTP is found behind senders, extensions and before padding', () => {
  const packet = (first: number, more: string): Buffer =>
    Buffer.concat([
      Buffer.from([first, 33]),
      Buffer.alloc(6),
      Buffer.from('0000002a', 'hex'),
      Buffer.from(more, 'hex'),
    ]);
  const payloads = [
    packet(0x80, '4747'),
    packet(0x82, '0000000100000002' + '4747'),
    packet(0x90, 'bede0001' + '00000000' + '4747'),
    packet(0xa0, '4747' + '000003'),
    packet(0x90, 'bede00ff' + '4747'),
    packet(0xa0, '47ff'),
  ].map((one) => [rtpSender(one), isTransportStream(one), rtpPayload(one).toString('hex')]);
  assert.deepEqual(payloads, [...Array(4).fill([42, true, '4747']), [42, true, ''], [42, true, '']]);
  assert.equal(rtpSender(Buffer.from('47000000', 'hex')), undefined);
});

test('lost datagrams of a copy are told by an event with their places, and it goes on', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const line = await lossyRelay(t, port, { lossPercent: 2, delayMs: 0 });
  const runner = begin(t, dir, source('Stream', { url: `udp://127.0.0.1:${port}` }));
  feed(t, clip(dir), '-f', 'mpegts', `udp://127.0.0.1:${line.port}?pkt_size=1316`);
  await running(runner);
  await until('it is told', () => countOf(runner, 'source_gap') > 0);
  const { message, data } = runner.events().find(({ kind }) => kind === 'source_gap')!;
  assert.match(message, /^Channel "Feed": packets are missing in (?:one place|\d+ places): its network has lost them/u);
  assert.ok(Number(data['losses']) > 0, JSON.stringify(data));
  const known = rendered(dir).length;
  await until('more segments', () => rendered(dir).length > known + 1);
});

itLong('a copy of an SRT push is read in the runner, over the death of its encoder', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const settings = {
    host: '127.0.0.1',
    port: await freePort(),
    mode: 'listener',
    latency_ms: 120,
    encryption: 0,
  } as const;
  const from = source('SRT', settings);
  await startPush(t, dir, { channelId: from.channelId, name: from.name, type: 'SRT', settings });
  const call = (): Feeder => feed(t, file, '-f', 'mpegts', `srt://127.0.0.1:${settings.port}`);
  const runner = begin(t, dir, from);
  const first = call();
  await running(runner);
  first.kill();
  await until('it is lost', () => countOf(runner, 'source_lost') > 0);
  await until('the next encoder', async () => {
    const next = call();
    return (
      (await Promise.race([next.ended, until('it is back', () => countOf(runner, 'source_restored') > 0)])) === true
    );
  });
  const known = rendered(dir).length;
  await until('segments of the next one', () => rendered(dir).length > known + 1);
  assert.deepEqual(runner.children(), []);
});

itLong('a stream that is not read here goes to ffmpeg, which is told once', async (t) => {
  const dir = folder(t);
  const file = join(dir, 'old.ts');
  const lavfi = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25', '-f', 'lavfi', '-i', 'sine=f=440', '-t', '10'];
  execFileSync('ffmpeg', ['-v', 'error', ...lavfi, '-c:v', 'libx264', '-g', '25', '-c:a', 'eac3', file]);
  const address = `udp://127.0.0.1:${await freePort()}`;
  const first = feed(t, file, '-f', 'mpegts', `${address}?pkt_size=1316`);
  const runner = begin(t, dir, source('Stream', { url: address }));
  await running(runner);
  const given = (): unknown[] =>
    runner.events().flatMap(({ data }) => (data['change'] === 'reader' ? [data['reason']] : []));
  assert.deepEqual(given(), ['its sound is of another codec']);
  assert.ok(runner.childNamed('udp://') > 0);
  first.kill();
  await until('it is lost', () => countOf(runner, 'source_lost') > 0);
  feed(t, file, '-f', 'mpegts', `${address}?pkt_size=1316`);
  await until('it is back', () => countOf(runner, 'source_restored') > 0);
  assert.equal(given().length, 1);
});
