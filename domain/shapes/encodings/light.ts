/** The light that pictures are encoded in, and what a display is told of HDR (SMPTE ST 2086, CTA-861.3). */
import { z } from 'zod/v3';

/** SDR, or the transfers of ITU-R BT.2100: perceptual quantization and hybrid log-gamma. */
export type Light = 'sdr' | 'pq' | 'hlg';

export const HDR_MODES = ['off', 'hdr10', 'hlg'] as const;
type HdrMode = (typeof HDR_MODES)[number];
const LIGHTS: Readonly<Record<HdrMode, Light>> = { off: 'sdr', hdr10: 'pq', hlg: 'hlg' };

/** Codecs whose encoders take ten bits and say what light they have. */
export const HDR_CODECS = ['hevc', 'av1', 'vp9'] as const;
/** A stream of VP9 has no place for what displays are told. */
export const MASTERING_CODECS = ['hevc', 'av1'] as const;

/** Profiles of ten bits; the same names are of one codec alone. */
const TEN_BIT_PROFILES: readonly (string | null)[] = ['high10', 'high422', 'main10'];

interface LightSettings {
  codec: string;
  hdr_mode: HdrMode;
  h264: { profile: string | null };
  hevc: { profile: string | null };
}

/** Copied video has the light of its source. */
export function lightOf({ codec, hdr_mode: mode }: Pick<LightSettings, 'codec' | 'hdr_mode'>): Light {
  return codec === 'copy' ? 'sdr' : LIGHTS[mode];
}

export function isTenBit(video: LightSettings): boolean {
  const { codec } = video;
  if (lightOf(video) !== 'sdr') return true;
  return (codec === 'h264' || codec === 'hevc') && TEN_BIT_PROFILES.includes(video[codec].profile);
}

/** Returns the light of the programme of a ladder, which has one beside SDR. */
export function programmeLight(videos: readonly Pick<LightSettings, 'codec' | 'hdr_mode'>[]): Light {
  return videos.map(lightOf).find((light) => light !== 'sdr') ?? 'sdr';
}

export const PRIMARIES = ['p3', 'bt2020'] as const;
/** PQ has no more (SMPTE ST 2084). */
const MAX_NITS = 10_000;

const nits = z.number().int().min(1).max(MAX_NITS).nullable().default(null);
const mastering = z
  .object({
    primaries: z.enum(PRIMARIES).describe('Its primaries.'),
    max: z.number().min(50).max(MAX_NITS).describe('Its white, cd/m².'),
    min: z.number().min(0.0001).max(5).describe('Its black, cd/m².'),
  })
  .strict();

export const hdrField = z
  .object({
    max_cll: nits.describe('MaxCLL, cd/m²; null = source.'),
    max_fall: nits.describe('MaxFALL, cd/m²; null = source.'),
    mastering: mastering.nullable().default(null).describe('Display of the grading; null = source.'),
  })
  .strict()
  .nullable()
  .default(null);
