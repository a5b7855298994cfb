/** Reads channels and rate of sound from its configuration, or from a frame where the codec has none. */
import { BitReader } from './bit-reader.ts';
import { OPUS_RATE } from './opus.ts';
import { AAC_RATES, mp3Header, soundFacts } from './sound-frames.ts';

export interface SoundForm {
  channels: number;
  sample_rate: number;
}

const READERS: Readonly<Record<string, (data: Buffer) => SoundForm | undefined>> = {
  aac: aacForm,
  opus: opusForm,
  flac: flacForm,
  ac3: (frame) => formOf(soundFacts(AC3_TYPE, frame)),
  eac3: eac3Form,
  mp3: mp3Form,
};
/** Its stream_type in transport streams of ATSC. */
const AC3_TYPE = 0x81;
const EXPLICIT_RATE = 15;

/** `codec` is its name in ffmpeg; undefined where the bytes do not tell. */
export function soundForm(codec: string, data: Buffer): SoundForm | undefined {
  try {
    return READERS[codec]?.(data);
  } catch (error) {
    // The bytes end early.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function formOf(form: SoundForm | undefined): SoundForm | undefined {
  return form && { channels: form.channels, sample_rate: form.sample_rate };
}

/** AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1. */
function aacForm(config: Buffer): SoundForm | undefined {
  const bits = new BitReader(config, 'plain');
  bits.skip(5);
  const index = bits.bits(4);
  const sample_rate = index === EXPLICIT_RATE ? bits.bits(24) : AAC_RATES[index];
  const channels = bits.bits(4);
  return sample_rate === undefined ? undefined : { channels: channels === 7 ? 8 : channels, sample_rate };
}

/** RFC 7845 §5.1. */
function opusForm(head: Buffer): SoundForm | undefined {
  if (head.toString('latin1', 0, 8) !== 'OpusHead') return undefined;
  return { channels: head.readUInt8(9), sample_rate: OPUS_RATE };
}

/** STREAMINFO behind the marker of the stream and the head of the block (RFC 9639 §8.2). */
function flacForm(record: Buffer): SoundForm | undefined {
  if (record.toString('latin1', 0, 4) !== 'fLaC') return undefined;
  const bits = new BitReader(record.subarray(18), 'plain');
  const sample_rate = bits.bits(20);
  return { channels: bits.bits(3) + 1, sample_rate };
}

const EAC3_RATES = [48_000, 44_100, 32_000];
const EAC3_CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5];

/** ATSC A/52 §E.1.2.2; a rate below these has other fields, and no encoder of the field. */
function eac3Form(frame: Buffer): SoundForm | undefined {
  if (frame.readUInt16BE(0) !== 0x0b77) return undefined;
  const bits = new BitReader(frame.subarray(4), 'plain');
  const sample_rate = EAC3_RATES[bits.bits(2)];
  bits.skip(2);
  const channels = EAC3_CHANNELS[bits.bits(3)]! + bits.bits(1);
  return sample_rate === undefined ? undefined : { channels, sample_rate };
}

function mp3Form(frame: Buffer): SoundForm | undefined {
  const header = mp3Header(frame);
  return header && { channels: header.channels, sample_rate: header.rate };
}
