/**
 * Encrypts one track by Common Encryption: its initialisation segment names the scheme (ISO/IEC 23001-7 §8, ISO/IEC 14496-12 §8.12), its
 * fragments carry IVs and maps of their samples. The runner does it, and no packager beside it: segments stay those of our own manifests,
 * cut at cues, and the key stays in this process.
 */
import { AvcSlices } from '../codecs/avc-slice.ts';
import { BoxSplitter, box, boxesIn, fullBox, getBox, type Box } from '../fmp4/fmp4-box.ts';
import { Fmp4Parser, type TrackInit } from '../fmp4/fmp4-parser.ts';
import { HevcSlices } from '../codecs/hevc-slice.ts';
import { PATTERN, SampleCipher, type TrackKey } from './sample-cipher.ts';
import { subsamplesOf, type SliceReader, type Subsample } from '../codecs/sample-map.ts';

/** Bytes of a SampleEntry before its boxes (ISO/IEC 14496-12 §12.1.3, §12.2.3), the header of the box included. */
const ENTRY_BYTES = { video: 86, audio: 36 };
/** Codecs whose units are known here, or whose samples are encrypted as a whole. */
const KNOWN = ['avc1', 'hvc1', 'hev1', 'mp4a', 'Opus', 'ac-3', 'ec-3', 'fLaC'];
const SENC_HAS_SUBSAMPLES = 2;

export class TrackEncryptor {
  /** Initialisation segment as players get it. */
  readonly init: TrackInit;
  private readonly clear: TrackInit;
  private readonly slices: SliceReader | undefined;
  private readonly cipher: SampleCipher;

  /** `psshs` are whole boxes for players that take them from the media. Throws RangeError for a codec that cannot be encrypted. */
  constructor(clear: TrackInit, key: TrackKey, psshs: readonly Buffer[]) {
    this.clear = clear;
    this.cipher = new SampleCipher(key);
    const entry = entryOf(clear);
    const name = entry.type;
    if (!KNOWN.includes(name)) throw new RangeError(`Tracks of codec ${name} cannot be encrypted.`);
    const boxes = entry.bytes.subarray(ENTRY_BYTES[clear.kind]);
    if (name === 'avc1') this.slices = new AvcSlices(getBox(boxes, 'avcC'));
    if (name === 'hvc1' || name === 'hev1') this.slices = new HevcSlices(getBox(boxes, 'hvcC'));
    this.init = { ...clear, bytes: protectedInit(clear, key, psshs) };
  }

  /** Encrypts whole moof and mdat boxes of the track. Throws RangeError for bytes that cannot be read; none of them may be published then. */
  segment(bytes: Buffer): Buffer {
    const parser = new Fmp4Parser();
    parser.push(this.clear.bytes);
    return Buffer.concat(
      new BoxSplitter().push(bytes).flatMap((part) => {
        const fragments = parser.push(part.bytes);
        if (part.type === 'moof') return [];
        const [event] = fragments;
        if (event?.fragment === undefined) return [part.bytes];
        const { samples, data, bytes: whole } = event.fragment;
        return [this.fragment(whole.subarray(0, whole.length - part.bytes.length), samples, data)];
      }),
    );
  }

  private fragment(moof: Buffer, samples: readonly { size: number }[], data: Buffer): Buffer {
    const media = Buffer.from(data);
    let at = 0;
    const entries = samples.map(({ size }) => {
      const sample = media.subarray(at, at + size);
      at += size;
      const map = this.slices && subsamplesOf(sample, this.slices, this.cipher.scheme);
      return entryBytes(this.cipher.encrypt(sample, map), map);
    });
    return Buffer.concat([protectedMoof(moof, entries, this.slices !== undefined), box('mdat', media)]);
  }
}

function entryOf({ bytes, kind }: TrackInit): Box {
  const moov = [...boxesIn(bytes)].find(({ type }) => type === 'moov')!;
  const stsd = getBox(moov.body, 'trak', 'mdia', 'minf', 'stbl', 'stsd');
  const [entry, second] = boxesIn(stsd, 8);
  if (entry === undefined || second !== undefined || entry.bytes.length < ENTRY_BYTES[kind])
    throw new RangeError('A track needs one sample description.');
  return entry;
}

