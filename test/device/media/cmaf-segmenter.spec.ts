import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CmafSegmenter, type CmafSegment } from '../../../device/media/manifests/cmaf-segmenter.ts';
import type { MediaFragment, TrackInit } from '../../../device/media/fmp4/fmp4-parser.ts';
import {
  cut,
  feed,
  LADDER_FRAMES,
  LADDER_TRACKS,
  ladderStream,
  packaged,
  RULE,
  type PackagedTrack,
} from './packaging.ts';

const ladder = await packaged(ladderStream(), LADDER_TRACKS);
const PICTURES = ['v0', 'v1', 'v2'];
const rounded = (values: number[]): number[] => values.map((value) => Math.round(value * 1000) / 1000);
const lengths = (segments: CmafSegment[]): number[] => rounded(segments.map(({ seconds }) => seconds));
const starts = (segments: CmafSegment[]): number[] => rounded(segments.map(({ startSeconds }) => startSeconds));

/** A part of each track's fragments, by their time. */
function span(from: number, to: number, tracks = ladder): PackagedTrack[] {
  return tracks.map(({ id, init, fragments }) => {
    const seconds = (one: MediaFragment): number => one.startTime / init.timescale;
    return { id, init, fragments: fragments.filter((one) => seconds(one) >= from && seconds(one) < to) };
  });
}

test('pictures are cut at the same frame in all sizes, the sound within half a frame of it, and nothing is lost', () => {
  const { segments, inits, dropped } = cut(ladder);
  assert.deepEqual(lengths(segments), [1, 3, 3, 3, 2.4]);
  assert.deepEqual(starts(segments), [10, 11, 14, 17, 20]);
  assert.deepEqual([...inits.keys()], ['v0', 'v1', 'v2', 'a0']);
  assert.equal(dropped, 0);
  for (const { parts, startSeconds } of segments) {
    for (const id of PICTURES) assert.equal(parts.get(id)!.startTime, startSeconds * 90_000);
    const sound = parts.get('a0')!;
    assert.ok(Math.abs(sound.startTime / sound.timescale - startSeconds) <= 512 / 48_000 + 1e-9);
  }
  for (const id of [...PICTURES, 'a0']) {
    const parts = segments.map((segment) => segment.parts.get(id)!);
    for (const [i, part] of parts.slice(1).entries())
      assert.equal(part.startTime, parts[i]!.startTime + parts[i]!.duration);
  }
  const frames = (LADDER_FRAMES / 30) * 90_000;
  assert.equal(
    segments.reduce((sum, { parts }) => sum + parts.get('v2')!.duration, 0),
    frames,
  );
});

test('sound cut at every frame is one fragment a segment: less than a tenth of its weight is headers', () => {
  const { segments } = cut(ladder);
  const payload = ladder.at(-1)!.fragments.reduce((sum, { data }) => sum + data.length, 0);
  const bytes = segments.reduce((sum, { parts }) => sum + parts.get('a0')!.bytes.length, 0);
  assert.ok(bytes < payload * 1.1, `${bytes} of ${payload}`);
});

test('a segment is given as soon as all tracks have passed its end, not before', () => {
  const { segments, segmenter } = cut(span(9, 13), undefined, false);
  assert.deepEqual(starts(segments), [10]);
  const [sound, ...pictures] = [...span(13, 14)].reverse() as [PackagedTrack, ...PackagedTrack[]];
  feed(segmenter, pictures);
  assert.deepEqual(starts(segments), [10], 'pictures alone do not complete it');
  feed(segmenter, [sound]);
  assert.deepEqual(starts(segments), [10, 11], 'no need to wait for the next keyframe');
});

test('a cue ends a segment at the first keyframe that is not before it, and only there', () => {
  const isCut = (from: number, to: number): boolean => from < 14.4 && 14.4 <= to;
  const { segments } = cut(span(9, 30), { ...RULE, isCut });
  assert.deepEqual(starts(segments), [10, 11, 14, 15, 18, 21]);
});

test('the next packager begins a discontinuity after the end of one', () => {
  const { segments, segmenter } = cut(span(9, 15));
  assert.deepEqual(lengths(segments), [1, 3, 1]);
  feed(segmenter, span(17, 30));
  segmenter.finish();
  assert.deepEqual(
    segments.map(({ discontinuity }) => discontinuity),
    [false, false, false, true, false],
  );
  assert.deepEqual(starts(segments), [10, 11, 14, 17, 20]);
});

test('the last media before an end is a segment too, however short it is', () => {
  const { init, fragment } = imagined();
  const tracks = ['v', 'w'].map((id) => ({ id, init, fragments: [fragment(0, 2000), fragment(2000, 100)] }));
  const { segments, dropped } = cut(tracks, { segmentSeconds: 2, firstSeconds: 2, keyframeSeconds: 2 });
  assert.deepEqual(lengths(segments), [2, 0.1]);
  assert.equal(dropped, 0);
});

test('a jump of the time begins a discontinuity of itself', () => {
  const { segments, segmenter } = cut(span(9, 14), undefined, false);
  feed(segmenter, span(18, 30));
  segmenter.finish();
  assert.deepEqual(
    segments.map(({ startSeconds, discontinuity }) => [startSeconds, discontinuity]),
    [
      [10, false],
      [11, false],
      [18, true],
      [21, false],
    ],
  );
});

