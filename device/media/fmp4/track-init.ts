/** Initialisation segments of one track that this process writes by itself: ISO/IEC 14496-12 §8, ISO/IEC 23000-19 §7. */
import { box, fullBox } from './fmp4-box.ts';
import { Fmp4Parser, type TrackInit } from './fmp4-parser.ts';
import { opusSpecific } from '../codecs/opus.ts';
import type { Usability } from '../codecs/usability.ts';

export interface PictureTrack extends Usability {
  /** hvc1 has its parameter sets in the configuration alone, as players of Apple take it. */
  entry: 'avc1' | 'hvc1';
  /** AVCDecoderConfigurationRecord or HEVCDecoderConfigurationRecord. */
  configuration: Buffer;
  width: number;
  height: number;
}

export interface SoundTrack {
  /** objectTypeIndication, ISO/IEC 14496-1 table 5; Opus has none. */
  object: number | 'opus';
  /** AudioSpecificConfig; undefined for a codec that has none. */
  configuration: Buffer | undefined;
  rate: number;
  channels: number;
  label?: SoundLabel | undefined;
}

export interface SoundLabel {
  /** Players show it. */
  name: string;
  /** Three letters of ISO 639-2. */
  language: string;
  /** Players begin with this track. */
  isDefault: boolean;
}

interface TrackHead {
  timescale: number;
  handler: 'vide' | 'soun';
  label: SoundLabel;
  /** Pixels as they are shown. */
  shown: { width: number; height: number };
}

const TRACK_ID = 1;
export const PICTURE_TIMESCALE = 90_000;
const UNITY = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];
/** Ticks a second of mvhd, which has no length to tell. */
const MOVIE_TIMESCALE = 1000;
const UNLABELLED: SoundLabel = { name: 'SoundHandler', language: 'und', isDefault: true };
const PICTURES: SoundLabel = { name: 'VideoHandler', language: 'und', isDefault: true };
const FILE_TYPE = box('ftyp', text('iso6'), uint32(0x200), text('iso6cmfcmp41'));

export function pictureInit({ entry, configuration, width, height, pixel, colour }: PictureTrack): TrackInit {
  const boxes = [box(entry === 'avc1' ? 'avcC' : 'hvcC', configuration)];
  if (colour !== undefined)
    boxes.push(
      box(
        'colr',
        text('nclx'),
        uint16(colour.primaries, colour.transfer, colour.matrix),
        Buffer.from([colour.fullRange ? 0x80 : 0]),
      ),
    );
  if (pixel !== undefined) boxes.push(box('pasp', uint32(pixel.width, pixel.height)));
  // VisualSampleEntry, §12.1.3: 72 dpi, one frame a sample, no name of the encoder, 24 bits.
  const sample = box(
    entry,
    ...[reserved(6), uint16(1), reserved(16), uint16(width, height), uint32(0x48_0000, 0x48_0000), reserved(4)],
    ...[uint16(1), reserved(32), uint16(0x18, 0xffff), ...boxes],
  );
  const shownWidth = pixel === undefined ? width : Math.round((width * pixel.width) / pixel.height);
  const shown = { width: Math.min(shownWidth, 0xffff), height };
  return init({ timescale: PICTURE_TIMESCALE, handler: 'vide', label: PICTURES, shown }, sample);
}

/** Its times are counted in samples. */
export function soundInit({ object, configuration, rate, channels, label = UNLABELLED }: SoundTrack): TrackInit {
  // AudioSampleEntry, §12.2.3: rates of 16 bits and more stand in the configuration alone.
  const sample = box(
    object === 'opus' ? 'Opus' : 'mp4a',
    ...[reserved(6), uint16(1), reserved(8), uint16(channels, 16), reserved(4), uint16(rate > 0xffff ? 0 : rate, 0)],
    object === 'opus' ? box('dOps', opusSpecific(channels)) : esds(object, configuration),
  );
  return init({ timescale: rate, handler: 'soun', label, shown: { width: 0, height: 0 } }, sample);
}

