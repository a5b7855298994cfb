/** Low latency: the length of parts, their cut, and playlists without what a player knows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deltaPlaylist } from '../../../device/delivery/live/delta-playlist.ts';
import { parseReload } from '../../../device/delivery/live/reload.ts';
import { playlistWithToken } from '../../../device/delivery/tokened-manifest.ts';
import type { MediaFragment, TrackInit } from '../../../device/media/fmp4/fmp4-parser.ts';
import { mediaPlaylistText, type MediaPlaylist } from '../../../device/media/manifests/hls-playlist.ts';
import { partSeconds, partTarget } from '../../../device/media/manifests/part-rule.ts';
import { PartSegmenter, type CmafPart } from '../../../device/media/manifests/part-segmenter.ts';
import { HLS } from '../../helpers/hls.ts';

test('a part is a whole number of frames, and a keyframe distance a whole number of parts where that can be', () => {
  const frames = (keyframeSeconds: number, fps: number): number =>
    Math.round(partSeconds(keyframeSeconds, 1 / fps) * fps);
  assert.deepEqual(
    [frames(2, 24), frames(2, 25), frames(2, 30), frames(2, 50), frames(2, 60), frames(1, 30)],
    [8, 10, 10, 20, 20, 10],
  );
  assert.equal(frames(31 / 30, 30), 10, 'a prime number of frames has no such parts');
  assert.ok(partTarget(0.4) < 0.5 && partTarget(0.2) > 0.2);
});

const INIT = { timescale: 30, trackId: 1, kind: 'video' } as TrackInit;

function frame(n: number, key: boolean, ticks = n): MediaFragment {
  const samples = [{ duration: 1, size: 1, flags: 0, compositionOffset: 0 }];
  const bytes = Buffer.from([n]);
  return { bytes, data: bytes, trackId: 1, decodeTime: ticks, startTime: ticks, duration: 1, key, samples };
}

function segmented(frames: readonly MediaFragment[]): { parts: CmafPart[]; broken: number } {
  const parts: CmafPart[] = [];
  let broken = 0;
  const rule = { segmentSeconds: 2, firstSeconds: 2, keyframeSeconds: 1 };
  const hooks = { onPart: (part: CmafPart) => parts.push(part), onInit() {}, onBroken: () => (broken += 1) };
  const segmenter = new PartSegmenter([{ id: 'v', kind: 'video' }], rule, 1 / 3, hooks);
  segmenter.init('v', INIT);
  for (const one of frames) segmenter.add('v', one);
  return { parts, broken };
}

test('parts come once the frame behind them has come, begin where keyframes do, and the last of a segment is known as such', () => {
  const frames = Array.from({ length: 91 }, (_, n) => frame(n, n % 30 === 0));
  const { parts } = segmented(frames.slice(0, 60));
  assert.equal(parts.length, 5, 'the sixth waits for the next frame');
  const { parts: all } = segmented(frames);
  const of = (what: 'first' | 'last'): number[] => all.flatMap((part, i) => (part[what] ? [i] : []));
  assert.deepEqual([all.length, of('first'), of('last')], [9, [0, 6], [5]]);
  const keys = all.flatMap(({ tracks }, i) => (tracks.get('v')!.independent ? [i] : []));
  assert.deepEqual(keys, [0, 3, 6]);
  for (const { seconds } of all) assert.ok(Math.abs(seconds - 1 / 3) < 1e-9);
});

test('a jump of the time ends the segment with the parts that it has, and a discontinuity follows with the next keyframe', () => {
  const before = Array.from({ length: 45 }, (_, n) => frame(n, n % 30 === 0));
  const after = Array.from({ length: 31 }, (_, n) => frame(n, n % 30 === 5, 300 + n));
  const { parts, broken } = segmented([...before, ...after]);
  assert.equal(broken, 1);
  const i = parts.findIndex(({ discontinuity }) => discontinuity);
  assert.ok(parts[i - 1]!.last && parts[i]!.first);
  assert.equal(parts[i]!.startSeconds, 305 / 30);
});

/** A segment has 2 s; the open one has one part. */
function list(count: number): MediaPlaylist {
  const segment = (n: number): MediaPlaylist['segments'][number] => ({
    uri: `${n}.m4s`,
    map: n < 3 ? 'init-0.mp4' : 'init-3.mp4',
    keys: [`#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://${n < 3 ? 0 : 3}"`],
    seconds: 2,
    programDateTime: new Date(n * 2000).toISOString(),
    discontinuity: n === 3,
  });
  const parts = [{ uri: `${count}.0.m4s`, seconds: 0.334, independent: true }];
  const open = { ...segment(count), seconds: 0.334, parts, isOpen: true };
  return {
    version: 9,
    targetSeconds: 2,
    mediaSequence: 0,
    discontinuitySequence: 0,
    ended: false,
    ranges: [{ id: 'tag', className: undefined, startAt: new Date(1000).toISOString(), seconds: 30, attributes: [] }],
    segments: [...Array.from({ length: count }, (_, n) => segment(n)), open],
    lowLatency: {
      partTargetSeconds: 0.355,
      hint: `${count}.1.m4s`,
      reports: [{ uri: '../2/index.m3u8', lastSequence: count, lastPart: 0 }],
    },
  };
}

test('a delta update leaves out what is older than the boundary, and keeps date ranges, the set-up and its keys', () => {
  assert.equal(deltaPlaylist(mediaPlaylistText(list(5))), mediaPlaylistText(list(5)), 'too short a list');
  const text = deltaPlaylist(mediaPlaylistText(list(10)));
  assert.match(text, /CAN-SKIP-UNTIL=12\.000/u);
  assert.match(
    text,
    /#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n#EXT-X-DATERANGE:ID="tag"[^\n]+\n#EXT-X-KEY:[^\n]+skd:..3"\n#EXT-X-MAP:URI="init-3.mp4"\n/u,
  );
  assert.ok(!text.includes('\n3.m4s') && text.includes('\n4.m4s') && text.endsWith('LAST-MSN=10,LAST-PART=0\n'));
  const parsed = HLS.parse(text) as HLS.types.MediaPlaylist;
  assert.equal(parsed.skip, 4);
  const full = HLS.parse(mediaPlaylistText(list(10))) as HLS.types.MediaPlaylist;
  assert.equal(full.lowLatencyCompatibility!.partHoldBack, 1.07);
  assert.equal(full.segments.at(-1)!.parts.length, 2, 'a part and a hint');
});

test('the token of a viewer is in the addresses of parts, hints and reports', () => {
  const lines = playlistWithToken(mediaPlaylistText(list(1)), 'T').split('\n');
  const addresses = lines.filter((line) => /EXT-X-(?:PART:|PRELOAD|RENDITION)/u.test(line));
  assert.equal(addresses.length, 3);
  for (const line of addresses) assert.match(line, /\?token=T"/u);
});

test('directives of a reload that cannot be meant are refused', () => {
  const parse = (query: string): unknown => parseReload(new URLSearchParams(query));
  assert.deepEqual(parse('_HLS_msn=7&_HLS_part=2&_HLS_skip=YES'), { sequence: 7, part: 2, skip: true });
  assert.deepEqual(parse('_HLS_skip=v2'), { sequence: undefined, part: undefined, skip: true });
  for (const query of ['_HLS_part=1', '_HLS_msn=', '_HLS_msn=1.5', '_HLS_msn=1&_HLS_part=-1'])
    assert.equal(typeof parse(query), 'string', query);
});
