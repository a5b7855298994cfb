/** Coded sound as MP4 holds it: frames of AAC without their headers, frames of MP3 as they are. */
import { adtsFrames, mp3Header } from '../codecs/sound-frames.ts';
import { soundFrame } from '../codecs/sound-lengths.ts';
import type { SoundTrack } from '../fmp4/track-init.ts';
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

/** Reads the frames of a unit with this stream_type. Throws NotRead for sound that nothing here packs. */
export function soundSamples(streamType: number | undefined, data: Buffer): SoundSample[] {
  if (streamType === TYPES.adts) return aacSamples(data);
  return streamType === TYPES.mp3 || streamType === TYPES.mp3 + 1 ? mp3Samples(data) : refuse();
}

function refuse(): never {
  throw new NotRead('its sound is neither AAC nor MP3');
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
