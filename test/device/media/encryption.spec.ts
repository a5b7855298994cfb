/** Our encryption against that of another packager: the same map of every sample, the same bytes; and ffmpeg decrypts it. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { boxesIn, findBox, type Box } from '../../../device/media/fmp4/fmp4-box.ts';
import { Fmp4Parser, type TrackInit } from '../../../device/media/fmp4/fmp4-parser.ts';
import { SampleCipher } from '../../../device/media/encryption/sample-cipher.ts';
import { subsamplesOf } from '../../../device/media/codecs/sample-map.ts';
import { TrackEncryptor } from '../../../device/media/encryption/track-encryptor.ts';
import { someOf } from '../../helpers/counts.ts';
import { madeOnce } from '../../helpers/made-once.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const run = promisify(execFile);
const KEY = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const KID = '00112233445566778899aabbccddeeff';
const IV = 'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf';
const PACKAGER = join(
  dirname(createRequire(import.meta.url).resolve('shaka-packager/package.json')),
  `bin/packager-linux-${process.arch}`,
);
/** Slice headers of every kind: CABAC or not, B pictures, weights, fields, several slices, 4:4:4, rows with entry points. */
const CODINGS: Record<string, string[]> = {
  'h264 as encoded here': ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency'],
  'h264 with B pictures': ['-c:v', 'libx264', '-preset', 'medium', '-bf', '3'],
  'h264 in 4:4:4': ['-c:v', 'libx264', '-preset', 'fast', '-pix_fmt', 'yuv444p'],
  'hevc as encoded here': ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error'],
  'h264 interlaced': ['-c:v', 'libx264', '-preset', 'medium', '-flags', '+ildct+ilme', '-x264-params', 'tff=1'],
  'h264 in slices': ['-c:v', 'libx264', '-preset', 'slower', '-x264-params', 'slices=4:weightp=2'],
  aac: ['-c:a', 'aac'],
  'hevc with weights': ['-c:v', 'libx265', '-preset', 'medium', '-x265-params', 'log-level=error:weightb=1'],
  'hevc in slices': ['-c:v', 'libx265', '-preset', 'slow', '-x265-params', 'log-level=error:slices=3:wpp=1:ref=5'],
};

interface Clip {
  dir: string;
  path: string;
  init: TrackInit;
  /** moof and mdat boxes. */
  media: Buffer;
}

function encode(t: TestContext, coding: string): Clip {
  const dir = testFolder(t, 'cenc');
  const path = join(dir, 'in.mp4');
  const isSound = coding === 'aac';
  // Brightness goes up and down, so that weighted prediction is used.
  const picture = 'testsrc2=size=320x192:rate=30,geq=lum=lum(X\\,Y)*(0.5+0.5*sin(T*3)):cb=cb(X\\,Y):cr=cr(X\\,Y)';
  const source = isSound ? 'sine=frequency=440:sample_rate=48000' : picture;
  const flags = `+delay_moov+default_base_moof+cmaf+${isSound ? 'frag_every_frame' : 'frag_keyframe'}`;
  const tag = coding.startsWith('hevc') ? ['-tag:v', 'hvc1'] : [];
  const args = ['-f', 'lavfi', '-i', source, '-t', '1.5', '-g', '30', ...CODINGS[coding]!, ...tag];
  const made = ['-v', 'error', '-y', ...args, '-movflags', flags, '-f', 'mp4'];
  madeOnce(path, made, (target) => execFileSync('ffmpeg', [...made, target]));
  const boxes = [...boxesIn(readFileSync(path))];
  const pick = (...types: string[]): Buffer =>
    Buffer.concat(boxes.filter(({ type }) => types.includes(type)).map(({ bytes }) => bytes));
  const init = new Fmp4Parser().push(pick('ftyp', 'moov'))[0]!.init!;
  return { dir, path, init, media: pick('moof', 'mdat') };
}

function trackKey(scheme: 'cenc' | 'cbcs') {
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  return { scheme, keyId: hex(KID), key: hex(KEY), constantIv: scheme === 'cbcs' ? hex(IV) : undefined };
}

