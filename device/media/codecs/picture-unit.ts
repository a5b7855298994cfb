/** A coded picture tells before its first slice whether decoding can begin with it, and whether a delimiter stands before it. */
import { H264, HEVC, MPEG2, seiMessages, unitType } from './sei.ts';

export interface PictureUnit {
  /** A decoder that knows nothing before may begin here. */
  isKey: boolean;
  hasDelimiter: boolean;
}

/** payloadType of a recovery point (ITU-T H.264 §D.1.8): pictures are whole from there on, though no IDR picture comes. */
const RECOVERY_POINT = 6;
const START_CODE = Buffer.from([0, 0, 1]);
/** H.264: slices that depend on others, slices of an IDR picture, SEI, sets, delimiter. */
const [SLICE, IDR, SEI, SETS, DELIMITER] = [1, 5, 6, 7, 9];
/** HEVC: from here on no picture (ITU-T H.265 table 7-1); IRAP pictures; sets; delimiter. */
const HEVC_OTHERS = 32;
const [FIRST_IRAP, LAST_IRAP] = [16, 23];
const HEVC_DELIMITER = 35;
/** MPEG-2: a sequence, without which nothing of it can be decoded. */
const SEQUENCE = 0xb3;
/** The last slice, ISO/IEC 13818-2 table 6-1. */
const LAST_SLICE = 0xaf;

/** Each at the front of the first unit of its kind (ITU-T H.264 §7.4.1.2.3, H.265 §7.4.2.4.4). */
export const DELIMITERS: Readonly<Record<number, Buffer>> = {
  [H264]: Buffer.from([0, 0, 0, 1, 0x09, 0xf0]),
  [HEVC]: Buffer.from([0, 0, 0, 1, 0x46, 0x01, 0x50]),
};

/** `isMarked`: the sender says that decoding can begin here. */
export function pictureUnit(streamType: number, data: Buffer, isMarked: boolean): PictureUnit {
  const found = { hasDelimiter: streamType === MPEG2, hasSets: false, isRecovery: false };
  for (let at = data.indexOf(START_CODE); at >= 0; at = data.indexOf(START_CODE, at + 3)) {
    const first = data[at + 3] ?? 0;
    const type = unitType(streamType, first);
    if (streamType === MPEG2) {
      if (type === SEQUENCE) return { isKey: true, hasDelimiter: true };
      if (type > 0 && type <= LAST_SLICE) break;
    } else if (streamType === HEVC) {
      if (type < HEVC_OTHERS) {
        const isKey = type >= FIRST_IRAP && type <= LAST_IRAP;
        return { isKey, hasDelimiter: found.hasDelimiter };
      }
      found.hasDelimiter ||= type === HEVC_DELIMITER;
    } else {
      if (type >= SLICE && type <= IDR)
        return {
          isKey: type === IDR || found.isRecovery || (isMarked && found.hasSets),
          hasDelimiter: found.hasDelimiter,
        };
      found.hasDelimiter ||= type === DELIMITER;
      found.hasSets ||= type === SETS;
      found.isRecovery ||= type === SEI && isRecoveryPoint(data, at + 3);
    }
  }
  return { isKey: false, hasDelimiter: found.hasDelimiter };
}

function isRecoveryPoint(data: Buffer, from: number): boolean {
  const next = data.indexOf(START_CODE, from);
  const unit = data.subarray(from, next < 0 ? data.length : next);
  return seiMessages(H264, unit).some(({ type }) => type === RECOVERY_POINT);
}
