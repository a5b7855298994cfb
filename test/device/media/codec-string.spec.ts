import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rotationIn, shownFacts } from '../../../device/media/codecs/picture-facts.ts';
import { FlvFacts } from '../../../device/media/rtmp/flv-facts.ts';
import { captioned } from '../../helpers/captioned.ts';
import { testFolder } from '../../helpers/test-folder.ts';
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

function coded(...args: string[]): Buffer {
  const picture = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=25:duration=0.2'];
  return execFileSync('ffmpeg', [...picture, ...args, 'pipe:1']);
}

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-f', 'h264'];
const HEVC_QUIET = ['-c:v', 'libx265', '-preset', 'ultrafast', '-f', 'hevc', '-x265-params'];
const PQ = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];
const FIELDS = ['-flags', '+ildct+ilme'];

test('the units of a keyframe say whether its pictures have fields, their light, and how they are turned', () => {
  const turned = ['-bsf:v', 'h264_metadata=display_orientation=insert:rotate=90'];
  const cases: [number, string[], boolean | null, string | null][] = [
    [0x1b, H264, false, null],
    [0x1b, [...FIELDS, ...H264], true, null],
    [0x1b, [...PQ, ...H264], false, 'HDR10'],
    [0x24, [...HEVC_QUIET, 'log-level=none:colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc'], false, 'HLG'],
    [0x02, ['-c:v', 'mpeg2video', '-f', 'mpeg2video'], false, null],
    [0x02, [...FIELDS, '-c:v', 'mpeg2video', '-f', 'mpeg2video'], true, null],
  ];
  for (const [type, args, interlaced, hdr] of cases)
    assert.deepEqual(shownFacts(type, coded(...args)), { interlaced, hdr }, args.join(' '));
  assert.equal(rotationIn(0x1b, coded(...turned, ...H264)), 270);
  assert.equal(rotationIn(0x1b, coded(...H264)), undefined);
  assert.deepEqual(shownFacts(0x24, HEVC.subarray(0, 46)), { interlaced: null, hdr: null });
});

test('what an RTMP encoder sends tells its captions, its light and how it is turned', async (t) => {
  const path = join(testFolder(t, 'facts'), 'captioned.ts');
  const captions = [{ text: 'HELLO', at: 0.8 }];
  writeFileSync(path, await captioned({ codec: 'libx264', rate: '25', seconds: 2, captions, more: PQ }));
  const turn = ['-bsf:v', 'h264_metadata=display_orientation=insert:rotate=270'];
  const args = ['-v', 'error', '-i', path, '-c', 'copy', ...turn, '-f', 'flv', 'pipe:1'];
  const flv = execFileSync('ffmpeg', args);
  const facts = new FlvFacts();
  // Behind the header of nine bytes each tag has eleven, and its length behind it.
  for (let at = 13; at + 11 < flv.length;) {
    const length = flv.readUIntBE(at + 1, 3);
    const body = flv.subarray(at + 11, at + 11 + length);
    facts.take({ type: flv[at]!, stream: 1, time: flv.readUIntBE(at + 4, 3), body });
    at += length + 15;
  }
  const { rotation, hdr, interlaced } = facts.video!;
  assert.deepEqual({ rotation, hdr, interlaced }, { rotation: 90, hdr: 'HDR10', interlaced: false });
  assert.deepEqual(facts.captions, ['CC1']);
});

test('a parameter set that is cut short, or none, gives no facts instead of wrong ones', () => {
  assert.equal(videoFacts(0x1b, AVC.subarray(0, 12)), undefined);
  assert.equal(videoFacts(0x24, HEVC.subarray(0, 46)), undefined);
  assert.equal(videoFacts(0x1b, Buffer.from('00000001 68ebe3cb'.replace(' ', ''), 'hex')), undefined);
  assert.equal(videoFacts(0x02, AVC), undefined);
});
