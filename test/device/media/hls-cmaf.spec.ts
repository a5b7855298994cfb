/** HLS over CMAF: real segments, played by ffprobe and read by hls-parser. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import { trackPlaylist } from '../../../device/media/manifests/cmaf-presentation.ts';
import { type ListedInit } from '../../../device/media/manifests/presentation.ts';
import { mediaPlaylistText } from '../../../device/media/manifests/hls-playlist.ts';
import { decodeSplice } from '../../../device/media/scte35/scte35.ts';
import { expectedPeak } from '../../../device/media/mpeg-ts/transport-rate.ts';
import { cut, ffmpeg, LADDER_FRAMES } from './packaging.ts';
import {
  assertWhole,
  clock,
  dir,
  IN,
  master,
  mediaPlaylist,
  OUT,
  over,
  play,
  publish,
  rates,
  running,
  stream,
  tracks,
} from './presentation.ts';

const whole = cut(tracks);
const folder = publish('whole', whole);

test('the HLS master plays with every frame of every rendition, without a gap or an error', () => {
  assertWhole(play(join(folder, 'index.m3u8')));
});

test('decoded frames of HLS are those of the encoder', () => {
  const hash = (input: string[]): string[] =>
    ffmpeg([...input, '-map', '0:v:0', '-f', 'framemd5', 'pipe:1'])
      .toString()
      .split('\n')
      .flatMap((line) => line.match(/[0-9a-f]{32}$/u)?.[0] ?? []);
  const source = join(dir, 'source.ts');
  writeFileSync(source, stream);
  const expected = hash(['-i', source]);
  assert.equal(expected.length, LADDER_FRAMES);
  assert.deepEqual(hash(['-i', join(folder, 'v0/index.m3u8')]), expected);
});

test('the master names codecs, rates, size and sound of each variant', () => {
  const { variants } = HLS.parse(master(whole)) as HLS.types.MasterPlaylist;
  const sound = rates(whole, 'a0');
  for (const [i, variant] of variants.entries()) {
    const own = rates(whole, `v${i}`);
    assert.equal(variant.bandwidth, own.peak + sound.peak);
    assert.equal(variant.averageBandwidth, own.average + sound.average);
    assert.equal(variant.codecs, `${whole.inits.get(`v${i}`)!.codecs},mp4a.40.2`);
    assert.equal(variant.frameRate, 30);
    assert.equal(variant.audio[0]!.uri, 'a0/index.m3u8');
    assert.deepEqual([variant.audio[0]!.language, variant.audio[0]!.name], ['en', 'Original A']);
    assert.match(variant.codecs!, /^avc1\.42[0-9A-F]{4},/u);
  }
});

/** Tags of cues, by the number of the segment that they stand before. */
function cueTags(text: string): string[][] {
  const tags: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.endsWith('.m4s')) tags.push([]);
    else if (/^#EXT-X-(CUE|DATERANGE)/u.test(line)) tags.at(-1)!.push(line.replace(/^#EXT-X-/u, ''));
  }
  return tags.slice(0, -1);
}

test('a break in HLS has date ranges with the sections, and the marks of old players', () => {
  const text = mediaPlaylistText(mediaPlaylist(whole, 'v0', { breaks: [over] }));
  const hex = (section: Buffer): string => `0x${section.toString('hex').toUpperCase()}`;
  const id = `ID="cue-3",START-DATE="${clock(14)}"`;
  assert.deepEqual(cueTags(text), [
    [],
    [],
    [`DATERANGE:${id},PLANNED-DURATION=3.000,SCTE35-OUT=${hex(OUT)}`, 'CUE-OUT:3.000'],
    [`DATERANGE:${id},END-DATE="${clock(17)}",DURATION=3.000,SCTE35-IN=${hex(IN)}`, 'CUE-IN'],
    [],
  ]);
  const { segments } = HLS.parse(text) as HLS.types.MediaPlaylist;
  const { attributes } = segments[2]!.dateRange as unknown as { attributes: Record<string, Buffer> };
  assert.ok(decodeSplice(Buffer.from(attributes['SCTE35-OUT']!)).info !== undefined);
  assert.deepEqual(
    segments[2]!.markers.map(({ type }) => type),
    ['OUT'],
  );
  assert.equal(segments[0]!.map.uri, 'init.mp4');
  assert.equal(segments[1]!.programDateTime!.toISOString(), clock(11));
});

