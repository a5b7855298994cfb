import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adtsCodec, audioCodec, avcFacts, hevcFacts, videoFacts } from '../../../device/media/codecs/codec-string.ts';

/** First bytes of what x264 (1080p, High, cropped from 1088 lines) and x265 (720p, Main) of Debian 12 write. */
const AVC = Buffer.from('0000000167640028acd940780227e5c044000003000400000300f03c60c6580000000168ebe3cb22c0', 'hex');
const HEVC = Buffer.from(
  '0000000140010c01ffff01600000030090000003000003005d9598090000000142010101600000030090000003000003005da00280802d165959a4932bc05a020000030002000003003c10000000014401c172b46240',
  'hex',
);

test('an H.264 parameter set says profile, level and the cropped size', () => {
  assert.deepEqual(avcFacts(AVC), { codecs: 'avc1.640028', width: 1920, height: 1080 });
});

test('an H.265 parameter set says profile, tier, level and size, as ISO/IEC 14496-15 annex E writes them', () => {
  assert.deepEqual(hevcFacts(HEVC), { codecs: 'hvc1.1.6.L93.90', width: 1280, height: 720 });
});

test('sound is named by its header or its stream type', () => {
  const aac = Buffer.from('fff15040213ffcde0200', 'hex');
  assert.equal(adtsCodec(aac), 'mp4a.40.2');
  assert.deepEqual(
    [0x0f, 0x03, 0x06].map((type) => audioCodec(type, aac)),
    ['mp4a.40.2', 'mp4a.40.34', 'opus'],
  );
  assert.equal(adtsCodec(Buffer.from('00000000', 'hex')), undefined);
});

test('a parameter set that is cut short, or none, gives no facts instead of wrong ones', () => {
  assert.equal(videoFacts(0x1b, AVC.subarray(0, 12)), undefined);
  assert.equal(videoFacts(0x24, HEVC.subarray(0, 46)), undefined);
  assert.equal(videoFacts(0x1b, Buffer.from('00000001 68ebe3cb'.replace(' ', ''), 'hex')), undefined);
  assert.equal(videoFacts(0x02, AVC), undefined);
});
