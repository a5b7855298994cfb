/** Reads a segment by its content: the ending of its address says nothing for sure. */
import { fmp4Segment, readInit, type Init } from './fmp4-segment.ts';
import { isSoundSegment, soundSegment } from './sound-segment.ts';
import { tsSegment } from './ts-segment.ts';
import type { SegmentMedia } from './units.ts';
import { NotRead } from '../units/track.ts';

const SYNC = 0x47;
const PACKET_BYTES = 188;
const BOXES = ['styp', 'ftyp', 'moof', 'sidx', 'emsg', 'prft', 'free', 'moov'];

/** Reads the segments of one playlist, whose initialisation is mostly the same. */
export class SegmentReader {
  private initBytes: Buffer | undefined;
  private init: Init | undefined;

  /**
   * `seconds` is the time of a segment whose container gives none. Throws NotRead for what is not read here, and RangeError for what is
   * damaged.
   */
  read(bytes: Buffer, initBytes: Buffer | undefined, seconds: number): SegmentMedia {
    if (isTransportStream(bytes)) return tsSegment(initBytes === undefined ? bytes : Buffer.concat([initBytes, bytes]));
    if (isSoundSegment(bytes)) return soundSegment(bytes, seconds);
    if (!BOXES.includes(bytes.toString('latin1', 4, 8)))
      throw new NotRead('A segment is in no form that is read here.');
    const from = initBytes ?? bytes;
    if (this.init === undefined || this.initBytes?.equals(from) !== true) this.init = readInit(from);
    this.initBytes = from;
    return fmp4Segment(bytes, this.init);
  }
}

function isTransportStream(bytes: Buffer): boolean {
  return bytes[0] === SYNC && (bytes.length <= PACKET_BYTES || bytes[PACKET_BYTES] === SYNC);
}
