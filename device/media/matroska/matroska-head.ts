/** The head of a live Matroska stream (RFC 9559): its tracks, and a Segment that has no known end. */
import { element, float, opening, text, unsigned } from './matroska-element.ts';

export interface MatroskaTrack {
  /** Blocks name their track by it; from 1. Readers number the tracks in the order in which they are given here. */
  number: number;
  /** CodecID, such as `V_AV1` (RFC 9559 §27 and the codec mappings of the IETF's CELLAR group). */
  codec: string;
  /** Decoders need it first; undefined for a codec that has it in its frames. */
  configuration?: Buffer | undefined;
  /** Left out for video. `bits` of a sample are said of samples that are not coded. */
  sound?: { sampleRate: number; channels: number; bits?: number } | undefined;
  /** Pictures that are not coded; those that are have it all in their codec. */
  picture?: RawPicture | undefined;
}

export interface RawPicture {
  width: number;
  height: number;
  /** Width over height as it is shown. */
  aspect: number;
  /** Four characters, such as UYVY. */
  format: string;
  /** Nanoseconds from one to the next. */
  durationNs: number;
  /** Its lines are those of two fields, the upper one first. */
  isInterlaced: boolean;
}

const [EBML, SEGMENT, INFO, TRACKS] = [0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b];
const [VIDEO, AUDIO] = [1, 2];
/** Nanoseconds of a unit of time: all times are in milliseconds. */
const MILLISECOND = 1_000_000;

export function matroskaHead(tracks: readonly MatroskaTrack[]): Buffer {
  return Buffer.concat([
    element(EBML, unsigned(0x42f7, 1), text(0x4282, 'matroska'), unsigned(0x4287, 4), unsigned(0x4285, 2)),
    opening(SEGMENT, 'unknown'),
    element(INFO, unsigned(0x2ad7b1, MILLISECOND), text(0x4d80, 'onair'), text(0x5741, 'onair')),
    element(TRACKS, ...tracks.map(trackEntry)),
  ]);
}

function trackEntry({ number, codec, configuration, sound, picture }: MatroskaTrack): Buffer {
  return element(
    0xae,
    ...[unsigned(0xd7, number), unsigned(0x73c5, number), unsigned(0x83, sound === undefined ? VIDEO : AUDIO)],
    // No block holds several frames. Without a language a track would count as English.
    ...[unsigned(0x9c, 0), text(0x22b59c, 'und'), text(0x86, codec)],
    ...(configuration === undefined ? [] : [element(0x63a2, configuration)]),
    ...(sound === undefined ? [] : [soundOf(sound)]),
    ...(picture === undefined ? [] : [unsigned(0x23e383, picture.durationNs), pictureOf(picture)]),
  );
}

function soundOf({ sampleRate, channels, bits }: NonNullable<MatroskaTrack['sound']>): Buffer {
  const depth = bits === undefined ? [] : [unsigned(0x6264, bits)];
  return element(0xe1, float(0xb5, sampleRate), unsigned(0x9f, channels), ...depth);
}

const [INTERLACED, PROGRESSIVE, UPPER_FIRST] = [1, 2, 1];

function pictureOf({ width, height, aspect, format, isInterlaced }: RawPicture): Buffer {
  return element(
    0xe0,
    ...[unsigned(0xb0, width), unsigned(0xba, height)],
    ...[unsigned(0x54b0, Math.round(height * aspect)), unsigned(0x54ba, height)],
    ...[
      unsigned(0x9a, isInterlaced ? INTERLACED : PROGRESSIVE),
      ...(isInterlaced ? [unsigned(0x9d, UPPER_FIRST)] : []),
    ],
    text(0x2eb524, format),
  );
}