/** ISO/IEC 14496-14 §5.6: a stream of sound whose rate and buffer are unknown. */
function esds(object: number, configuration: Buffer | undefined): Buffer {
  const specific = configuration === undefined ? [] : [descriptor(5, configuration)];
  const decoder = descriptor(4, Buffer.from([object, 0x15, 0, 0, 0]), uint32(0, 0), ...specific);
  const synchronised = descriptor(6, Buffer.from([2]));
  return fullBox('esds', 0, 0, descriptor(3, uint16(TRACK_ID), Buffer.from([0]), decoder, synchronised));
}

/** Each has less than 128 bytes. */
function descriptor(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, 0x80, 0x80, 0x80, body.length]), body]);
}

function init(head: TrackHead, sample: Buffer): TrackInit {
  const media = head.handler === 'vide' ? fullBox('vmhd', 0, 1, reserved(8)) : fullBox('smhd', 0, 0, reserved(4));
  // The media is in this file.
  const where = box('dinf', fullBox('dref', 0, 0, uint32(1), fullBox('url ', 0, 1)));
  // All samples are in fragments.
  const samples = box(
    'stbl',
    fullBox('stsd', 0, 0, uint32(1), sample),
    ...['stts', 'stsc'].map((type) => fullBox(type, 0, 0, uint32(0))),
    fullBox('stsz', 0, 0, uint32(0, 0)),
    fullBox('stco', 0, 0, uint32(0)),
  );
  const mdia = box('mdia', mediaHeader(head), handler(head), box('minf', media, where, samples));
  const movie = box('moov', movieHeader(), box('trak', trackHeader(head), mdia), box('mvex', trackDefaults()));
  const [event] = new Fmp4Parser().push(Buffer.concat([FILE_TYPE, movie]));
  return event!.init!;
}

function movieHeader(): Buffer {
  const rateAndVolume = [uint32(0x1_0000), uint16(0x100), reserved(10)];
  const head = [uint32(0, 0, MOVIE_TIMESCALE, 0), ...rateAndVolume, uint32(...UNITY), reserved(24)];
  return fullBox('mvhd', 0, 0, ...head, uint32(TRACK_ID + 1));
}

/** In the movie; enabled is the one that players begin with. */
function trackHeader({ handler: kind, label, shown }: TrackHead): Buffer {
  const isSound = kind === 'soun';
  const numbers = [uint32(0, 0, TRACK_ID, 0, 0), reserved(8), uint16(0, isSound ? 1 : 0, isSound ? 0x100 : 0, 0)];
  const size = uint32(shown.width * 0x1_0000, shown.height * 0x1_0000);
  return fullBox('tkhd', 0, label.isDefault ? 3 : 2, ...numbers, uint32(...UNITY), size);
}

/** §8.4.2: a language is three letters of five bits. */
function mediaHeader({ timescale, label: { language } }: TrackHead): Buffer {
  const code = [...language].reduce((sum, letter) => sum * 32 + (letter.charCodeAt(0) - 0x60), 0);
  return fullBox('mdhd', 0, 0, uint32(0, 0, timescale, 0), uint16(code, 0));
}

function handler({ handler: type, label: { name } }: TrackHead): Buffer {
  return fullBox('hdlr', 0, 0, reserved(4), text(type), reserved(12), Buffer.from(`${name}\0`));
}

/** §8.8.3: each fragment says all by itself. */
function trackDefaults(): Buffer {
  return fullBox('trex', 0, 0, uint32(TRACK_ID, 1, 0, 0, 0));
}

function text(letters: string): Buffer {
  return Buffer.from(letters, 'latin1');
}

function reserved(bytes: number): Buffer {
  return Buffer.alloc(bytes);
}

function uint16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, i) => bytes.writeUInt16BE(value, 2 * i));
  return bytes;
}

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}
