/** Coded sound as MP4 holds it: frames of AAC and packets of Opus without their headers, frames of MP3 as they are. */
import { OPUS_RATE, opusChannels, opusPackets, opusSamples } from '../codecs/opus.ts';
import { adtsFrames, mp3Header } from '../codecs/sound-frames.ts';
import { soundFrame } from '../codecs/sound-lengths.ts';
import type { SoundTrack } from '../fmp4/track-init.ts';
import type { ElementaryStream } from '../mpeg-ts/psi.ts';
import { NotRead, TYPES } from './track.ts';

export interface SoundSample extends Pick<SoundTrack, 'object' | 'configuration' | 'rate' | 'channels'> {
  frame: Buffer;
  /** How many it is decoded to, a channel. */
  samples: number;
}

const AAC_SAMPLES = 1024;
/** objectTypeIndication of MPEG-4 audio, and of MPEG-1 and MPEG-2 audio (ISO/IEC 14496-1 table 5). */
const [AAC, MPEG1, MPEG2] = [0x40, 0x6b, 0x69];
/** MPEG-1 has no lower rate. */
const MIN_MPEG1_RATE = 32_000;

/** How the program map announces a track. */
export type Announced = Pick<ElementaryStream, 'type' | 'descriptors'>;

/** Reads the frames of a unit. Throws NotRead for sound that nothing here packs. */
export function soundSamples(announced: Announced | undefined, data: Buffer): SoundSample[] {
  if (announced?.type === TYPES.adts) return aacSamples(data);
  if (announced?.type === TYPES.mp3 || announced?.type === TYPES.mp3 + 1) return mp3Samples(data);
  const channels = announced?.type === TYPES.private ? opusChannels(announced.descriptors) : undefined;
  return channels === undefined ? refuse() : packetsOfOpus(data, channels);
}

function refuse(): never {
  throw new NotRead('its sound is neither AAC nor MP3 nor Opus');
}

function packetsOfOpus(data: Buffer, channels: number): SoundSample[] {
  const known = { object: 'opus' as const, configuration: undefined, rate: OPUS_RATE, channels };
  return readPackets(data).map((frame) => ({ ...known, frame, samples: opusSamples(frame) }));
}

/** Damage costs its unit. */
function readPackets(data: Buffer): Buffer[] {
  try {
    return opusPackets(data).filter((packet) => opusSamples(packet) > 0);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function aacSamples(data: Buffer): SoundSample[] {
  return adtsFrames(data).map(({ configuration, rate, frame }) => {
    const channels = (configuration[1]! >> 3) & 15;
    if (channels === 0) throw new NotRead('the channels of its AAC are described in the stream');
    const known = { object: AAC, configuration, rate, channels: channels === 7 ? 8 : channels };
    return { ...known, frame, samples: AAC_SAMPLES };
  });
}

function mp3Samples(data: Buffer): SoundSample[] {
  const found: SoundSample[] = [];
  for (let at = 0; at + 4 <= data.length;) {
    const header = mp3Header(data.subarray(at));
    const length = soundFrame(TYPES.mp3, data, at);
    // Other layers are known by the same header.
    if (header === undefined) refuse();
    if (length === undefined || length.bytes === 0 || at + length.bytes > data.length) break;
    const { rate, channels } = header;
    const object = rate < MIN_MPEG1_RATE ? MPEG2 : MPEG1;
    const frame = data.subarray(at, at + length.bytes);
    found.push({ object, configuration: undefined, rate, channels, frame, samples: Math.round(length.seconds * rate) });
    at += length.bytes;
  }
  return found;
}
