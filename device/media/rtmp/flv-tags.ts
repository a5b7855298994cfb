/** Tags of FLV (Adobe, Video File Format 10.1, annex E) and of Enhanced RTMP v1, which names codecs by four characters. */
const VIDEO = 9;
const AUDIO = 8;
const SCRIPT = 18;

/** The header of a stream with video and audio. */
export const FLV_HEADER = Buffer.from([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);
/** The header of a stream with video only: a player must not wait for audio. */
export const FLV_HEADER_SILENT = Buffer.from([0x46, 0x4c, 0x56, 1, 1, 0, 0, 0, 9, 0, 0, 0, 0]);

/** IsExHeader, Enhanced RTMP v1, table 4. */
const EXTENDED = 0x80;
const KEYFRAME = 1 << 4;
const INTERFRAME = 2 << 4;
const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
/** Such a packet has no composition time: it is zero. */
const CODED_FRAMES_X = 3;
/** AAC with the values that the specification asks for beside it whatever the audio is: 44 kHz, 16 bit, stereo. */
const AAC = 0xaf;

export type FourCc = 'hvc1';

function tag(type: number, ms: number, ...parts: Buffer[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const head = Buffer.alloc(11);
  const time = ms % 2 ** 32;
  head[0] = type;
  head.writeUIntBE(size, 1, 3);
  head.writeUIntBE(time % 2 ** 24, 4, 3);
  head[7] = Math.floor(time / 2 ** 24);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(11 + size);
  return Buffer.concat([head, ...parts, tail]);
}

function videoHead(frame: number, packet: number, fourCc: FourCc): Buffer {
  return Buffer.concat([Buffer.from([EXTENDED | frame | packet]), Buffer.from(fourCc, 'latin1')]);
}

export function videoStart(ms: number, fourCc: FourCc, configuration: Buffer): Buffer {
  return tag(VIDEO, ms, videoHead(KEYFRAME, SEQUENCE_START, fourCc), configuration);
}

/** `delayMs` is the time from decoding to showing. */
export function videoFrame(ms: number, delayMs: number, key: boolean, fourCc: FourCc, sample: Buffer): Buffer {
  const frame = key ? KEYFRAME : INTERFRAME;
  if (delayMs === 0) return tag(VIDEO, ms, videoHead(frame, CODED_FRAMES_X, fourCc), sample);
  const delay = Buffer.alloc(3);
  delay.writeIntBE(delayMs, 0, 3);
  return tag(VIDEO, ms, videoHead(frame, CODED_FRAMES, fourCc), delay, sample);
}

/** `configuration` is an AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1. */
export function aacStart(ms: number, configuration: Buffer): Buffer {
  return tag(AUDIO, ms, Buffer.from([AAC, 0]), configuration);
}

export function aacFrame(ms: number, frame: Buffer): Buffer {
  return tag(AUDIO, ms, Buffer.from([AAC, 1]), frame);
}

/** onMetaData is an ECMA array, because old servers insist on one. */
export function metadata(facts: Record<string, number>): Buffer {
  const entries = Object.entries(facts);
  const count = Buffer.alloc(5);
  count[0] = 8;
  count.writeUInt32BE(entries.length, 1);
  const values = entries.map(([name, value]) => {
    const number = Buffer.alloc(9);
    number.writeDoubleBE(value, 1);
    return Buffer.concat([amfText(name), number]);
  });
  const name = Buffer.concat([Buffer.from([2]), amfText('onMetaData')]);
  return tag(SCRIPT, 0, name, count, ...values, Buffer.from([0, 0, 9]));
}

function amfText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

/** The number that Enhanced RTMP v1 writes into videocodecid. */
export function fourCcNumber(fourCc: FourCc): number {
  return Buffer.from(fourCc, 'latin1').readUInt32BE(0);
}