/** The sample entry becomes encv or enca and names its former type in sinf; pssh boxes stand at the end of moov. */
function protectedInit(clear: TrackInit, key: TrackKey, psshs: readonly Buffer[]): Buffer {
  const entry = entryOf(clear);
  const sinf = box(
    'sinf',
    box('frma', Buffer.from(entry.type, 'latin1')),
    fullBox('schm', 0, 0, Buffer.from(key.scheme, 'latin1'), uint(0x1_0000, 4)),
    box('schi', tenc(key, clear.kind)),
  );
  const changed = box(clear.kind === 'video' ? 'encv' : 'enca', entry.bytes.subarray(8), sinf);
  const replace = (outer: Box, path: readonly string[]): Buffer => {
    const [next, ...rest] = path;
    if (next === undefined) return box(outer.type, outer.body.subarray(0, 8), changed);
    const inner = [...boxesIn(outer.body)].map((one) => (one.type === next ? replace(one, rest) : one.bytes));
    return box(outer.type, ...inner, ...(outer.type === 'moov' ? psshs : []));
  };
  const path = ['trak', 'mdia', 'minf', 'stbl', 'stsd'];
  return Buffer.concat([...boxesIn(clear.bytes)].map((top) => (top.type === 'moov' ? replace(top, path) : top.bytes)));
}

/** Returns a TrackEncryptionBox, §8.2; version 1 has the pattern. */
function tenc({ scheme, keyId, constantIv }: TrackKey, kind: TrackInit['kind']): Buffer {
  if (scheme === 'cenc') return fullBox('tenc', 0, 0, uint(0, 2), uint(1, 1), uint(8, 1), keyId);
  const pattern = kind === 'video' ? PATTERN.crypt * 16 + PATTERN.skip : 0;
  const iv = constantIv!;
  return fullBox('tenc', 1, 0, uint(0, 1), uint(pattern, 1), uint(1, 1), uint(0, 1), keyId, uint(iv.length, 1), iv);
}

/** Returns the entry of one sample in senc, §7.2. */
function entryBytes(iv: Buffer | undefined, map: readonly Subsample[] | undefined): Buffer {
  const table = map?.flatMap(({ clear, cipher }) => [uint(clear, 2), uint(cipher, 4)]) ?? [];
  return Buffer.concat([iv ?? Buffer.alloc(0), ...(map === undefined ? [] : [uint(map.length, 2)]), ...table]);
}

/** Puts senc at the end of traf, with saiz and saio that lead to it; offsets into the mdat grow by their size. */
function protectedMoof(moof: Buffer, entries: readonly Buffer[], hasMap: boolean): Buffer {
  const senc = fullBox('senc', 0, hasMap ? SENC_HAS_SUBSAMPLES : 0, uint(entries.length, 4), ...entries);
  // With a constant IV and whole samples tenc is enough. Some readers still want senc, to tell a protected fragment from a clear one.
  const isEmpty = entries.every(({ length }) => length === 0);
  const saiz = isEmpty ? Buffer.alloc(0) : sampleSizes(entries);
  const saioBytes = isEmpty ? 0 : 20;
  const added = senc.length + saiz.length + saioBytes;
  const [outer] = boxesIn(moof);
  let position = 8;
  return box(
    'moof',
    ...[...boxesIn(outer!.body)].map((child) => {
      if (child.type !== 'traf') {
        position += child.bytes.length;
        return child.bytes;
      }
      // The first entry lies behind the boxes before and the 16 bytes that begin senc, counted from the moof.
      const at = position + child.bytes.length + saiz.length + saioBytes + 16;
      position += child.bytes.length + added;
      const saio = isEmpty ? [] : [fullBox('saio', 0, 0, uint(1, 4), uint(at, 4))];
      const inner = [...boxesIn(child.body)].map((one) =>
        one.type === 'trun' ? movedRun(one.bytes, added) : one.bytes,
      );
      return box('traf', ...inner, saiz, ...saio, senc);
    }),
  );
}

/** Returns saiz. Throws RangeError for entries that its field of one byte cannot hold. */
function sampleSizes(entries: readonly Buffer[]): Buffer {
  if (entries.some(({ length }) => length > 255)) throw new RangeError('A picture of too many slices to be encrypted.');
  return fullBox('saiz', 0, 0, uint(0, 1), uint(entries.length, 4), Buffer.from(entries.map(({ length }) => length)));
}

/** Returns trun with its data_offset, when it has one, so many bytes farther. */
function movedRun(trun: Buffer, added: number): Buffer {
  const moved = Buffer.from(trun);
  if ((trun.readUInt32BE(8) & 1) !== 0) moved.writeInt32BE(trun.readInt32BE(16) + added, 16);
  return moved;
}

function uint(value: number, bytes: number): Buffer {
  const field = Buffer.alloc(bytes);
  field.writeUIntBE(value, 0, bytes);
  return field;
}
