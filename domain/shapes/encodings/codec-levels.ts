/** Limits of the levels of H.264 and H.265, and whether a rendition fits: ITU-T H.264 table A-1, ITU-T H.265 tables A.8 and A.9. */

interface Limits {
  /** Picture size: macroblocks for H.264, luma samples for H.265. */
  size: number;
  /** Either side, in macroblocks or luma samples. */
  side: number;
  /** Picture size a second. */
  rate: number;
  /** kbit/s: for Baseline and Main in H.264, and in H.265 for the High tier where there is one. */
  kbps: number;
}

export type LevelledCodec = 'h264' | 'hevc';

/** Levels are in rising order. */
// The rows are read as a table, several levels a line.
// prettier-ignore
const LEVELS: Record<LevelledCodec, readonly (readonly [level: string, rate: number, size: number, kbps: number])[]> = {
  h264: [
    ['1', 1485, 99, 64], ['1.1', 3000, 396, 192], ['1.2', 6000, 396, 384], ['1.3', 11_880, 396, 768],
    ['2', 11_880, 396, 2000], ['2.1', 19_800, 792, 4000], ['2.2', 20_250, 1620, 4000],
    ['3', 40_500, 1620, 10_000], ['3.1', 108_000, 3600, 14_000], ['3.2', 216_000, 5120, 20_000],
    ['4', 245_760, 8192, 20_000], ['4.1', 245_760, 8192, 50_000], ['4.2', 522_240, 8704, 50_000],
    ['5', 589_824, 22_080, 135_000], ['5.1', 983_040, 36_864, 240_000], ['5.2', 2_073_600, 36_864, 240_000],
    ['6', 4_177_920, 139_264, 240_000], ['6.1', 8_355_840, 139_264, 480_000], ['6.2', 16_711_680, 139_264, 800_000],
  ],
  hevc: [
    ['1', 552_960, 36_864, 128], ['2', 3_686_400, 122_880, 1500], ['2.1', 7_372_800, 245_760, 3000],
    ['3', 16_588_800, 552_960, 6000], ['3.1', 33_177_600, 983_040, 10_000],
    ['4', 66_846_720, 2_228_224, 30_000], ['4.1', 133_693_440, 2_228_224, 50_000],
    ['5', 267_386_880, 8_912_896, 100_000], ['5.1', 534_773_760, 8_912_896, 160_000], ['5.2', 1_069_547_520, 8_912_896, 240_000],
    ['6', 1_069_547_520, 35_651_584, 240_000], ['6.1', 2_139_095_040, 35_651_584, 480_000], ['6.2', 4_278_190_080, 35_651_584, 800_000],
  ],
};

/** Table A-2 of H.264: the High profiles may exceed the rates above by these factors. */
const RATE_FACTOR: Record<string, number> = { high: 1.25, high10: 3, high422: 4, high444: 4 };

export function levelsOf(codec: LevelledCodec): string[] {
  return LEVELS[codec].map(([level]) => level);
}

/** The known facts of a rendition; unknown ones are not checked. */
export interface LevelNeed {
  profile: string | null;
  /** kbit/s */
  bitrate: number;
  size: { width: number; height: number } | undefined;
  /** 0 when it is not known. */
  fps: number;
}

/** Answers, as the end of a sentence, the excess over the level with the lowest level that would do; undefined when all fits. */
export function levelExcess(codec: LevelledCodec, level: string, need: LevelNeed): string | undefined {
  const limits = limitsOf(codec, level.replace(/\.0$/u, ''), need.profile);
  if (limits === undefined) return undefined;
  const extent = extentOf(codec, need);
  const what =
    extent.size > limits.size || extent.side > limits.side
      ? `${need.size?.width}×${need.size?.height}`
      : extent.rate > limits.rate
        ? `${need.size?.width}×${need.size?.height} at ${need.fps} frames a second`
        : need.bitrate > limits.kbps
          ? `${need.bitrate} kbit/s (${limits.kbps} at most)`
          : undefined;
  if (what === undefined) return undefined;
  const fitting = levelsOf(codec).find((candidate) => {
    const own = limitsOf(codec, candidate, need.profile)!;
    return extent.size <= own.size && extent.side <= own.side && extent.rate <= own.rate && need.bitrate <= own.kbps;
  });
  const remedy = fitting === undefined ? 'no level holds it' : `use level ${fitting}, or none`;
  return `level ${level} of ${codec} does not hold ${what}; ${remedy}`;
}

function limitsOf(codec: LevelledCodec, level: string, profile: string | null): Limits | undefined {
  const row = LEVELS[codec].find(([name]) => name === level);
  if (row === undefined) return undefined;
  const [, rate, size, kbps] = row;
  // Without a profile the encoder chooses one, up to High.
  const factor = codec === 'h264' ? (RATE_FACTOR[profile ?? 'high'] ?? 1) : 1;
  // Both standards allow a side of the square root of eight pictures.
  return { size, side: Math.sqrt(8 * size), rate, kbps: kbps * factor };
}

/** Sides of H.264 count in macroblocks, those of H.265 in samples of whole coding blocks. */
function extentOf(codec: LevelledCodec, { size, fps }: LevelNeed): Omit<Limits, 'kbps'> {
  if (size === undefined) return { size: 0, side: 0, rate: 0 };
  const { width, height } = size;
  const blocks = (side: number): number => (codec === 'h264' ? Math.ceil(side / 16) : side);
  const unit = blocks(width) * blocks(height);
  const longest = Math.max(width, height);
  const side = codec === 'h264' ? blocks(longest) : 8 * Math.ceil(longest / 8);
  return { size: unit, side, rate: unit * fps };
}