async function packaged({ dir, path, init }: Clip, scheme: 'cenc' | 'cbcs'): Promise<{ init: Buffer; media: Buffer }> {
  const parts = join(dir, `${scheme}-`);
  await run(PACKAGER, [
    `in=${path},stream=${init.kind},init_segment=${parts}init.mp4,segment_template=${parts}$Number$.m4s`,
    ...['--segment_duration', '10', '--clear_lead', '0', '--enable_raw_key_encryption', '--protection_scheme', scheme],
    ...[
      '--keys',
      `label=:key_id=${KID}:key=${KEY}`,
      '--iv',
      scheme === 'cbcs' ? IV : IV.slice(0, 16),
      '--mpd_output',
      `${parts}x.mpd`,
      '--quiet',
    ],
  ]);
  const names = readdirSync(dir).filter((name) => name.startsWith(`${scheme}-`) && name.endsWith('.m4s'));
  assert.equal(names.length, 1);
  return { init: readFileSync(`${parts}init.mp4`), media: readFileSync(join(dir, names[0]!)) };
}

interface Entry {
  iv: string;
  map: string[];
}

/** The senc entry of each sample, and the data of all. */
function read(media: Buffer, ivBytes: number): { entries: Entry[]; data: Buffer } {
  const entries: Entry[] = [];
  const data: Buffer[] = [];
  for (const box of boxesIn(media)) {
    if (box.type === 'mdat') data.push(box.body);
    const senc = box.type === 'moof' ? findBox(box.body, 'traf', 'senc') : undefined;
    if (senc === undefined) continue;
    const hasMap = (senc.readUInt32BE(0) & 2) !== 0;
    let at = 8;
    for (let sample = senc.readUInt32BE(4); sample > 0; sample -= 1) {
      const entry: Entry = { iv: senc.toString('hex', at, at + ivBytes), map: [] };
      at += ivBytes;
      const count = hasMap ? senc.readUInt16BE(at) : 0;
      if (hasMap) at += 2;
      for (let i = 0; i < count; i += 1, at += 6)
        entry.map.push(`${senc.readUInt16BE(at)}+${senc.readUInt32BE(at + 2)}`);
      entries.push(entry);
    }
  }
  return { entries, data: Buffer.concat(data) };
}

/**
 * senc counts every sample, for readers know a protected fragment by it; saio points at its first entry, saiz knows the size of each; neither is
 * there when entries are empty. trun still points at the data.
 */
function assertOffsets(moof: Box, ivBytes: number): void {
  const [senc, trun, saiz, saio] = ['senc', 'trun', 'saiz', 'saio'].map((type) => findBox(moof.body, 'traf', type));
  assert.equal(senc!.readUInt32BE(4), trun!.readUInt32BE(4), 'as many as there are samples');
  assert.equal(trun!.readInt32BE(8), moof.bytes.length + 8);
  if (senc!.length === 8) return assert.deepEqual([saiz, saio], [undefined, undefined]);
  assert.equal(saiz!.readUInt32BE(5), senc!.readUInt32BE(4));
  const entries = moof.bytes.subarray(saio!.readUInt32BE(8));
  assert.ok(entries.subarray(0, ivBytes + 2).equals(senc!.subarray(8, 8 + ivBytes + 2)));
}

/** Bytes of tenc up to the key id: what players read of scheme, pattern and IV size. */
function tenc(init: Buffer): string {
  const at = init.indexOf('tenc');
  return init.toString('hex', at, at + 4 + 8 + 16);
}

/** Fingerprints of the decoded frames; a fragment at a time, for ffmpeg mixes up the maps of two in one file, whoever wrote them. */
async function decoded(dir: string, init: Buffer, media: Buffer, key: string | undefined): Promise<string[]> {
  const boxes = [...boxesIn(media)];
  const prints: string[] = [];
  for (let i = 0; i < boxes.length; i += 2) {
    const file = join(dir, 'fragment.mp4');
    writeFileSync(file, Buffer.concat([init, boxes[i]!.bytes, boxes[i + 1]!.bytes]));
    const decryption = key === undefined ? [] : ['-decryption_key', key];
    const { stdout } = await run('ffmpeg', ['-v', 'error', ...decryption, '-i', file, '-f', 'framemd5', '-']);
    prints.push(...stdout.split('\n').flatMap((line) => (/^0,/u.test(line) ? line.split(',').at(-1)!.trim() : [])));
  }
  return prints;
}

