/** Joins many fragments of one track: a packager cuts audio at every unit, and a moof for each would weigh a third of it. */
import { box, fullBox } from './fmp4-box.ts';
import type { MediaFragment, Sample } from './fmp4-parser.ts';

type Fragment = Omit<MediaFragment, 'startTime' | 'key'>;

const DEFAULT_BASE_IS_MOOF = 0x02_0000;
const DATA_OFFSET = 0x01;
const SAMPLE_DURATION = 0x0100;
const SAMPLE_SIZE = 0x0200;
const SAMPLE_FLAGS = 0x0400;
const COMPOSITION_OFFSET = 0x0800;

/**
 * Returns one moof and mdat with the samples of all, in their order; `sequence` counts fragments (mfhd, ISO/IEC 14496-12 §8.8.5). The times
 * of the samples stay: where the next fragment is later than the end of one, its last sample lasts longer. Throws RangeError without
 * fragments.
 */
export function joinFragments(fragments: readonly MediaFragment[], sequence: number): Buffer {
  const [first] = fragments;
  if (first === undefined) throw new RangeError('There are no fragments to join.');
  const samples = fragments.flatMap((fragment, i) => {
    const gap = (fragments[i + 1]?.decodeTime ?? fragment.decodeTime + fragment.duration) - fragment.decodeTime;
    return stretched(fragment.samples, gap - fragment.duration);
  });
  const { trackId, decodeTime } = first;
  const data = fragments.map((fragment) => fragment.data);
  return fragmentOf({ trackId, decodeTime, samples, sequence }, data).bytes;
}

export interface FragmentHead extends Pick<MediaFragment, 'trackId' | 'decodeTime' | 'samples'> {
  sequence: number;
}

/** Returns a fragment of samples whose data is given in any pieces. */
export function fragmentOf(
  { trackId, decodeTime, samples, sequence }: FragmentHead,
  data: readonly Buffer[],
): Fragment {
  const head = [fullBox('mfhd', 0, 0, uint32(sequence)), trackId, decodeTime] as const;
  const size = moof(...head, samples, 0).length;
  // The data begins behind the moof and the eight bytes of the mdat's header.
  const bytes = Buffer.concat([moof(...head, samples, size + 8), box('mdat', ...data)]);
  const duration = samples.reduce((sum, sample) => sum + sample.duration, 0);
  return { bytes, trackId, decodeTime, duration, samples, data: bytes.subarray(size + 8) };
}

function stretched(samples: Sample[], ticks: number): Sample[] {
  const last = samples.at(-1)!;
  return ticks === 0 ? samples : [...samples.slice(0, -1), { ...last, duration: Math.max(0, last.duration + ticks) }];
}

function moof(mfhd: Buffer, trackId: number, decodeTime: number, samples: Sample[], dataOffset: number): Buffer {
  const tfhd = fullBox('tfhd', 0, DEFAULT_BASE_IS_MOOF, uint32(trackId));
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(decodeTime));
  return box('moof', mfhd, box('traf', tfhd, fullBox('tfdt', 1, 0, time), run(samples, dataOffset)));
}

/** Returns trun, §8.8.8, in version 1, which has signed composition offsets. */
function run(samples: Sample[], dataOffset: number): Buffer {
  const reordered = samples.some(({ compositionOffset }) => compositionOffset !== 0);
  const flags = DATA_OFFSET | SAMPLE_DURATION | SAMPLE_SIZE | SAMPLE_FLAGS | (reordered ? COMPOSITION_OFFSET : 0);
  const fields = samples.flatMap(({ duration, size, flags: own, compositionOffset }) => [
    duration,
    size,
    own,
    // The offset is written as an unsigned field of the same bits.
    ...(reordered ? [compositionOffset >>> 0] : []),
  ]);
  const table = Buffer.alloc(fields.length * 4);
  fields.forEach((field, i) => table.writeUInt32BE(field, i * 4));
  return fullBox('trun', 1, flags, uint32(samples.length), uint32(dataOffset), table);
}

function uint32(value: number): Buffer {
  const field = Buffer.alloc(4);
  field.writeUInt32BE(value);
  return field;
}
