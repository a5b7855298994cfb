/** FLV of a source that is copied, as a transport stream: every picture and every frame of sound is there, at its time. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PACKET_BYTES, pidOf, startsUnit } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PMT_PID } from '../../../device/media/mpeg-ts/psi.ts';
import { tsSegment } from '../../../device/media/hls/ts-segment.ts';
import { FlvTransport } from '../../../device/media/units/flv-transport.ts';
import type { RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { LiveTimes } from '../../../device/media/units/live-times.ts';
import { NotRead } from '../../../device/media/units/track.ts';
import { itLong, someOf } from '../../helpers/counts.ts';
import { encode, enhancedMessages, plainAac, tracksOf } from '../../helpers/enhanced-tags.ts';
import { flvMessages } from '../runner/rtmp-sink.ts';

type Message = Pick<RtmpMessage, 'type' | 'time' | 'body'>;

const TRACKS = { video: 0x100, sounds: [{ pid: 0x101, track: 0, language: 'eng' }] };
const BEGIN_SECONDS = 10;
const SECONDS = 3;
const [AUDIO, VIDEO, DATA] = [8, 9, 18];
let dir = '';
before(() => (dir = mkdtempSync(join(tmpdir(), 'flv-transport-'))));
after(() => rmSync(dir, { recursive: true }));

/** A clip as an encoder sends it, with B-frames. */
function clip(name: string, size: string, sound: readonly string[] = ['-c:a', 'aac']): Message[] {
  const path = join(dir, `${name}.flv`);
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25`, '-f', 'lavfi', '-i', 'sine=sample_rate=44100'];
  const coded = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-g', '25', '-pix_fmt', 'yuv420p', ...sound];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...picture, '-t', String(SECONDS), ...coded, '-f', 'flv', path]);
  return flvMessages(readFileSync(path));
}

/** Hashes of what is decoded, whatever size it has. */
function decoded(path: string, stream: 'v' | 'a'): string[] {
  const args = ['-v', 'error', '-i', path, '-map', `0:${stream}:0`, '-autoscale', '0', '-fps_mode', 'passthrough'];
  const text = execFileSync('ffmpeg', [...args, '-f', 'framemd5', 'pipe:1'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return text
    .split('\n')
    .filter((line) => /^\d/u.test(line))
    .map((line) => line.split(',').at(-1)!.trim());
}

function transported(messages: readonly Message[], tracks = TRACKS): Buffer {
  const transport = new FlvTransport(tracks, () => BEGIN_SECONDS * 90_000);
  return Buffer.concat(messages.flatMap((message) => transport.take({ ...message, body: Buffer.from(message.body) })));
}

/** Milliseconds from one unit of each track to the next, in the order of decoding. */
function stepsOf(ts: Buffer, kind: 'video' | 'sound'): number[] {
  const times = tsSegment(ts)
    .units.filter(({ track }) => track.kind === kind)
    .map(({ dts }) => dts / 90);
  return times.slice(1).map((ms, i) => Math.round(ms - times[i]!));
}

const at = (messages: readonly Message[], change: (time: number) => number): Message[] =>
  messages.map((message) => ({ ...message, time: change(message.time) >>> 0 }));
const jump =
  (ms: number) =>
  (time: number): number =>
    time < 1500 ? time + 20_000 : time + 20_000 + ms;

describe('FLV as a transport stream', () => {
  let whole: Message[] = [];
  before(() => (whole = clip('whole', '160x90')));

  const shapes: [name: string, change: (messages: Message[]) => Message[]][] = [
    ['a clock that passes 2^32 ms', (messages) => at(messages, (time) => time - 1500)],
    ['a clock that jumps back by half a second', (messages) => at(messages, jump(-500))],
    ['a clock of 24 bits', (messages) => at(messages, (time) => (time + 2 ** 24 - 1500) & 0xffffff)],
    ['a clock that jumps back by ten seconds', (messages) => at(messages, jump(-10_000))],
    ['a clock that jumps on by fifteen seconds', (messages) => at(messages, jump(15_000))],
    ['a clock that jumps on by an hour', (messages) => at(messages, jump(3_600_000))],
    ['no metadata', (messages) => messages.filter(({ type }) => type !== DATA)],
  ];
  for (const [name, change] of someOf(shapes, 2))
    it(`with ${name} each picture and each sound is there, and time goes on`, () => {
      const path = join(dir, 'out.ts');
      const ts = transported(change(whole));
      writeFileSync(path, ts);
      for (const stream of ['v', 'a'] as const)
        assert.deepEqual(decoded(path, stream), decoded(join(dir, 'whole.flv'), stream), stream);
      assert.ok(
        stepsOf(ts, 'video').every((ms) => ms === 40),
        String(stepsOf(ts, 'video')),
      );
      assert.ok(
        stepsOf(ts, 'sound').every((ms) => ms >= 22 && ms <= 24),
        String(stepsOf(ts, 'sound')),
      );
      const [first] = tsSegment(ts).units.filter(({ track }) => track.kind === 'video');
      assert.equal(first!.dts, BEGIN_SECONDS * 90_000);
    });

  itLong('what ffmpeg copies of the same FLV has the same pictures, sounds, times, types and languages', () => {
    const [flv, ours, theirs] = ['whole.flv', 'ours.ts', 'theirs.ts'].map((name) => join(dir, name));
    writeFileSync(ours!, transported(whole));
    const muxer = ['-muxdelay', '0', '-muxpreload', '0', '-pes_payload_size', '0', '-metadata:s:a:0', 'language=eng'];
    const copy = ['-c', 'copy', '-output_ts_offset', String(BEGIN_SECONDS), ...muxer, '-f', 'mpegts', theirs!];
    execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'live_flv', '-i', flv!, ...copy]);
    const look = (path: string) => {
      const { units, tracks } = tsSegment(readFileSync(path));
      const of = (kind: string) => units.filter(({ track }) => track.kind === kind);
      const [first] = of('video');
      return {
        tracks: tracks.map(({ type, streamId, descriptors }) => [type, streamId, descriptors.toString('hex')]),
        pictures: of('video').map(({ pts, dts, key, data }) => [
          pts! - first!.dts,
          dts - first!.dts,
          key,
          data[4] === 9,
        ]),
        keys: of('sound').every(({ key }) => key),
        sounds: of('sound').map(({ pts }) => pts! - first!.dts),
      };
    };
    const [{ sounds, ...rest }, { sounds: wanted, ...same }] = [look(ours!), look(theirs!)];
    assert.deepEqual(rest, same);
    assert.equal(sounds.length, wanted.length);
    const apart = Math.max(...sounds.map((ticks, i) => Math.abs(ticks - wanted[i]!)));
    assert.ok(apart <= 90, `a sound is ${apart} ticks elsewhere`);
    for (const stream of ['v', 'a'] as const) assert.deepEqual(decoded(ours!, stream), decoded(theirs!, stream));
  });

  it('pictures of another size, sound and pictures that come late, and damaged units leave all others whole', () => {
    const larger = clip('larger', '192x108');
    const path = join(dir, 'changed.ts');
    const both = [...whole, ...larger.map((message) => ({ ...message, time: message.time + SECONDS * 1000 }))];
    writeFileSync(path, transported(both));
    const [before, behind] = ['whole', 'larger'].map((name) => decoded(join(dir, `${name}.flv`), 'v'));
    assert.deepEqual(decoded(path, 'v'), [...before!, ...behind!]);

    const head = whole.find(({ type, body }) => type === AUDIO && body[1] === 0)!;
    const behind1 = whole.filter(({ type, time }) => type !== AUDIO || time > 1000);
    const first = behind1.findIndex(({ type }) => type === AUDIO);
    const mute = transported(behind1.toSpliced(first, 0, { ...head, time: 1000 }));
    writeFileSync(path, mute);
    assert.deepEqual(decoded(path, 'v'), before, 'late sound');
    const places = Array.from({ length: mute.length / PACKET_BYTES }, (_, n) => n * PACKET_BYTES);
    const sizes = places.filter((at) => pidOf(mute, at) === PMT_PID).map((at) => mute.readUInt16BE(at + 6) & 0xfff);
    assert.equal(new Set(sizes).size, 2, 'its map follows');
    assert.ok(places.filter((at) => pidOf(mute, at) === 0x101 && startsUnit(mute, at)).length > 60);

    const late = whole.filter(({ type, time, body }) => type !== VIDEO || time >= 1000 || body[1] === 0);
    writeFileSync(path, transported(late));
    assert.deepEqual(decoded(path, 'v'), before!.slice(25), 'a late picture');

    const cut = whole.map((message, i) =>
      i % 31 === 30 ? { ...message, body: message.body.subarray(0, 9) } : message,
    );
    assert.ok(stepsOf(transported(cut), 'video').length > 60);
  });

  it('MP3 is taken, and what only ffmpeg reads is given back by name', () => {
    const path = join(dir, 'mp3.ts');
    writeFileSync(path, transported(clip('mp3', '64x64', ['-c:a', 'libmp3lame'])));
    assert.deepEqual(decoded(path, 'a'), decoded(join(dir, 'mp3.flv'), 'a'));
    const refused = (hex: string, type: number): string => {
      const transport = new FlvTransport(TRACKS, () => 0);
      try {
        transport.take({ type, time: 0, body: Buffer.from(hex, 'hex') });
        return '';
      } catch (error) {
        assert.ok(error instanceof NotRead);
        return error.message;
      }
    };
    assert.match(refused('af001200', AUDIO), /AAC is of a kind/u, 'channels that the stream itself describes');
    assert.match(refused('af00f948', AUDIO), /AAC is of a kind|no index/u, 'extended HE-AAC');
    assert.match(refused('22aabbccdd', VIDEO), /old codec/u, 'Sorenson H.263');
    assert.match(refused('5eaabbccdd', AUDIO), /old codec/u, 'Nellymoser');
    assert.equal(refused('af001210', AUDIO), '');
  });

  it('a source without what is wanted of it is known after three seconds, and one that begins is none', () => {
    const missingOf = (messages: readonly Message[], video = true): string | undefined => {
      const transport = new FlvTransport({ ...TRACKS, video: video ? TRACKS.video : undefined }, () => 0);
      for (const message of messages) transport.take(message);
      return transport.missing;
    };
    const twice = [...whole, ...at(whole, (time) => time + 3000)];
    assert.equal(missingOf(twice), undefined);
    assert.equal(missingOf(twice.filter(({ type }) => type === AUDIO)), 'picture');
    assert.equal(missingOf(twice.filter(({ type, body }) => type !== VIDEO || body[1] !== 0)), 'configuration');
    assert.equal(
      missingOf(
        twice.filter(({ type }) => type === VIDEO),
        false,
      ),
      'sound',
    );
    assert.equal(
      missingOf(
        twice.filter(({ type }) => type === AUDIO),
        false,
      ),
      undefined,
    );
  });

  itLong('HEVC by Enhanced RTMP, with B-frames and plain AAC, is there picture by picture', () => {
    const x265 = 'log-level=error:bframes=3:keyint=25:min-keyint=25:scenecut=0';
    const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', x265];
    const file = encode(join(dir, 'hevc.mkv'), { video: hevc, audio: [['-c', 'aac']], size: '160x90' });
    const [video, aac] = tracksOf(file);
    const messages = [...enhancedMessages([video!]), ...plainAac(aac!)].sort((a, b) => a.time - b.time);
    const path = join(dir, 'hevc.ts');
    writeFileSync(path, transported(messages));
    for (const stream of ['v', 'a'] as const) assert.deepEqual(decoded(path, stream), decoded(file, stream));
  });
});

describe('times of live media', () => {
  it('tracks that follow one clock stay together when it begins anew, whichever comes first behind it', () => {
    const times = new LiveTimes(900_000);
    const placed = (track: number, time: number): number => times.place(track, time >>> 0) / 90 - 10_000;
    assert.deepEqual([placed(1, 5000), placed(2, 5010), placed(1, 5040), placed(2, 5031)], [0, 10, 40, 31]);
    // Sound of the old clock comes behind the first picture of the new one.
    assert.deepEqual([placed(1, 70_000), placed(2, 5052), placed(2, 70_005)], [80, 52, 85]);
    assert.deepEqual([placed(1, 70_040), placed(2, 70_026)], [120, 106]);
  });

  it('times that are equal or a little back are one tick later, and a pause of some seconds stays one', () => {
    const times = new LiveTimes(0);
    const ticks = [100, 100, 90, 140, 9000].map((time) => times.place(1, time));
    assert.deepEqual(ticks, [0, 1, 2, 3600, 801_000]);
  });
});
