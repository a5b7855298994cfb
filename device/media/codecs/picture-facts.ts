/** Reads from the units of a keyframe how its pictures are meant to be shown: in fields, turned, in HDR. */
import { BitReader } from './bit-reader.ts';
import { readAvcSps } from './codec-string.ts';
import { readHevcSps } from './hevc-parameters.ts';
import { readUsability } from './usability.ts';
import { HEVC, isSei, MPEG2, seiMessages, units, unitType, type SeiMessage } from './sei.ts';

interface Facts {
  interlaced: boolean | null;
  hdr: string | null;
}

/** transfer_characteristics, ITU-T H.273 table 3. */
export const HDR: Readonly<Record<number, string>> = { 16: 'HDR10', 18: 'HLG' };
/** payloadType of display_orientation and alternative_transfer_characteristics. */
const [ORIENTATION, ALTERNATIVE_TRANSFER] = [47, 147];
const UNKNOWN: Facts = { interlaced: null, hdr: null };

/** `data` is a byte stream that may be cut short. What it does not tell is null. */
export function shownFacts(streamType: number, data: Buffer): Facts {
  try {
    return factsIn(streamType, data);
  } catch (error) {
    if (error instanceof RangeError) return UNKNOWN;
    throw error;
  }
}

function factsIn(streamType: number, data: Buffer): Facts {
  const all = unitsOf(data);
  if (streamType === MPEG2) return { interlaced: mpeg2Fields(all), hdr: null };
  const sps = all.find((unit) => unitType(streamType, unit[0]!) === (streamType === HEVC ? 33 : 7));
  if (sps === undefined) return UNKNOWN;
  const facts = streamType === HEVC ? hevc(sps) : avc(sps);
  const alternative = messagesIn(streamType, all).find(({ type }) => type === ALTERNATIVE_TRANSFER)?.payload[0];
  return { ...facts, hdr: HDR[alternative ?? 0] ?? facts.hdr };
}

/** Degrees clockwise by which a player turns the pictures; undefined where the stream does not say. */
export function rotationIn(streamType: number, data: Buffer): number | undefined {
  const message = messagesIn(streamType, unitsOf(data)).find(({ type }) => type === ORIENTATION);
  if (message === undefined || message.payload.length < 3) return undefined;
  const bits = new BitReader(message.payload);
  if (bits.flag()) return 0;
  bits.skip(2);
  // The stream counts counter-clockwise, in 65,536 steps.
  return (360 - Math.round((bits.bits(16) * 360) / 65_536)) % 360;
}

function unitsOf(data: Buffer): Buffer[] {
  const starts = [...units(data)];
  // The next start code may have a byte more before it, which no unit here minds.
  return starts
    .map((start, i) => data.subarray(start, starts[i + 1] === undefined ? data.length : starts[i + 1]! - 3))
    .filter((unit) => unit.length > 1);
}

function messagesIn(streamType: number, all: readonly Buffer[]): SeiMessage[] {
  return all.flatMap((unit) => (isSei(streamType, unit[0]!) ? seiMessages(streamType, unit) : []));
}

function avc(sps: Buffer): Facts {
  const bits = new BitReader(sps.subarray(1));
  const { framesOnly, adaptiveFields } = readAvcSps(bits, sps[1]!);
  // Pictures of two fields without adaptive ones may be whole: a slice would tell.
  return { interlaced: framesOnly ? false : adaptiveFields ? true : null, hdr: hdrIn(bits) };
}

function hevc(sps: Buffer): Facts {
  const bits = new BitReader(sps.subarray(2));
  // Flags of general_profile: progressive source, interlaced source (ITU-T H.265 §7.3.3).
  const source = new BitReader(sps.subarray(2));
  source.skip(8 + 8 + 32);
  const [progressive, fields] = [source.flag(), source.flag()];
  readHevcSps(bits);
  bits.skip(1);
  return { interlaced: progressive === fields ? null : fields, hdr: hdrIn(bits) };
}

function hdrIn(bits: BitReader): string | null {
  return HDR[readUsability(bits).colour?.transfer ?? 0] ?? null;
}

/** ISO/IEC 13818-2 §6.2.2.3 and §6.2.3.1: extensions of the sequence and of the picture. */
function mpeg2Fields(all: readonly Buffer[]): boolean | null {
  const extension = (id: number): Buffer | undefined => all.find((unit) => unit[0] === 0xb5 && unit[1]! >> 4 === id);
  const sequence = extension(1);
  if (sequence === undefined || sequence.length < 3) return null;
  if ((sequence[2]! & 0x08) !== 0) return false;
  const picture = extension(8);
  return picture === undefined || picture.length < 6 ? null : (picture[5]! & 0x80) === 0;
}
