/** Encoders in hardware: their kinds, what each makes, and by which name a Device is video for one. */

export const HARDWARE_KINDS = ['nvenc', 'qsv', 'vaapi'] as const;
export type HardwareKind = (typeof HARDWARE_KINDS)[number];
export const VIDEO_ENCODERS = ['software', 'auto', ...HARDWARE_KINDS] as const;
/** Codecs that every kind makes, in the ffmpeg of Debian 12 too. */
export const HARDWARE_CODECS = ['h264', 'hevc'] as const;
/** Profiles of h264 with samples of 4:2:0 in 8 bits: no kind makes another one. */
const HARDWARE_PROFILES = ['baseline', 'main', 'high'];

export interface HardwareEncoder {
  kind: HardwareKind;
  codec: string;
  ten_bit: boolean;
}

/** The part of settings_video that decides which encoder can make it. */
interface Settings {
  codec: string;
  h264: { profile: string | null };
  hevc: { profile: string | null };
  hdr_mode: string;
}

export function isHardware(encoder: string | undefined): encoder is HardwareKind {
  return (HARDWARE_KINDS as readonly string[]).includes(encoder ?? '');
}

/** Samples of ten bits are to be encoded; h264 has them in software alone. */
export function isTenBit({ codec, hevc }: Settings): boolean {
  return codec === 'hevc' && hevc.profile === 'main10';
}

/** Says why no kind makes it; undefined where some may. */
export function unmadeInHardware({ codec, h264, hdr_mode: hdr }: Settings): string | undefined {
  if (!(HARDWARE_CODECS as readonly string[]).includes(codec)) return codec;
  if (hdr !== 'off') return hdr;
  const { profile } = h264;
  return codec !== 'h264' || profile === null || HARDWARE_PROFILES.includes(profile) ? undefined : `h264 ${profile}`;
}

/** The name by which a Device says that it has, or lacks, an encoder. */
export function hardwareFeature(kind: HardwareKind, video: Settings): string {
  return `encoder ${kind} ${video.codec}${isTenBit(video) ? ' 10 bit' : ''}`;
}

/** Kinds of a Device that can make it, in the order in which they are tried. */
export function kindsFor(video: Settings, encoders: readonly HardwareEncoder[]): HardwareKind[] {
  if (unmadeInHardware(video) !== undefined) return [];
  const able = encoders.filter(({ codec, ten_bit }) => codec === video.codec && (ten_bit || !isTenBit(video)));
  return HARDWARE_KINDS.filter((kind) => able.some((encoder) => encoder.kind === kind));
}
