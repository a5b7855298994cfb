/** Captions as text: what a decoder shows, when, and how segments say it. ffmpeg's own decoder of line 21 is the measure. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { withParity } from '../../../device/media/captions/cc-data.ts';
import { CaptionReader } from '../../../device/media/captions/cc-reader.ts';
import { ServicePackets } from '../../../device/media/captions/service-packets.ts';
import { CaptionTracks } from '../../../device/media/webvtt/caption-tracks.ts';
import type { Cue } from '../../../device/media/webvtt/cue.ts';
import { TextSegments } from '../../../device/media/webvtt/text-segments.ts';
import { cueText, webvttSegment } from '../../../device/media/webvtt/webvtt-segment.ts';
import { wvttInit, wvttSegment } from '../../../device/media/webvtt/wvtt.ts';
import { captioned, readCaptions } from '../../helpers/captioned.ts';
import { folder } from '../runner/runner-fixture.ts';

const SECOND = 90_000;
const FRAME = 3003;

/** Pairs of field 1, one a frame. */
function played(tracks: CaptionTracks, pairs: readonly (readonly [number, number])[], from = 0): number {
  pairs.forEach(([a, b], i) => tracks.push(from + i * FRAME, Buffer.from([0, withParity(a), withParity(b)])));
  return from + pairs.length * FRAME;
}

function twice(a: number, b: number): [number, number][] {
  return [
    [a, b],
    [a, b],
  ];
}

function written(text: string): [number, number][] {
  return Array.from({ length: Math.ceil(text.length / 2) }, (_, i) => [
    text.charCodeAt(2 * i),
    text.charCodeAt(2 * i + 1) || 0,
  ]);
}

function texts(cues: readonly Cue[]): string[] {
  return cues.map(({ blocks }) => blocks.map(cueText).join(' | '));
}

test('pop-on captions of a real stream are what ffmpeg reads in it, within a frame', async (t) => {
  const path = join(folder(t), 'source.ts');
  const captions = [
    { text: 'HELLO <FROM> ONAIR', at: 1 },
    { text: 'SECOND LINE 12', at: 2 },
  ];
  writeFileSync(path, await captioned({ codec: 'libx264', rate: '25', seconds: 3, captions }));
  const units = execFileSync('ffmpeg', [
    ...['-v', 'error', '-i', path, '-map', '0:v', '-c', 'copy', '-bsf:v', 'filter_units=pass_types=6'],
    ...['-copyts', '-muxdelay', '0', '-muxpreload', '0', '-f', 'mpegts', 'pipe:1'],
  ]);
  const tracks = new CaptionTracks();
  const read = new CaptionReader().push(units).sort((a, b) => a.seconds - b.seconds);
  const first = read[0]!.seconds;
  for (const { seconds, pairs } of read) if (pairs) tracks.push(Math.round((seconds - first) * SECOND), pairs);
  const shown = tracks.between('CC1', 0, 10 * SECOND);
  const ours = shown.map(({ blocks, startTicks }) => [blocks[0]!.rows[0]![0]!.text, startTicks / SECOND] as const);
  const theirs = await readCaptions(path);
  assert.deepEqual(
    ours.map(([text]) => text),
    ['HELLO <FROM> ONAIR', 'SECOND LINE 12'],
  );
  assert.equal(theirs.length, 2);
  ours.forEach(([, seconds], i) =>
    assert.ok(Math.abs(seconds - captions[i]!.at) <= 0.08, `caption ${i} at ${seconds} s`),
  );
  const gap = theirs[1]!.seconds - theirs[0]!.seconds;
  assert.ok(Math.abs(ours[1]![1] - ours[0]![1] - gap) <= 0.05, 'as far apart as ffmpeg says');
});

test('roll-up keeps its rows, and paint-on has the styles, special and extended characters', () => {
  const tracks = new CaptionTracks();
  let at = played(tracks, [...twice(0x14, 0x25), ...twice(0x14, 0x2d), ...twice(0x14, 0x70), ...written('ONE')]);
  at = played(tracks, [...twice(0x14, 0x2d), ...written('TWO')], at + SECOND);
  at = played(tracks, [...twice(0x14, 0x2d), ...written('THREE')], at + SECOND);
  const rolled = texts(tracks.between('CC1', 0, at));
  assert.deepEqual([rolled[0], rolled.at(-1)], ['ONE', 'TWO\nTHREE']);
  assert.ok(rolled.includes('ONE\nTWO'));

  // Yellow, underlined; a music note; an e with an accent in place of a plain one; italics; one character taken back.
  const painted = [...twice(0x14, 0x2c), ...twice(0x14, 0x29), ...twice(0x11, 0x4b), ...twice(0x11, 0x37)];
  painted.push(...written('CAFE'), ...twice(0x12, 0x21), ...twice(0x11, 0x2e), ...written('XY'), ...twice(0x14, 0x21));
  at = played(tracks, painted, at + SECOND);
  const [last] = texts(tracks.between('CC1', at - FRAME, at));
  assert.equal(last, '<c.yellow><u>♪CAFÉ</u></c><c.yellow> </c><c.yellow><i>X</i></c>');
});

