/** Opus in a transport stream, as "ETSI TS Opus 0.1.3-draft" has it and encoders of the field write it, and in MP4. */
import { ByteReader } from './byte-reader.ts';

/** Opus decodes to this rate, whatever its source had (RFC 7845 §5.1). */
export const OPUS_RATE = 48_000;
const REGISTRATION = 0x05;
const EXTENSION = 0x7f;
const CHANNEL_CONFIG = 0x80;

/** Streams, those of two channels among them, and the order of channels, for 1 to 8 channels (RFC 7845 §5.1.1.2). */
const LAYOUTS: readonly [streams: number, coupled: number, order: readonly number[]][] = [
  [1, 0, [0]],
  [1, 1, [0, 1]],
  [2, 1, [0, 2, 1]],
  [2, 2, [0, 1, 2, 3]],
  [3, 2, [0, 4, 1, 2, 3]],
  [4, 2, [0, 4, 1, 2, 3, 5]],
  [4, 3, [0, 4, 1, 2, 3, 5, 6]],
  [5, 3, [0, 6, 1, 2, 3, 4, 5, 7]],
];

/** `descriptors` are those of its entry in the program map; undefined for other sound, and for a layout that is none of these. */
export function opusChannels(descriptors: Buffer): number | undefined {
  let isOpus = false;
  let channels: number | undefined;
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors[at + 1]!) {
    const body = descriptors.subarray(at + 2, at + 2 + descriptors[at + 1]!);
    if (descriptors[at] === REGISTRATION) isOpus = body.toString('latin1', 0, 4) === 'Opus';
    else if (descriptors[at] === EXTENSION && body[0] === CHANNEL_CONFIG) channels = body[1];
  }
  return isOpus && channels !== undefined && LAYOUTS[channels - 1] !== undefined ? channels : undefined;
}

/** The body of an OpusSpecificBox ("Encapsulation of Opus in ISO Base Media File Format" §4.3.2). Nothing is to be skipped in the middle of a stream. */
export function opusSpecific(channels: number): Buffer {
  const head = Buffer.alloc(11);
  head[1] = channels;
  head.writeUInt32BE(OPUS_RATE, 4);
  head[10] = channels > 2 ? 1 : 0;
  const [streams, coupled, order] = LAYOUTS[channels - 1]!;
  return channels > 2 ? Buffer.concat([head, Buffer.from([streams, coupled, ...order])]) : head;
}

/** Packets of a unit, each behind a control header that begins with eleven bits of 0x3ff. Throws RangeError for a damaged one. */
export function opusPackets(unit: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (const reader = new ByteReader(unit); reader.left > 2;) {
    const head = reader.unsigned(2);
    if (head >> 5 !== 0x3ff) throw new RangeError('No packet of Opus begins here.');
    let size = 0;
    for (let byte = 0xff; byte === 0xff;) size += byte = reader.unsigned(1);
    for (const trim of [0x10, 0x08]) if ((head & trim) !== 0) reader.skip(2);
    if ((head & 0x04) !== 0) reader.skip(reader.unsigned(1));
    packets.push(reader.take(size));
  }
  return packets;
}

/** Samples of a frame at 48 kHz, by configuration: SILK, hybrid, CELT (RFC 6716 §3.1). */
const SILK = [480, 960, 1920, 2880];
const HYBRID = [480, 960];
const CELT = [120, 240, 480, 960];

/** Samples of a packet, a channel. */
export function opusSamples(packet: Buffer): number {
  const [head = 0, more = 0] = packet;
  const configuration = head >> 3;
  const frame =
    configuration < 12
      ? SILK[configuration % 4]!
      : configuration < 16
        ? HYBRID[configuration % 2]!
        : CELT[configuration % 4]!;
  const code = head & 3;
  return frame * (code === 0 ? 1 : code === 3 ? more & 63 : 2);
}