test('media that one track does not have is left out in all', () => {
  const holed = ladder.map((track) => {
    if (track.id !== 'v1') return track;
    return {
      ...track,
      fragments: track.fragments.filter(({ startTime }) => startTime < 990_000 || startTime >= 1_260_000),
    };
  });
  const { segments, dropped } = cut(holed);
  assert.equal(dropped, 1);
  assert.deepEqual(
    segments.map(({ startSeconds, discontinuity }) => [startSeconds, discontinuity]),
    [
      [10, false],
      [14, true],
      [17, false],
      [20, false],
    ],
  );
});

test('a picture that joined between keyframes begins with the next one', () => {
  const late = ladder.map((track) => {
    if (track.id !== 'v0') return track;
    const [first, ...rest] = track.fragments;
    return { ...track, fragments: [{ ...first!, key: false }, ...rest] };
  });
  assert.deepEqual(starts(cut(late).segments), [11, 12, 15, 18, 21]);
});

test('sound alone is cut by its own length', () => {
  const { segments } = cut(ladder.slice(3), { segmentSeconds: 2, firstSeconds: 2, keyframeSeconds: undefined });
  assert.ok(segments.length >= 6);
  for (const { seconds } of segments.slice(0, -1)) assert.ok(seconds >= 2 && seconds < 2.022);
});

/** Fragments without media, for what a test cannot wait for. */
function imagined(): { init: TrackInit; fragment(start: number, duration: number, bytes?: number): MediaFragment } {
  const defaults = { duration: 0, size: 0, flags: 0 };
  const init = {
    bytes: Buffer.alloc(0),
    trackId: 1,
    kind: 'video' as const,
    timescale: 1000,
    codecs: 'avc1.42C01E',
    defaults,
  };
  const fragment = (start: number, duration: number, bytes = 1): MediaFragment => {
    const times = { decodeTime: start, startTime: start, duration };
    return { bytes: Buffer.alloc(bytes), trackId: 1, ...times, key: true, samples: [], data: Buffer.alloc(0) };
  };
  return { init, fragment };
}

test('a segment ends before it would become too long, wherever the keyframes are', () => {
  const { init, fragment } = imagined();
  const segments: CmafSegment[] = [];
  const rule = { segmentSeconds: 6, firstSeconds: 4, keyframeSeconds: undefined };
  const segmenter = new CmafSegmenter([{ id: 'v', kind: 'video' }], rule, {
    onSegment: (segment: CmafSegment) => segments.push(segment),
    onInit: () => undefined,
    onDropped: () => undefined,
  });
  segmenter.init('v', init);
  for (let start = 0; start < 40_000; start += 4000) segmenter.add('v', fragment(start, 4000));
  assert.ok(segments.slice(0, -1).every(({ seconds }) => seconds === 4));
});

test('what an open segment grows by is what it is in the end, and none of it is handed on before all videos have it', () => {
  const { init, fragment } = imagined();
  const rule = { segmentSeconds: 6, firstSeconds: 6, keyframeSeconds: 2 };
  const tracks = [
    { id: 'v', kind: 'video' as const },
    { id: 'w', kind: 'video' as const },
  ];
  const [segments, growths]: CmafSegment[][] = [[], []];
  const segmenter = new CmafSegmenter(tracks, rule, {
    onSegment: (segment: CmafSegment) => segments!.push(segment),
    onGrown: (growth: CmafSegment) => growths!.push(growth),
    onInit: () => undefined,
    onDropped: () => undefined,
  });
  for (const { id } of tracks) segmenter.init(id, init);
  segmenter.add('v', fragment(0, 2000));
  assert.equal(growths!.length, 0);
  segmenter.add('w', fragment(0, 2000));
  for (let start = 2000; start < 20_000; start += 2000)
    for (const { id } of tracks) segmenter.add(id, fragment(start, 2000));
  assert.deepEqual(
    growths!.map(({ startSeconds, seconds, parts }) => [startSeconds, seconds, parts.get('w')!.startTime / 1000]),
    [
      [0, 2, 0],
      [0, 4, 2],
      [0, 6, 4],
      [6, 2, 6],
      [6, 4, 8],
      [6, 6, 10],
      [12, 2, 12],
      [12, 4, 14],
      [12, 6, 16],
      [18, 2, 18],
    ],
  );
  assert.deepEqual(starts(segments!), [0, 6, 12]);
});

test('a track that stands still does not fill the memory, and a track that nobody announced is refused', () => {
  const { init, fragment } = imagined();
  let dropped = 0;
  const tracks = [
    { id: 'v', kind: 'video' as const },
    { id: 'w', kind: 'video' as const },
  ];
  const rule = { segmentSeconds: 2, firstSeconds: 2, keyframeSeconds: 2 };
  const segments: CmafSegment[] = [];
  const segmenter = new CmafSegmenter(tracks, rule, {
    onSegment: (segment: CmafSegment) => segments.push(segment),
    onInit: () => undefined,
    onDropped: () => (dropped += 1),
  });
  segmenter.init('v', init);
  segmenter.init('w', init);
  for (let i = 0; i < 10; i += 1) segmenter.add('v', fragment(i * 2000, 2000, 10 << 20));
  assert.equal(dropped, 1);
  for (let i = 10; i < 14; i += 1) for (const id of ['v', 'w']) segmenter.add(id, fragment(i * 2000, 2000));
  assert.deepEqual(starts(segments), [20, 22, 24, 26]);
  assert.throws(() => segmenter.add('x', fragment(0, 1)), RangeError);
  assert.throws(() => new CmafSegmenter([], rule, { onSegment() {}, onInit() {}, onDropped() {} }), RangeError);
});
