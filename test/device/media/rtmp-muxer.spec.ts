/** The RTMP muxer's messages are taken apart by the texts of FLV and Enhanced RTMP and decoded by ffmpeg: the pictures must be the encoder's. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { nalUnits } from '../../../device/media/codecs/annex-b.ts';
import { avcConfiguration, splitAvc } from '../../../device/media/codecs/avc-configuration.ts';
import { hevcConfiguration, splitHevc } from '../../../device/media/codecs/hevc-configuration.ts';
import { adtsFrames, mp3Header } from '../../../device/media/codecs/sound-frames.ts';
import { RtmpMuxer, type MediaMessage, type MuxedTracks } from '../../../device/media/rtmp/rtmp-muxer.ts';
import { readAmf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { PesJoiner } from '../../../device/media/mpeg-ts/pes-joiner.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import type { FanOut } from '../../../device/runner/stream/fan-out.ts';
import { ffmpegOnce } from './packaging.ts';
import { rendition } from '../runner/specs.ts';
import { flvMessages, picturesIn } from '../runner/rtmp-sink.ts';

const PLAN = planLadder([rendition(11, 320, 180, 300, { codec: 'hevc' })]);
const TRACKS: MuxedTracks = {
  video: { pid: 0x100, fps: 30, kbps: 300 },
  audio: { pid: 0x101, kbps: 128, rate: 48_000, channels: 1 },
  takesHevc: true,
};

function ffmpeg(input: Buffer, ...args: string[]): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...args], { input, maxBuffer: 1 << 26 });
}

/** Two seconds; `more` for the encoder. */
function transportStream(
  more: string,
  sound: 'aac' | 'libmp3lame' | undefined = 'aac',
  codec: 'hevc' | 'h264' = 'hevc',
): Buffer {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=30'];
  const tone = sound === undefined ? [] : ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const video =
    codec === 'hevc'
      ? ['-c:v', 'libx265', '-x265-params', `log-level=none:keyint=30:${more}`]
      : ['-c:v', 'libx264', '-x264-params', `keyint=30:scenecut=0:${more}`];
  return ffmpegOnce([
    ...[...picture, ...tone, '-t', '2', ...video, '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
    ...(sound === undefined ? [] : ['-c:a', sound]),
    ...['-pes_payload_size', '0', '-omit_video_pes_length', '0', '-f', 'mpegts', '-'],
  ]);
}

const newPackets = (): FanOut => new EncodedStream(PLAN).media.packets!;

function mux(stream: Buffer, tracks = TRACKS, step = 5000): MediaMessage[] {
  const messages: MediaMessage[] = [];
  const fanOut = newPackets();
  const muxer = new RtmpMuxer(tracks, fanOut.streams, (message) => void messages.push(message), assert.fail);
  fanOut.attach(muxer);
  for (let at = 0; at < stream.length; at += step) fanOut.push(Buffer.from(stream.subarray(at, at + step)));
  muxer.finish();
  return messages;
}

/** One line a picture. */
const hashes = (input: Buffer, ...format: string[]): string[] =>
  ffmpeg(input, ...format, '-i', 'pipe:0', '-map', '0:v', '-f', 'framehash', '-hash', 'md5', '-')
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)!.trim());

