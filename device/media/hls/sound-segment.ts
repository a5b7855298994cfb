/** A segment of sound alone (RFC 8216 §3.4): AAC in ADTS behind an ID3 tag with the time of its first sample. */
import { adtsFrames } from '../codecs/sound-frames.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { inOrder, type SegmentMedia } from './units.ts';
import { NotRead, STREAM_IDS, TYPES, type Track } from '../units/track.ts';

const TIME_OWNER = 'com.apple.streaming.transportStreamTimestamp\0';
const ID3_HEADER_BYTES = 10;
const SAMPLES_PER_FRAME = 1024;

export function isSoundSegment(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 3) === 'ID3' || (bytes.length > 1 && (bytes.readUInt16BE(0) & 0xfff6) === 0xfff0);
}

/** `seconds` is the time of a segment that has none. Throws NotRead for other sound than AAC. */
export function soundSegment(bytes: Buffer, seconds: number): SegmentMedia {
  let from = 0;
  while (bytes.toString('latin1', from, from + 3) === 'ID3' && from + ID3_HEADER_BYTES <= bytes.length)
    from += ID3_HEADER_BYTES + syncsafe(bytes, from + 6);
  const stated = bytes.subarray(0, from).indexOf(TIME_OWNER, 0, 'latin1');
  const at = stated + TIME_OWNER.length;
  const isStated = stated >= 0 && at + 8 <= from;
  let pts = isStated ? Number(bytes.readBigUInt64BE(at) % 2n ** 33n) : seconds * TICKS_PER_SECOND;
  const track: Track = { kind: 'sound', type: TYPES.adts, descriptors: Buffer.alloc(0), streamId: STREAM_IDS.sound };
  const data = bytes.subarray(from);
  let start = 0;
  const units = adtsFrames(data).map(({ frame, rate }) => {
    const [own, begin] = [Math.round(pts), start];
    pts += (SAMPLES_PER_FRAME / rate) * TICKS_PER_SECOND;
    start = frame.byteOffset - data.byteOffset + frame.length;
    return { track, pts: own, dts: own, key: true, data: data.subarray(begin, start), duration: 0 };
  });
  if (units.length === 0) throw new NotRead('Its sound alone is of a kind that is not read here.');
  return inOrder([track], units);
}

/** Four groups of seven bits. */
function syncsafe(bytes: Buffer, at: number): number {
  return bytes.subarray(at, at + 4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}