test('a break in HLS is listed while it goes on, and when it began before the first segment listed', () => {
  const open = { ...running, plannedSeconds: undefined };
  const all = mediaPlaylist(whole, 'v0', { breaks: [open] });
  assert.deepEqual(
    cueTags(mediaPlaylistText(all)).map((tags) => tags.filter((tag) => tag.startsWith('CUE'))),
    [...[[], [], ['CUE-OUT'], ['CUE-OUT-CONT:ElapsedTime=3.000'], ['CUE-OUT-CONT:ElapsedTime=6.000']]],
  );
  const later = cueTags(mediaPlaylistText({ ...all, breaks: [running], segments: all.segments.slice(3) }));
  assert.equal(later[0]!.length, 2);
  assert.match(later[0]![0]!, /SCTE35-OUT/u);
  assert.equal(later[0]![1], 'CUE-OUT-CONT:ElapsedTime=3.000,Duration=3.000');
  // At its end in the first segment that is listed, and long over.
  assert.deepEqual(
    cueTags(mediaPlaylistText({ ...all, breaks: [over], segments: all.segments.slice(3) }))[0]!.at(-1),
    'CUE-IN',
  );
  assert.deepEqual(cueTags(mediaPlaylistText({ ...all, breaks: [over], segments: all.segments.slice(4) })), [[]]);
  // Where no segment ends at the cue, the marks are at the next one.
  const within = { ...over, startAt: clock(15), end: { at: clock(18), in: undefined } };
  const marks = cueTags(mediaPlaylistText({ ...all, breaks: [within] }));
  assert.deepEqual(
    marks.map((tags) => tags.map((tag) => tag.split(':')[0])),
    [...[[], [], ['DATERANGE'], ['DATERANGE', 'CUE-OUT'], ['CUE-IN']]],
  );
  assert.throws(() => mediaPlaylistText({ ...all, breaks: [{ ...over, startAt: 'soon' }] }), RangeError);
});

test('the keys of HLS are written one line a system, and anew where they are replaced', () => {
  const key = {
    method: 'SAMPLE-AES' as const,
    uri: 'skd://1',
    keyFormat: 'com.apple.streamingkeydelivery',
    keyFormatVersions: '1',
  };
  const other = {
    ...key,
    uri: 'data:text/plain;base64,AA==',
    keyFormat: 'urn:uuid:edef8ba9',
    keyId: '07'.repeat(16),
  };
  const plain = mediaPlaylist(whole, 'v0');
  const withKeys = (keysOf: (i: number) => object): string =>
    mediaPlaylistText({ ...plain, segments: plain.segments.map((segment, i) => ({ ...segment, ...keysOf(i) })) });
  const text = withKeys(() => ({ keys: [key, other] }));
  assert.match(
    text,
    /#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd:\/\/1",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"\n/u,
  );
  assert.match(text, new RegExp(`KEYID=0x${'07'.repeat(16)}\n`, 'u'));
  assert.equal(text.match(/#EXT-X-KEY/gu)!.length, 2);
  const next = { ...key, uri: 'skd://2' };
  const lines = withKeys((i) => (i < 2 ? { keys: [key] } : { keys: [next], map: 'next.mp4' })).split('\n');
  assert.deepEqual(
    lines.filter((line) => /^#EXT-X-(?:KEY|MAP)|m4s$/u.test(line)).map((line) => /skd:..\d|\w+\.m\w+/u.exec(line)![0]),
    ['skd://1', 'init.mp4', '0.m4s', '1.m4s', 'skd://2', 'next.mp4', '2.m4s', '3.m4s', '4.m4s'],
  );
});

test('a playlist of sound has the wall clock of its own segments', () => {
  const period = { firstSequence: 0, startSeconds: 0, originSeconds: 10, inits: {} as Record<number, ListedInit> };
  period.inits[1] = { name: 'v.mp4', codecs: 'avc1.42c01e', timescale: 90_000, width: 16, height: 16 };
  period.inits[2] = { name: 'a.mp4', codecs: 'mp4a.40.2', timescale: 48_000, width: 0, height: 0 };
  // Frames of 1024 samples: segments of sound end within half a frame of the picture's.
  const sounds = [0, 94 * 1024, 188 * 1024];
  const segments = [0, 1, 2].map((sequence) => ({
    sequence,
    startSeconds: 10 + 2 * sequence,
    seconds: 2,
    parts: {
      1: { startTime: (10 + 2 * sequence) * 90_000, duration: 180_000 },
      2: { startTime: 480_000 + sounds[sequence]!, duration: 94 * 1024 },
    },
  }));
  const presentation = {
    availabilityStartAt: '2026-01-01T00:00:00.000Z',
    targetSeconds: 2,
    discontinuitySequence: 0,
    periods: [period],
    segments,
  };
  const layout = {
    tracks: [
      { id: 1, kind: 'video', rate: undefined, label: undefined },
      { id: 2, kind: 'audio', rate: undefined, label: { language: 'en', name: 'English', isDefault: true } },
    ],
    renditions: [{ video: 1, audios: [2] }],
  } as const;
  const playlist = trackPlaylist(presentation, layout, 2, { ended: false, suffix: '' });
  const instants = [...playlist.matchAll(/DATE-TIME:(\S+)/gu)];
  const ms = instants.map(([, at]) => Date.parse(at!) - Date.parse(presentation.availabilityStartAt));
  assert.deepEqual(
    ms,
    sounds.map((ticks) => Math.round(ticks / 48)),
  );
});

test('the announced rate is at most a fifth above the rate that the encoder is set to', () => {
  for (const seconds of [1, 2, 4, 6, 10]) {
    const peak = expectedPeak(1_000_000, seconds);
    assert.ok(peak > 1_050_000 && peak <= 1_200_000, `${seconds} s: ${peak}`);
  }
});
