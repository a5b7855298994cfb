/** Copies of transport streams of many kinds by the reader of ours: frame by frame what the copy of ffmpeg has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PACKET_BYTES, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { wordsOf } from '../../helpers/words.ts';
import {
  copyOf,
  copyOfFfmpeg,
  ffmpeg,
  framesOf,
  made,
  packedOf,
  PICTURE,
  SOUND,
  type CopyOptions,
} from './ts-copies.ts';

const X264 = '-t 4 -c:v libx264 -preset veryfast -bf 3 -g 25 -c:a aac';
const WRAP_SECONDS = 2 ** 33 / 90_000;

function assertSame(dir: string, stream: Buffer, options: CopyOptions = {}, ...maps: string[]): void {
  const theirs = copyOfFfmpeg(dir, stream, ...maps);
  const { bytes, notes } = copyOf(stream, options);
  assert.deepEqual(notes, []);
  for (const kind of ['v', 'a'] as const) {
    const [own, wanted] = [framesOf(dir, bytes, kind), framesOf(dir, theirs, kind)];
    assert.ok(wanted.length > 20, `${wanted.length} frames`);
    assert.deepEqual(own, wanted, kind);
    assertPacked(dir, kind, bytes, wanted);
  }
}

/** The copy has the same frames when this process packs it into MP4; what it does not pack is refused by name. */
function assertPacked(dir: string, kind: 'v' | 'a', bytes: Buffer, wanted: string[]): void {
  for (const seconds of [0, 0.5, Infinity]) {
    const { files, unfit } = packedOf(bytes, seconds);
    const file = files.get(kind === 'v' ? PICTURE : SOUND);
    if (unfit === undefined) assert.deepEqual(framesOf(dir, file!, kind), wanted, `${kind} packed by ${seconds} s`);
    else assert.match(unfit, /^its (?:pictures are neither H\.264 nor HEVC|sound is neither AAC nor MP3 nor Opus)$/u);
  }
}

