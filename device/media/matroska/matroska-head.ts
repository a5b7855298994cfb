/** The head of a live Matroska stream (RFC 9559): its tracks, and a Segment that has no known end. */
import { element, float, opening, text, unsigned } from './matroska-element.ts';

export interface MatroskaTrack {
  /** Blocks name their track by it; from 1. Readers number the tracks in the order in which they are given here. */
  number: number;
  /** CodecID, such as `V_AV1` (RFC 9559 §27 and the codec mappings of the IETF's CELLAR group). */
  codec: string;
  /** Decoders need it first; undefined for a codec that has it in its frames. */
  configuration?: Buffer | undefined;
  /** Left out for video. */
  sound?: { sampleRate: number; channels: number } | undefined;
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

function trackEntry({ number, codec, configuration, sound }: MatroskaTrack): Buffer {
  return element(
    0xae,
    ...[unsigned(0xd7, number), unsigned(0x73c5, number), unsigned(0x83, sound === undefined ? VIDEO : AUDIO)],
    // No block holds several frames. Without a language a track would count as English.
    ...[unsigned(0x9c, 0), text(0x22b59c, 'und'), text(0x86, codec)],
    ...(configuration === undefined ? [] : [element(0x63a2, configuration)]),
    ...(sound === undefined ? [] : [element(0xe1, float(0xb5, sound.sampleRate), unsigned(0x9f, sound.channels))]),
  );
}
