/**
 * Tells that a unit is coded in another way than its stream_type says. Where a program map gives one PID another type, ffmpeg goes on with
 * the first one: it writes the units of the new codec, as its parser for the old one cuts them, under the old type.
 */
import { nalUnits } from './annex-b.ts';
import { soundFacts } from './sound-frames.ts';

const [MPEG2, AVC, HEVC] = [0x02, 0x1b, 0x24];
/** ADTS, MPEG audio, AC-3. */
const SOUNDS = [0x0f, 0x03, 0x81];
/** profile_idc of sequence parameter sets (ITU-T H.264 §A.2). */
const AVC_PROFILES = [44, 66, 77, 88, 100, 110, 118, 122, 128, 244];

/** `unit` may be cut short; sound is known by where it begins. */
export function isForeign(type: number, unit: Buffer): boolean {
  if (![MPEG2, AVC, HEVC].includes(type)) return isForeignSound(type, unit);
  return nalUnits(unit).some(
    (nal) =>
      (type !== AVC && isAvcSet(type, nal)) ||
      (type !== HEVC && isHevcSet(nal)) ||
      // forbidden_zero_bit of the two others.
      (type !== MPEG2 && nal[0] === 0xb3),
  );
}

/** HEVC has unused layers for these bytes, MPEG-2 slices below line 1648. */
function isAvcSet(type: number, [first, profile]: Buffer): boolean {
  const heads = type === MPEG2 ? [0x67] : [0x27, 0x47, 0x67];
  return heads.includes(first!) && AVC_PROFILES.includes(profile!);
}

/** Parameter sets of the base layer. H.264 has data partitions there, which nobody sends, and MPEG-2 scales below its least. */
function isHevcSet([first, second]: Buffer): boolean {
  return [0x40, 0x42, 0x44].includes(first!) && second === 1;
}

function isForeignSound(type: number, unit: Buffer): boolean {
  return soundFacts(type, unit) === undefined && SOUNDS.some((other) => soundFacts(other, unit) !== undefined);
}