test('text mode, XDS and damaged pairs show nothing; CC2 and CC3 are tracks of their own', () => {
  const tracks = new CaptionTracks();
  let at = played(tracks, [...twice(0x14, 0x29), ...written('OK'), ...twice(0x14, 0x2a), ...written('TEXT MODE')]);
  at = played(tracks, [...twice(0x1c, 0x29), ...written('SECOND')], at);
  tracks.push(at, Buffer.from([0, 0x41, 0x42, 1, 0x01, 0x83]));
  const field2 = [...twice(0x15, 0x29), ...written('HOLA'), [0x01, 0x03] as [number, number], ...written('XDS')];
  field2.forEach(([a, b], i) => tracks.push(at + i * FRAME, Buffer.from([1, withParity(a), withParity(b)])));
  const of = (channel: 'CC1' | 'CC2' | 'CC3'): string | undefined =>
    texts(tracks.between(channel, 0, at + SECOND)).at(-1);
  assert.deepEqual([of('CC1'), of('CC2'), of('CC3')], ['OK', 'SECOND', 'HOLA']);
  assert.deepEqual(tracks.channels, ['CC1', 'CC2', 'CC3']);
});

/** A packet of CEA-708 with one block of service 1. */
function servicePairs(block: readonly number[]): Buffer {
  const bytes = [0, (1 << 5) | block.length, ...block];
  if (bytes.length % 2 === 1) bytes.push(0);
  bytes[0] = bytes.length / 2;
  return Buffer.from(bytes.flatMap((byte, i) => (i % 2 === 0 ? [i === 0 ? 3 : 2, byte, bytes[i + 1]!] : [])));
}

test('service 1 is a track where line 21 is silent: windows, rows, display and reset', () => {
  const tracks = new CaptionTracks();
  const text = (words: string): number[] => [...Buffer.from(words, 'latin1')];
  const define = [0x98, 0x00, 0x46, 0x20, 0x11, 0x1f, 0x11];
  tracks.push(0, servicePairs([...define, ...text('Hé'), 0x0d, ...text('two'), 0x10, 0x25]));
  assert.deepEqual(tracks.channels, [], 'the window is not displayed yet');
  tracks.push(SECOND, servicePairs([0x89, 1]));
  tracks.push(3 * SECOND, servicePairs([0x8a, 1]));
  tracks.push(4 * SECOND, servicePairs([0x89, 1]));
  tracks.push(5 * SECOND, servicePairs([0x8f]));
  assert.deepEqual(tracks.channels, ['SERVICE1']);
  const cues = tracks.between('SERVICE1', 0, 6 * SECOND);
  assert.deepEqual(texts(cues), ['Hé\ntwo…', 'Hé\ntwo…']);
  const times = cues.map(({ startTicks, endTicks }) => [startTicks / SECOND, endTicks / SECOND]);
  assert.deepEqual(times, [
    [1, 3],
    [4, 5],
  ]);
  assert.equal(new ServicePackets(1).push(2, 1, 2).length, 0, 'the middle of a packet alone is nothing');
});

test('a cue that is shown at a cut goes on in the next segment, one with an end is repeated as it is', () => {
  const tracks = new CaptionTracks();
  const segments = new TextSegments(tracks);
  played(tracks, [...twice(0x14, 0x29), ...written('AB')], 10 * SECOND);
  const first = segments.cues('CC1', 10 * SECOND, 12 * SECOND);
  assert.deepEqual(
    first.map(({ endTicks }) => endTicks / SECOND),
    [12],
  );
  tracks.erase(15 * SECOND);
  const spans = [12, 14, 16].map((from) => segments.cues('CC1', from * SECOND, (from + 2) * SECOND));
  assert.deepEqual(
    spans.map((cues) => cues.map(({ startTicks, endTicks }) => [startTicks / SECOND, endTicks / SECOND])),
    [[[12, 15]], [[12, 15]], []],
  );
  const text = webvttSegment(2 ** 33 + 12 * SECOND, spans[0]!);
  assert.match(
    text,
    /^WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:\d+,LOCAL:26:30:55\.717\n\n00:00:12\.000 --> 00:00:15\.000 line:/u,
  );
  const [, map] = /MPEGTS:(\d+)/u.exec(text)!;
  assert.ok(Number(map) < 2 ** 33 && Math.abs(Number(map) - 12 * SECOND) <= 90);
});

test('captions that nothing follows go after 16 seconds', () => {
  const tracks = new CaptionTracks();
  const at = played(tracks, [...twice(0x14, 0x29), ...written('STUCK')]);
  const [cue] = tracks.between('CC1', 0, 60 * SECOND);
  assert.ok(Math.abs(cue!.endTicks - at - 16 * SECOND) <= FRAME);
});

test('ffmpeg reads the same text and times in wvtt', (t) => {
  const path = join(folder(t), 'text.mp4');
  const blocks = [
    { top: 80, left: 10, rows: [[{ text: 'A & B', italic: false, underline: false, colour: undefined }]] },
  ];
  const cue = { startTicks: 11 * SECOND, endTicks: 13 * SECOND, blocks };
  const parts = [10, 12].map((from, i) => wvttSegment(i + 1, from * SECOND, (from + 2) * SECOND, [cue]));
  writeFileSync(path, Buffer.concat([wvttInit(), ...parts]));
  const args = ['-v', 'error', '-show_entries', 'stream=codec_tag_string:packet=pts_time,size'];
  const seen = JSON.parse(execFileSync('ffprobe', [...args, '-of', 'json', path], { encoding: 'utf8' })) as {
    streams: { codec_tag_string: string }[];
    packets: { pts_time: string; size: string }[];
  };
  assert.equal(seen.streams[0]!.codec_tag_string, 'wvtt');
  const packets = seen.packets.map(({ pts_time: at, size }) => [+at, Number(size) > 8]);
  assert.deepEqual(packets, [
    [10, false],
    [11, true],
    [12, true],
    [13, false],
  ]);
  assert.ok(readFileSync(path).includes(Buffer.from('payl' + 'A &amp; B')));
});
