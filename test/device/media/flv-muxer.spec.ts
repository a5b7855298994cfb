/** The output of the FLV muxer is taken apart by the text of Enhanced RTMP and decoded by ffmpeg: the pictures must be the encoder's. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { FlvMuxer } from '../../../device/media/rtmp/flv-muxer.ts';
import { adtsFrames } from '../../../device/media/rtmp/flv-muxer.ts';
import { hevcConfiguration, nalUnits, splitHevc } from '../../../device/media/codecs/hevc-configuration.ts';
import { readAmf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { PesJoiner } from '../../../device/media/mpeg-ts/pes-joiner.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import type { FanOut } from '../../../device/runner/stream/fan-out.ts';
import { rendition } from '../runner/specs.ts';
import { enhancedPictures, flvMessages } from '../runner/rtmp-sink.ts';

const PLAN = planLadder([rendition(11, 320, 180, 300, { codec: 'hevc' })]);
const STREAMS = {
  video: { pid: 0x100, width: 320, height: 180, fps: 30, kbps: 300 },
  audio: { pid: 0x101, kbps: 128 },
};

function ffmpeg(input: Buffer | undefined, ...args: string[]): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...args], { input, maxBuffer: 1 << 26 });
}

/** Two seconds; `more` for x265. */
function transportStream(more: string, audio = true): Buffer {
  const sound = audio ? ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000', '-c:a', 'aac'] : [];
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30'];
  const [input, codec] = [sound.slice(0, 4), sound.slice(4)];
  const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', `log-level=none:keyint=30:${more}`];
  return ffmpeg(
    undefined,
    ...[...picture, ...input, '-t', '2', ...hevc, '-pix_fmt', 'yuv420p', ...codec],
    ...['-pes_payload_size', '0', '-f', 'mpegts', '-'],
  );
}

const newPackets = (): FanOut => new EncodedStream(PLAN).media.packets!;

function mux(stream: Buffer, streams = STREAMS as ConstructorParameters<typeof FlvMuxer>[0], step = 5000): Buffer {
  const parts: Buffer[] = [];
  const fanOut = newPackets();
  const muxer = new FlvMuxer(streams, (bytes) => void parts.push(bytes));
  fanOut.attach(muxer);
  for (let at = 0; at < stream.length; at += step) fanOut.push(Buffer.from(stream.subarray(at, at + step)));
  muxer.finish();
  return Buffer.concat(parts);
}

/** One line a picture. */
const hashes = (input: Buffer, ...format: string[]): string[] =>
  ffmpeg(input, ...format, '-i', 'pipe:0', '-map', '0:v', '-f', 'framehash', '-hash', 'md5', '-')
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)!.trim());

for (const [what, more] of [
  ['as the Device encodes', 'bframes=0'],
  ['with pictures out of order', 'bframes=3:b-adapt=0'],
  ['in 10 bits', 'bframes=0:output-depth=10'],
] as const)
  test(`HEVC ${what} comes out picture by picture`, () => {
    const stream = transportStream(more);
    const messages = flvMessages(mux(stream));
    const { annexB, frames, configurations } = enhancedPictures(messages);
    const expected = hashes(stream, '-f', 'mpegts');
    assert.equal(expected.length, 60);
    assert.deepEqual(hashes(annexB, '-f', 'hevc'), expected);
    assert.equal(configurations, 1, 'told once, though every keyframe repeats it');
    assert.deepEqual([frames.length, frames.filter(({ key }) => key).length, frames[0]!.key], [60, 2, true]);
    const shown = frames.map(({ ms, delayMs }) => ms + delayMs).sort((a, b) => a - b);
    for (const [i, ms] of shown.entries()) assert.ok(Math.abs(ms - shown[0]! - (i * 1000) / 30) <= 1.5, `${i}: ${ms}`);
    assert.equal(frames[0]!.ms, 0);
    assert.equal(
      frames.some(({ delayMs }) => delayMs > 0),
      what === 'with pictures out of order',
    );
  });

