/** Mixes of a track's channels at the levels of ITU-R BS.775-3, as loud as the track: their sum may exceed full scale. */
import { SURROUND, WIDE_SURROUND } from '../ladder/track-plan.ts';

/** One row a channel that is made, with the share of each channel that is there. */
export type ChannelMix = readonly (readonly number[])[];

const HALF = Math.SQRT1_2;
/** Left, right, centre, low frequencies, back left, back right. The low frequencies are left out. */
const STEREO_OF_SURROUND: ChannelMix = [
  [1, 0, HALF, 0, HALF, 0],
  [0, 1, HALF, 0, 0, HALF],
];
/** The sides, which are last, join the back at their own level, as in the ingest. */
const STEREO_OF_WIDE = STEREO_OF_SURROUND.map((shares) => [...shares, ...shares.slice(4)]);
const SURROUND_OF_WIDE: ChannelMix = [0, 1, 2, 3, 4, 5].map((channel) =>
  [0, 1, 2, 3, 4, 5, 4, 5].map((heardFrom) => (heardFrom === channel ? 1 : 0)),
);
const STEREO_OF: Readonly<Record<number, ChannelMix>> = {
  [SURROUND]: STEREO_OF_SURROUND,
  [WIDE_SURROUND]: STEREO_OF_WIDE,
};

/** Returns undefined when all channels leave as they are. */
export function channelMix(from: number, to: number): ChannelMix | undefined {
  if (from === to) return undefined;
  if (to === SURROUND) return SURROUND_OF_WIDE;
  const stereo = STEREO_OF[from];
  if (to === 2) return stereo;
  const [left, right] = stereo ?? [
    [1, 0],
    [0, 1],
  ];
  return [left!.map((share, i) => HALF * (share + right![i]!))];
}
