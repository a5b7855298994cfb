import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { box, BoxSplitter, findBox, fullBox } from '../../../device/media/fmp4/fmp4-box.ts';
import { sampleFacts } from '../../../device/media/fmp4/fmp4-codec.ts';
import { joinFragments } from '../../../device/media/fmp4/fmp4-join.ts';
import { Fmp4Parser, type Fmp4Event, type MediaFragment } from '../../../device/media/fmp4/fmp4-parser.ts';
import { ffmpeg, ffmpegOnce, LADDER_TRACKS, ladderStream, packaged } from './packaging.ts';

/** Two seconds of what an encoder makes, as a fragmented file. */
function fragmented(video: string[], audio: string[], more: string[] = []): Buffer {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=128x96:r=25', '-c:v', ...video];
  const sound = ['-f', 'lavfi', '-i', 'sine=r=48000', '-c:a', ...audio];
  const flags = '+frag_keyframe+delay_moov+default_base_moof';
  const input = video.length > 0 ? picture : sound;
  return ffmpegOnce([...input, '-t', '2', ...more, '-movflags', flags, '-f', 'mp4', 'pipe:1']);
}

function read(bytes: Buffer, size = bytes.length): Fmp4Event[] {
  const parser = new Fmp4Parser();
  const events: Fmp4Event[] = [];
  for (let from = 0; from < bytes.length; from += size) events.push(...parser.push(bytes.subarray(from, from + size)));
  return events;
}

