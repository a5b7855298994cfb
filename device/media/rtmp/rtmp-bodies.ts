/** Bodies of RTMP messages with media: those of FLV (Adobe, Video File Format 10.1, annex E), and of Enhanced RTMP v1 for HEVC. */
import { writeAmf, type Amf } from './rtmp-amf0.ts';

/** IsExHeader, Enhanced RTMP v1, table 4. */
const EXTENDED = 0x80;
const KEYFRAME = 1 << 4;
const INTERFRAME = 2 << 4;
const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
/** Such a packet has no composition time: it is zero. */
const CODED_FRAMES_X = 3;
/** CodecID of AVC, and its packet types. */
const AVC = 7;
const AVC_START = 0;
const AVC_FRAME = 1;
/** AAC with the values that the specification asks for beside it whatever the audio is: 44 kHz, 16 bit, stereo. */
const AAC = 0xaf;
/** SoundFormat of MP3, with 16 bits. */
const MP3 = 0x22;
/** SoundRate by its number; MP3 of 48 kHz goes under that of 44.1. */
const MP3_RATES: Record<number, number> = { 11_025: 1, 22_050: 2, 44_100: 3, 48_000: 3 };

export type VideoCodec = 'h264' | 'hevc';
const HEVC = 'hvc1';

function extendedHead(frame: number, packet: number): Buffer {
  return Buffer.concat([Buffer.from([EXTENDED | frame | packet]), Buffer.from(HEVC, 'latin1')]);
}

function delayOf(ms: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeIntBE(ms, 0, 3);
  return bytes;
}

/** `configuration` is the decoder's record of ISO/IEC 14496-15. */
export function videoStart(codec: VideoCodec, configuration: Buffer): Buffer {
  const head =
    codec === 'h264' ? Buffer.from([KEYFRAME | AVC, AVC_START, 0, 0, 0]) : extendedHead(KEYFRAME, SEQUENCE_START);
  return Buffer.concat([head, configuration]);
}

/** `delayMs` is the time from decoding to showing. */
export function videoFrame(codec: VideoCodec, delayMs: number, key: boolean, sample: Buffer): Buffer {
  const frame = key ? KEYFRAME : INTERFRAME;
  if (codec === 'h264') return Buffer.concat([Buffer.from([frame | AVC, AVC_FRAME]), delayOf(delayMs), sample]);
  if (delayMs === 0) return Buffer.concat([extendedHead(frame, CODED_FRAMES_X), sample]);
  return Buffer.concat([extendedHead(frame, CODED_FRAMES), delayOf(delayMs), sample]);
}

/** `configuration` is an AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1. */
export function aacStart(configuration: Buffer): Buffer {
  return Buffer.concat([Buffer.from([AAC, 0]), configuration]);
}

export function aacFrame(frame: Buffer): Buffer {
  return Buffer.concat([Buffer.from([AAC, 1]), frame]);
}

/** Returns undefined for a rate that FLV has no number for. */
export function mp3Frame({ rate, channels }: { rate: number; channels: 1 | 2 }, frame: Buffer): Buffer | undefined {
  const number = MP3_RATES[rate];
  if (number === undefined) return undefined;
  return Buffer.concat([Buffer.from([MP3 | (number << 2) | (channels - 1)]), frame]);
}

/** The numbers of codecs in onMetaData. For HEVC it is the one that Enhanced RTMP v1 writes into videocodecid. */
export const CODEC_IDS = { h264: AVC, hevc: Buffer.from(HEVC, 'latin1').readUInt32BE(0), aac: 10, mp3: 2 } as const;

/** onMetaData is an ECMA array, because old servers insist on one; @setDataFrame has the server hand it on. */
export function metadata(facts: Readonly<Record<string, Amf>>): Buffer {
  const entries = Object.entries(facts);
  const head = Buffer.alloc(5);
  head[0] = 8;
  head.writeUInt32BE(entries.length, 1);
  const pairs = entries.flatMap(([name, value]) => [nameOf(name), writeAmf(value)]);
  return Buffer.concat([writeAmf('@setDataFrame', 'onMetaData'), head, ...pairs, Buffer.from([0, 0, 9])]);
}

function nameOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
