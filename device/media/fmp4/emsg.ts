/** Timed metadata in segments of CMAF: an event message box (ISO/IEC 23009-1 §5.10.3.3) holds an ID3 tag ("Carriage of ID3 Timed Metadata in CMAF"). */
import { fullBox } from './fmp4-box.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';

export const ID3_SCHEME = 'https://aomedia.org/emsg/ID3';
/** A tag is an instant: nobody knows how long it holds. */
const UNKNOWN_DURATION = 0xffff_ffff;

/** The box belongs before the moof of its segment. `ticks` is media time of the track in 90 kHz, counted on past the wrap. */
export function id3Event(tag: Buffer, ticks: number): Buffer {
  const time = Math.round(ticks);
  const fields = Buffer.alloc(20);
  fields.writeUInt32BE(TICKS_PER_SECOND, 0);
  fields.writeBigUInt64BE(BigInt(time), 4);
  fields.writeUInt32BE(UNKNOWN_DURATION, 12);
  // The id is the same in every rendition: players take equal ids for one event.
  fields.writeUInt32BE(time % 2 ** 32, 16);
  return fullBox('emsg', 1, 0, fields, Buffer.from(`${ID3_SCHEME}\0\0`), tag);
}