for (const [codec, what, more] of [
  ['hevc', 'as the Device encodes', 'bframes=0'],
  ['hevc', 'with pictures out of order', 'bframes=3:b-adapt=0'],
  ['hevc', 'in 10 bits', 'bframes=0:output-depth=10'],
  ['h264', 'as the Device encodes', 'bframes=0'],
  ['h264', 'with pictures out of order', 'bframes=3:b-adapt=0'],
] as const)
  test(`${codec} ${what} comes out picture by picture`, () => {
    const stream = transportStream(more, 'aac', codec);
    const { annexB, frames, configurations } = picturesIn(mux(stream));
    const expected = hashes(stream, '-f', 'mpegts');
    assert.equal(expected.length, 60);
    assert.deepEqual(hashes(annexB, '-f', codec), expected);
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

/** The stream as ffmpeg itself puts it into FLV, without the metadata. */
function reference(stream: Buffer, ...args: string[]): MediaMessage[] {
  const input = ['-f', 'mpegts', '-i', 'pipe:0'];
  return flvMessages(ffmpeg(stream, ...input, '-c', 'copy', ...args, '-f', 'flv', '-')).filter(
    ({ type }) => type !== 18,
  );
}
const bodies = (messages: readonly MediaMessage[], type: number): string[] =>
  messages.filter((message) => message.type === type).map(({ body }) => body.toString('hex'));
/** Assertions show these where whole pictures would fill pages. */
const short = (texts: readonly string[]): string[] =>
  texts.map((text) => `${text.slice(0, 24)}… ${createHash('md5').update(text).digest('hex')}`);

test('H.264 is as ffmpeg itself puts it into FLV, but for the delimiters of a transport stream', () => {
  for (const more of ['bframes=2:b-adapt=0', 'bframes=0:cabac=0']) {
    const stream = transportStream(more, undefined, 'h264');
    // The times of pictures out of order, which the other test reads, are rounded from another origin.
    const withoutTime = (hex: string): string => hex.slice(0, 4) + hex.slice(10).replace(/^0000000209../u, '');
    const expected = bodies(reference(stream), 9).map(withoutTime);
    const own = bodies(mux(stream, { ...TRACKS, audio: undefined }), 9).map(withoutTime);
    // The last one says that the stream is over.
    assert.deepEqual(short(own), short(expected.slice(0, -1)));
  }
});

test('the sound beside it is AAC as ffmpeg itself puts it into FLV', () => {
  const stream = transportStream('bframes=0');
  const messages = mux(stream);
  const own = bodies(messages, 8);
  const expected = bodies(reference(stream, '-vn', '-bsf:a', 'aac_adtstoasc'), 8);
  assert.ok(own.length > 85);
  assert.equal(own[0], 'af001188', 'AudioSpecificConfig: AAC-LC, 48 kHz, mono');
  // What came before the first picture is left out.
  assert.deepEqual(short(own.slice(1)), short(expected.slice(1).slice(1 - own.length)));
  const times = messages.filter(({ type }) => type === 8).map(({ time }) => time);
  for (const [i, time] of times.slice(1).entries())
    assert.ok(Math.abs(time - times[1]! - (i * 1024) / 48) <= 1.5, `${i}: ${time}`);
});

test('MP3 is as ffmpeg itself puts it into FLV, and sound without pictures begins at time 0', () => {
  const stream = transportStream('bframes=0', 'libmp3lame');
  const own = mux(stream, { ...TRACKS, video: undefined });
  assert.deepEqual(short(bodies(own, 8)), short(bodies(reference(stream, '-vn'), 8)));
  const [script, first] = own;
  assert.deepEqual([script!.type, first!.type, first!.time], [18, 8, 0]);
  const [, , facts] = readAmf(script!.body);
  assert.deepEqual(facts, {
    duration: 0,
    audiodatarate: 128,
    audiosamplerate: 48_000,
    audiosamplesize: 16,
    stereo: false,
    audiocodecid: 2,
    encoder: 'onair',
  });
});

test('metadata names the codec, for HEVC by its four characters, and without sound it promises none', () => {
  for (const [codec, videocodecid] of [
    ['hevc', 0x68766331],
    ['h264', 7],
  ] as const) {
    const silent = transportStream('bframes=0', undefined, codec);
    const [script, ...media] = mux(silent, { ...TRACKS, audio: undefined });
    const [word, name, facts] = readAmf(script!.body);
    assert.deepEqual([word, name], ['@setDataFrame', 'onMetaData']);
    assert.deepEqual(facts, {
      duration: 0,
      width: 160,
      height: 90,
      videodatarate: 300,
      framerate: 30,
      videocodecid,
      encoder: 'onair',
    });
    assert.ok(media.every(({ type }) => type === 9));
  }
});

test('a picture goes out with its last byte, and does not wait for the next one', () => {
  const stream = transportStream('bframes=0', undefined, 'h264');
  const messages: MediaMessage[] = [];
  const fanOut = newPackets();
  const muxer = new RtmpMuxer(TRACKS, fanOut.streams, (message) => void messages.push(message), assert.fail);
  fanOut.attach(muxer);
  fanOut.push(Buffer.from(stream));
  assert.equal(picturesIn(messages).frames.length, 60);
});

test('what RTMP cannot carry is named: HEVC without its extension, and sound that FLV has no number for', () => {
  const reasons: string[] = [];
  const run = (stream: Buffer, tracks: MuxedTracks): void => {
    const fanOut = newPackets();
    fanOut.attach(
      new RtmpMuxer(
        tracks,
        fanOut.streams,
        () => undefined,
        (reason) => reasons.push(reason),
      ),
    );
    fanOut.push(Buffer.from(stream));
  };
  run(transportStream('bframes=0', undefined), { ...TRACKS, takesHevc: false });
  assert.equal(reasons[0], 'carries h264 only, not hevc; use Enhanced RTMP');
  assert.equal(mp3Header(Buffer.from('fff5a000', 'hex')), undefined, 'layer II');
  assert.deepEqual(mp3Header(Buffer.from('fffb9000', 'hex')), { rate: 44_100, channels: 2 });
  assert.deepEqual(mp3Header(Buffer.from('fff344c0', 'hex')), { rate: 24_000, channels: 1 });
});

test('a joiner begins with a keyframe, and new parameter sets are passed on', () => {
  const [one, other] = [transportStream('bframes=0'), transportStream('bframes=0:qp=20:max-tu-size=16:ctu=32')];
  const messages: MediaMessage[] = [];
  const fanOut = newPackets();
  fanOut.push(Buffer.from(one.subarray(0, 188 * 30)));
  // In the middle of a group of pictures, as nothing was cached.
  const late = newPackets();
  const muxer = new RtmpMuxer(TRACKS, fanOut.streams, (message) => void messages.push(message), assert.fail);
  late.attach(muxer);
  late.push(Buffer.from(one.subarray(188 * 30)));
  late.newWriter();
  late.push(Buffer.from(other));
  muxer.finish();
  const { annexB, frames, configurations } = picturesIn(messages);
  assert.deepEqual([frames[0]!.key, frames[0]!.ms], [true, 0]);
  assert.equal(configurations, 2);
  assert.equal(hashes(annexB, '-f', 'hevc').length, frames.length);
});

test('damage in the input of the RTMP muxer is passed over, not made worse', () => {
  assert.deepEqual(
    nalUnits(Buffer.from('00000001' + '4601' + '00' + '000001' + '2601aa', 'hex')).map((nal) => nal.toString('hex')),
    ['4601', '2601aa'],
  );
  const { sets, sample } = splitHevc(Buffer.from('000000014601100000012601aabb', 'hex'));
  assert.deepEqual([sets, sample.toString('hex')], [undefined, '000000042601aabb']);
  assert.throws(() => hevcConfiguration([Buffer.from('4401', 'hex')]), RangeError);
  assert.throws(() => hevcConfiguration([Buffer.from('420101', 'hex')]), RangeError);
  const avc = splitAvc(Buffer.from('0000000109f00000016588840000000167', 'hex'));
  assert.deepEqual([avc.sets, avc.sample.toString('hex')], [undefined, '00000003658884']);
  assert.throws(() => avcConfiguration([Buffer.from('68ee', 'hex')]), RangeError);
  assert.throws(() => avcConfiguration([Buffer.from('67640028', 'hex')]), RangeError);
  assert.deepEqual(adtsFrames(Buffer.from('fff14c80ffffff', 'hex')), []);
  const joiner = new PesJoiner();
  assert.deepEqual(joiner.push({ bytes: Buffer.alloc(188, 0x47), starts: false, key: false, pts: undefined }), []);
  assert.deepEqual(joiner.finish(), []);
});