test('the sound beside it is AAC as ffmpeg itself puts it into FLV', () => {
  const stream = transportStream('bframes=0');
  const own = flvMessages(mux(stream)).filter(({ type }) => type === 8);
  const reference = flvMessages(
    ffmpeg(
      stream,
      '-f',
      'mpegts',
      '-i',
      'pipe:0',
      '-map',
      '0:a',
      '-c',
      'copy',
      '-bsf:a',
      'aac_adtstoasc',
      '-f',
      'flv',
      '-',
    ),
  ).filter(({ type }) => type === 8);
  assert.ok(own.length > 85);
  assert.equal(own[0]!.body.toString('hex'), 'af001188', 'AudioSpecificConfig: AAC-LC, 48 kHz, mono');
  // What came before the first picture is left out.
  const frames = own.slice(1).map(({ body }) => body.toString('hex'));
  const all = reference.slice(1).map(({ body }) => body.toString('hex'));
  assert.deepEqual(frames, all.slice(all.length - frames.length));
  const times = own.slice(1).map(({ time }) => time);
  for (const [i, time] of times.entries())
    assert.ok(Math.abs(time - times[0]! - (i * 1024) / 48) <= 1.5, `${i}: ${time}`);
});

test('metadata names the codec by its four characters, and without sound it promises none', () => {
  const silent = transportStream('bframes=0', false);
  const flv = mux(silent, { ...STREAMS, audio: undefined });
  assert.equal(flv[4], 1);
  const [script, ...media] = flvMessages(flv);
  const [name, facts] = readAmf(script!.body);
  assert.equal(name, 'onMetaData');
  assert.deepEqual(facts, {
    duration: 0,
    width: 320,
    height: 180,
    videodatarate: 300,
    framerate: 30,
    videocodecid: 0x68766331,
  });
  assert.ok(media.every(({ type }) => type === 9));
});

test('a joiner begins with a keyframe, and new parameter sets are passed on', () => {
  const [one, other] = [transportStream('bframes=0'), transportStream('bframes=0:qp=20:max-tu-size=16:ctu=32')];
  const parts: Buffer[] = [];
  const fanOut = newPackets();
  fanOut.push(Buffer.from(one.subarray(0, 188 * 30)));
  const muxer = new FlvMuxer(STREAMS, (bytes) => void parts.push(bytes));
  // In the middle of a group of pictures, as nothing was cached.
  const late = newPackets();
  late.attach(muxer);
  late.push(Buffer.from(one.subarray(188 * 30)));
  late.newWriter();
  late.push(Buffer.from(other));
  muxer.finish();
  const { annexB, frames, configurations } = enhancedPictures(flvMessages(Buffer.concat(parts)));
  assert.deepEqual([frames[0]!.key, frames[0]!.ms], [true, 0]);
  assert.equal(configurations, 2);
  assert.equal(hashes(annexB, '-f', 'hevc').length, frames.length);
});

test('damage in the input of the FLV muxer is passed over, not made worse', () => {
  assert.deepEqual(
    nalUnits(Buffer.from('00000001' + '4601' + '00' + '000001' + '2601aa', 'hex')).map((nal) => nal.toString('hex')),
    ['4601', '2601aa'],
  );
  const { sets, sample } = splitHevc(Buffer.from('000000014601100000012601aabb', 'hex'));
  assert.deepEqual([sets, sample.toString('hex')], [undefined, '000000042601aabb']);
  assert.throws(() => hevcConfiguration([Buffer.from('4401', 'hex')]), RangeError);
  assert.throws(() => hevcConfiguration([Buffer.from('420101', 'hex')]), RangeError);
  assert.deepEqual(adtsFrames(Buffer.from('fff14c80ffffff', 'hex')), []);
  const joiner = new PesJoiner();
  assert.deepEqual(joiner.push({ bytes: Buffer.alloc(188, 0x47), starts: false, key: false, pts: undefined }), []);
  assert.deepEqual(joiner.finish(), []);
});