describe('copies of transport streams', () => {
  const KINDS = [
    ['H.264 with B pictures and AAC', X264, ''],
    ['H.264 without IDR pictures but the first', `${X264} -x264-params open-gop=1:keyint=25:bframes=3`, ''],
    ['H.264 without delimiters and marks', X264, '-bsf:v h264_metadata=aud=remove -mpegts_flags +resend_headers'],
    ['fields of H.264', `${X264} -s 160x96 -flags +ildct+ilme -x264-params tff=1`, ''],
    ['HEVC', '-t 4 -c:v libx265 -preset ultrafast -x265-params bframes=3:keyint=25:log-level=none -c:a aac', ''],
    ['MPEG-2 and MP2', '-t 4 -c:v mpeg2video -bf 2 -g 12 -b:v 1M -c:a mp2', ''],
    ['MPEG-2 and AC-3', '-t 4 -c:v mpeg2video -bf 2 -g 12 -b:v 1M -c:a ac3 -ac 2', ''],
    ['H.264 and MP3 of 44.1 kHz', '-t 4 -c:v libx264 -preset veryfast -g 25 -c:a libmp3lame -ar 44100', ''],
    ['AAC of 44.1 kHz, a unit of several frames', `${X264} -ar 44100`, '-pes_payload_size 4000'],
    ['a constant rate with null packets', X264, '-muxrate 3M'],
    ['DVB tables', `${X264} -c:a ac3`, '-mpegts_flags +system_b'],
    ['times that wrap', X264, `-output_ts_offset ${WRAP_SECONDS - 2}`],
  ] as const;
  for (const [name, coding, more] of KINDS)
    it(`${name}: every frame is the same`, (t) => {
      const dir = testFolder(t, 'ts-copies');
      assertSame(dir, made(dir, 'clip', coding, more));
    });

  it('one of two programmes is taken with the sound that is named', (t) => {
    const dir = testFolder(t, 'ts-copies');
    const path = join(dir, 'two.ts');
    const inputs = wordsOf(
      '-f lavfi -i testsrc2=s=160x90:r=25 -f lavfi -i mandelbrot=s=160x90:r=25 -f lavfi -i sine=f=440:r=48000 -f lavfi -i sine=f=880:r=48000',
    );
    const maps = wordsOf('-map 0:v -map 2:a -map 1:v -map 2:a -map 3:a -t 4 -pix_fmt yuv420p');
    const coding = wordsOf('-c:v libx264 -preset veryfast -g 25 -c:a aac');
    const programs = ['title=One:st=0:st=1', 'title=Two:st=2:st=3:st=4'].flatMap((one) => ['-program', one]);
    ffmpeg(...inputs, ...maps, ...coding, ...programs, path);
    const stream = readFileSync(path);
    const sounds = [{ pid: SOUND, number: 1, language: 'und' }];
    assertSame(dir, stream, { program: 2, sounds }, '-map', '0:p:2:v', '-map', '0:p:2:a:1');
    assert.deepEqual(copyOf(stream).notes, ['it carries several programmes']);
  });

  for (const seconds of [-10, 15, -3600])
    it(`a clock that jumps by ${seconds} s loses no frame`, (t) => {
      const dir = testFolder(t, 'ts-copies');
      const [one, two] = [4000, 4004 + seconds].map((at, n) => made(dir, `part-${n}`, X264, `-output_ts_offset ${at}`));
      assertSame(dir, Buffer.concat([one!, two!]));
    });

  it('what is left of lost datagrams is what ffmpeg leaves of them', (t) => {
    const dir = testFolder(t, 'ts-copies');
    const stream = made(dir, 'clip', `${X264} -b:v 800k`);
    const kept: Buffer[] = [];
    for (let at = 0, n = 0; at < stream.length; at += 1316, n += 1)
      if (n % 40 !== 39) kept.push(stream.subarray(at, at + 1316));
    const left = Buffer.concat(kept);
    const { bytes, holes, notes } = copyOf(left);
    assert.deepEqual(notes, []);
    assert.ok(holes > 3, `${holes} holes`);
    const [own, wanted] = [framesOf(dir, bytes, 'v'), framesOf(dir, copyOfFfmpeg(dir, left), 'v')];
    const same = own.filter((hash) => wanted.includes(hash)).length;
    assert.ok(Math.abs(own.length - wanted.length) <= 2 && same >= wanted.length * 0.9, `${same} of ${wanted.length}`);
  });

  it('streams that move to other PIDs go on, and one that is coded in another way begins anew', (t) => {
    const dir = testFolder(t, 'ts-copies');
    const coding = [
      X264,
      X264,
      X264.replace('libx264 -preset veryfast -bf 3', 'libx265 -preset ultrafast'),
      '-vn -t 4 -c:a aac',
    ];
    const pids = [
      '-streamid 0:256 -streamid 1:257',
      '-streamid 0:300 -streamid 1:301',
      '-streamid 0:300 -streamid 1:301',
      '-streamid 0:301',
    ];
    const parts = coding.map((own, n) => made(dir, `part-${n}`, own, `${pids[n]!} -output_ts_offset ${4 * n}`));
    const { bytes, notes } = copyOf(Buffer.concat([...parts, parts[2]!]));
    assert.deepEqual(notes, ['picture moved', 'sound moved', 'recoded', 'picture begun']);
    const own = framesOf(dir, bytes, 'a').length;
    assert.ok(own > 5 * 4 * 46, `${own} frames of sound`);
  });

  it('what cannot be read here is told by name', (t) => {
    const dir = testFolder(t, 'ts-copies');
    const stream = made(dir, 'clip', X264);
    const notes = (bytes: Buffer, options: CopyOptions = {}): string[] => copyOf(bytes, options).notes;
    const longer = (size: number): Buffer =>
      Buffer.concat(
        Array.from({ length: stream.length / PACKET_BYTES }, (_, n) =>
          Buffer.concat([stream.subarray(n * PACKET_BYTES, (n + 1) * PACKET_BYTES), Buffer.alloc(size - PACKET_BYTES)]),
        ),
      );
    assert.deepEqual(
      [notes(longer(192)), notes(longer(204))],
      [['its packets have 192 bytes'], ['its packets have 204 bytes']],
    );
    const scrambled = Buffer.from(stream);
    for (let at = 0; at < scrambled.length; at += PACKET_BYTES)
      if (pidOf(scrambled, at) === 0x100) scrambled[at + 3]! |= 0x80;
    assert.deepEqual(notes(scrambled), ['it is scrambled']);
    assert.deepEqual(notes(Buffer.alloc(100_000)), ['it is no transport stream']);
    assert.deepEqual(notes(made(dir, 'old', '-t 4 -c:v mpeg4 -c:a aac')), ['its picture is of another codec']);
    assert.deepEqual(notes(made(dir, 'sound', '-vn -t 4 -c:a aac'), { everyMs: 100 }), [
      'it lacks a stream that is wanted',
    ]);
    assert.deepEqual(notes(stream, { program: 5, everyMs: 100 }), ['its tables do not come']);
    const second = [0, 1].map((number) => ({ pid: SOUND + number, number, language: 'und' }));
    assert.deepEqual(notes(stream, { sounds: second }), ['lacks 1']);
  });
});