for (const coding of someOf(Object.keys(CODINGS), 1)) {
  test(`a track of ${coding} is encrypted as another packager does it`, async (t) => {
    const clip = encode(t, coding);
    const isSound = clip.init.kind === 'audio';
    // One fragment: a sound of one a frame would take a process a frame.
    const media = isSound ? firstFragments(clip.media, 3) : clip.media;
    const plain = await decoded(clip.dir, clip.init.bytes, media, undefined);
    assert.ok(plain.length >= 3);
    for (const scheme of ['cenc', 'cbcs'] as const) {
      const encryptor = new TrackEncryptor(clip.init, trackKey(scheme), []);
      const whole = encryptor.segment(clip.media);
      const theirs = await packaged(clip, scheme);
      assert.equal(tenc(encryptor.init.bytes), tenc(theirs.init));
      const ivBytes = scheme === 'cenc' ? 8 : 0;
      const [own, other] = [read(whole, ivBytes), read(theirs.media, ivBytes)];
      for (const box of boxesIn(whole)) if (box.type === 'moof') assertOffsets(box, ivBytes);
      if (scheme === 'cbcs') {
        assert.ok(own.data.equals(other.data), 'the same bytes under the same key and IV');
      } else {
        assert.equal(new Set(own.entries.map(({ iv }) => iv)).size, own.entries.length, 'no IV comes twice');
      }
      if (!isSound)
        assert.deepEqual(
          own.entries.map(({ map }) => map),
          other.entries.map(({ map }) => map),
        );
      const sent = isSound ? encryptor.segment(media) : whole;
      assert.deepEqual(await decoded(clip.dir, encryptor.init.bytes, sent, KEY), plain);
    }
  });
}

function firstFragments(media: Buffer, count: number): Buffer {
  return Buffer.concat([...boxesIn(media)].slice(0, count * 2).map(({ bytes }) => bytes));
}

test('an encrypted init names its codec, scheme and pssh boxes, and leaves the rest as it was', async (t) => {
  const { init } = encode(t, 'h264 as encoded here');
  const pssh = Buffer.from('0000002070737368000000009a04f07998404286ab92e65be0885f9500000000', 'hex');
  const protectedInit = new TrackEncryptor(init, trackKey('cbcs'), [pssh]).init;
  assert.equal(protectedInit.codecs, init.codecs);
  const moov = [...boxesIn(protectedInit.bytes)].find(({ type }) => type === 'moov')!.body;
  assert.ok([...boxesIn(moov)].at(-1)!.bytes.equals(pssh));
  const stsd = findBox(moov, 'trak', 'mdia', 'minf', 'stbl', 'stsd')!;
  const [entry] = boxesIn(stsd, 8);
  assert.equal(entry!.type, 'encv');
  const inner = entry!.bytes.subarray(86);
  assert.equal(findBox(inner, 'sinf', 'frma')!.toString('latin1'), 'avc1');
  assert.equal(findBox(inner, 'sinf', 'schm')!.toString('latin1', 4, 8), 'cbcs');
  assert.ok(findBox(inner, 'avcC'));
});

test('media that cannot be read is refused, and no byte of it comes out', async (t) => {
  const { init, media } = encode(t, 'h264 as encoded here');
  const encryptor = new TrackEncryptor(init, trackKey('cenc'), []);
  const [moof, mdat] = [...boxesIn(media)];
  const broken = Buffer.from(Buffer.concat([moof!.bytes, mdat!.bytes]));
  broken.writeUInt32BE(0xffffff, moof!.bytes.length + 8);
  assert.throws(() => encryptor.segment(broken), /NAL unit of 16777215 bytes/u);
  const unknown = { ...init, bytes: Buffer.from(init.bytes) };
  unknown.bytes.write('av01', init.bytes.indexOf('avc1'), 'latin1');
  assert.throws(() => new TrackEncryptor(unknown, trackKey('cenc'), []), /codec av01 cannot be encrypted/u);
  assert.throws(() => new SampleCipher({ ...trackKey('cenc'), scheme: 'cbcs' }), /constant IV/u);
});

test('long clear stretches are described by several entries', () => {
  const parameters = { lengthBytes: 4, clearBytes: (nal: Buffer) => (nal.readUInt8(0) === 6 ? undefined : 5) };
  const unit = (type: number, length: number): Buffer => {
    const bytes = Buffer.alloc(4 + length, type);
    bytes.writeUInt32BE(length);
    return bytes;
  };
  const sample = Buffer.concat([unit(6, 70_000), unit(5, 100)]);
  assert.deepEqual(subsamplesOf(sample, parameters, 'cenc'), [
    { clear: 65_535, cipher: 0 },
    { clear: 70_004 - 65_535 + 4 + 100 - 80, cipher: 80 },
  ]);
  assert.deepEqual(subsamplesOf(sample, parameters, 'cbcs').at(-1), { clear: 70_004 - 65_535 + 9, cipher: 95 });
});