test('codecs, sizes and rates come from the file itself', () => {
  const facts = (bytes: Buffer): unknown[] => {
    const { init } = read(bytes)[0]!;
    return [init!.codecs, init!.kind, init!.width ?? init!.sampleRate, init!.height ?? init!.channels];
  };
  const x264 = ['libx264', '-preset', 'ultrafast', '-profile:v', 'baseline', '-level', '3'];
  assert.deepEqual(facts(fragmented(x264, [])), ['avc1.42C01E', 'video', 128, 96]);
  const x265 = ['libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error', '-tag:v', 'hvc1'];
  assert.deepEqual(facts(fragmented(x265, [])), ['hvc1.1.6.L30.90', 'video', 128, 96]);
  const vp9 = ['libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '50k'];
  assert.deepEqual(facts(fragmented(vp9, [])), ['vp09.00.10.08', 'video', 128, 96]);
  assert.deepEqual(facts(fragmented([], ['aac', '-ac', '2'])), ['mp4a.40.2', 'audio', 48_000, 2]);
  assert.deepEqual(facts(fragmented([], ['aac', '-ac', '1'])), ['mp4a.40.2', 'audio', 48_000, 1]);
  assert.deepEqual(facts(fragmented([], ['libopus', '-ac', '1'])), ['opus', 'audio', 48_000, 1]);
  assert.deepEqual(facts(fragmented([], ['libmp3lame', '-ac', '2'])), ['mp4a.6B', 'audio', 48_000, 2]);
});

/** A sample description of video; `colour` are numbers of ITU-T H.273. */
function described(type: string, record: string, config: string, colour?: number[]): string {
  const colr = colour === undefined ? [] : [nclx(colour)];
  const boxes = [Buffer.alloc(78), box(record, Buffer.from(config, 'hex')), ...colr];
  const stsd = fullBox('stsd', 0, 0, Buffer.from('00000001', 'hex'), box(type, ...boxes));
  return sampleFacts(stsd.subarray(8), 'video')!.codecs;
}

const nclx = (colour: number[]): Buffer =>
  box('colr', Buffer.from('nclx'), Buffer.from([...colour.flatMap((number) => [0, number]), 0]));

test('AV1 and VP9 are named by profile, level, tier and depth, and by their light where it is PQ or HLG', () => {
  const SDR = [1, 1, 1];
  const PQ = [9, 16, 9];
  const HLG = [9, 18, 9];
  assert.equal(described('av01', 'av1C', '81080c00'), 'av01.0.08M.08');
  assert.equal(described('av01', 'av1C', '812dcc00'), 'av01.1.13H.10');
  assert.equal(described('av01', 'av1C', '814d6c00'), 'av01.2.13M.12');
  assert.equal(described('av01', 'av1C', '81004e00', SDR), 'av01.0.00M.10');
  assert.equal(described('av01', 'av1C', '81004e00', PQ), 'av01.0.00M.10.0.112.09.16.09.0');
  assert.equal(described('vp09', 'vpcC', '01000000020aa2', SDR), 'vp09.02.10.10');
  assert.equal(described('vp09', 'vpcC', '01000000020aa2', HLG), 'vp09.02.10.10.01.09.18.09.00');
});

test('the same fragments come out in any cut of the bytes', () => {
  const bytes = fragmented([], ['aac', '-b:a', '32k'], ['-frag_duration', '200000']);
  const events = read(bytes);
  assert.ok(events.length > 5);
  for (const size of [1, 7, 1000]) assert.deepEqual(read(bytes, size), events);
});

test('a fragment with B frames begins with its earliest picture, and its durations add up', () => {
  const bytes = fragmented(['libx264', '-preset', 'veryfast', '-bf', '2', '-g', '25'], []);
  const fragments = read(bytes).flatMap(({ fragment }) => fragment ?? []);
  assert.deepEqual(
    fragments.map(({ key, samples }) => [key, samples.length]),
    [
      [true, 25],
      [true, 25],
    ],
  );
  const [first, second] = fragments as [MediaFragment, MediaFragment];
  assert.equal(second.decodeTime, first.decodeTime + first.duration);
  assert.ok(first.samples.some(({ compositionOffset }) => compositionOffset !== first.samples[0]!.compositionOffset));
  const times = second.samples.map(
    ({ compositionOffset }, i) => second.decodeTime + (i * second.duration) / 25 + compositionOffset,
  );
  assert.equal(second.startTime, Math.min(...times));
});

test('the packager keeps the time of the stream, with pictures cut at keyframes and sound at every frame', async () => {
  const [v0, v1, v2, a0] = (await packaged(ladderStream(), LADDER_TRACKS)) as [any, any, any, any];
  for (const { init, fragments } of [v0, v1, v2]) {
    assert.equal(init.timescale, 90_000);
    assert.deepEqual(
      fragments.map((one: MediaFragment) => [one.key, one.startTime]),
      fragments.map((_: MediaFragment, i: number) => [true, 900_000 + i * 90_000]),
    );
  }
  assert.equal(a0.init.codecs, 'mp4a.40.2');
  // The priming frame of AAC lies before the first picture.
  assert.equal(a0.fragments[0].startTime, 480_000 - 1024);
  assert.ok(a0.fragments.every((one: MediaFragment) => one.samples.length === 1 && one.duration === 1024));
});

test('time goes on past the wrap of 33 bits, and a packager started shortly before it does not begin below 0', async () => {
  const wrap = 2 ** 33;
  const stream = (seconds: number): Buffer =>
    ffmpeg([
      ...['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '3', '-g', '25'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-c:a', 'aac'],
      ...['-output_ts_offset', String(seconds), '-muxdelay', '0', '-muxpreload', '0', '-f', 'mpegts', 'pipe:1'],
    ]);
  const tracks = [
    { id: 'v', pid: 0x100, kind: 'video' as const, codec: 'h264' },
    { id: 'a', pid: 0x101, kind: 'audio' as const, codec: 'mp4a' },
  ];
  const near = wrap / 90_000 - 1.5;
  const start = Math.round(near * 25) / 25;
  for (const turns of [0, 3]) {
    const offset = (turns * wrap) / 90_000;
    const [video, sound] = (await packaged(stream(start), tracks, offset + near)) as [any, any];
    const begin = turns * wrap + Math.round(start * 90_000);
    assert.deepEqual(
      video.fragments.map(({ startTime }: MediaFragment) => startTime),
      [begin, begin + 90_000, begin + 180_000],
    );
    const first = sound.fragments[0] as MediaFragment;
    assert.ok(Math.abs(first.startTime / 48_000 - begin / 90_000 + 1024 / 48_000) < 0.001);
    // The bytes say the same.
    const again = read(Buffer.concat([video.init.bytes, ...video.fragments.map(({ bytes }: MediaFragment) => bytes)]));
    assert.deepEqual(
      again.flatMap(({ fragment }) => fragment?.startTime ?? []),
      [begin, begin + 90_000, begin + 180_000],
    );
  }
});

test('the packager takes H.265, Opus and MP3 from a transport stream', async () => {
  const stream = ffmpeg([
    ...['-f', 'lavfi', '-i', 'testsrc2=s=128x96:r=25', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '2'],
    ...['-map', '0:v', '-map', '1:a', '-map', '1:a', '-c:v', 'libx265', '-preset', 'ultrafast', '-g', '25'],
    ...['-x265-params', 'log-level=error:keyint=25:scenecut=0:bframes=0:repeat-headers=1'],
    ...['-c:a:0', 'libopus', '-c:a:1', 'libmp3lame', '-ac', '2', '-f', 'mpegts', 'pipe:1'],
  ]);
  const tracks = await packaged(stream, [
    { id: 'v', pid: 0x100, kind: 'video', codec: 'hevc' },
    { id: 'o', pid: 0x101, kind: 'audio', codec: 'opus' },
    { id: 'm', pid: 0x102, kind: 'audio', codec: 'mp3' },
  ]);
  assert.deepEqual(
    tracks.map(({ init }) => init.codecs),
    ['hvc1.1.6.L30.90', 'opus', 'mp4a.6B'],
  );
  assert.deepEqual(
    tracks[0]!.fragments.map(({ key, samples }) => [key, samples.length]),
    [
      [true, 25],
      [true, 25],
    ],
  );
});

test('joined fragments are the same samples with the same times', () => {
  const bytes = fragmented(['libx264', '-preset', 'veryfast', '-bf', '2', '-g', '10'], []);
  const [{ init }, ...rest] = read(bytes) as [any, ...any[]];
  const fragments = rest.map(({ fragment }) => fragment as MediaFragment);
  const joined = read(Buffer.concat([init.bytes, joinFragments(fragments, 9)])).at(-1)!.fragment!;
  assert.deepEqual(
    joined.samples,
    fragments.flatMap(({ samples }) => samples),
  );
  assert.deepEqual(joined.data, Buffer.concat(fragments.map(({ data }) => data)));
  assert.deepEqual([joined.decodeTime, joined.startTime], [fragments[0]!.decodeTime, fragments[0]!.startTime]);
  // What is missing between two fragments is not closed up.
  const gap = read(Buffer.concat([init.bytes, joinFragments([fragments[0]!, fragments[2]!], 1)])).at(-1)!.fragment!;
  assert.equal(gap.duration, fragments[0]!.duration + fragments[1]!.duration + fragments[2]!.duration);
  assert.throws(() => joinFragments([], 1), RangeError);
});

test('a file without fragmented tracks is refused, and damage throws nothing else', () => {
  const noise = new BoxSplitter();
  assert.throws(() => noise.push(Buffer.from('ffffffff6d646174', 'hex')), RangeError);
  assert.throws(() => read(Buffer.concat([fullBox('moof', 0, 0), box('mdat')])), /before its moov/u);
  assert.equal(findBox(box('moov', box('trak')).subarray(8), 'trak', 'mdia'), undefined);
  const bytes = fragmented([], ['aac', '-b:a', '32k']).subarray(0, 2000);
  const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(damage, (changes) => {
      const damaged = Buffer.from(bytes);
      for (const [at, byte] of changes) damaged[at] = byte;
      try {
        read(damaged);
      } catch (error) {
        assert.ok(error instanceof RangeError, `${String(error)}`);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});
