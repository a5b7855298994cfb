/** The values of an Encoding that the encoders take: one list, asked when it is saved, before a start, and before any process starts. */
import { levelExcess, levelsOf, type LevelledCodec } from '../../shapes/encodings/codec-levels.ts';
import {
  AUDIO_CODECS,
  LEGACY_AUDIO,
  LEGACY_VIDEO,
  VIDEO_CODECS,
  DEFAULT_HEIGHT,
  SOUND_CHANNELS,
  type AudioSettings,
  type Encoding,
  type VideoSettings,
} from '../../shapes/encodings/encoding.ts';
import { HARDWARE_CODECS, isHardware, unmadeInHardware } from '../../shapes/encodings/hardware.ts';
import { HDR_CODECS, MASTERING_CODECS } from '../../shapes/encodings/light.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { sizeOf } from './ladder.ts';

/** Profiles that an encoder takes: ITU-T H.264 Annex A, H.265 Annex A. 4:2:0 and 4:2:2 in up to 10 bits, and 4:4:4 for h264. */
const PROFILES: Record<LevelledCodec, readonly string[]> = {
  h264: ['baseline', 'main', 'high', 'high10', 'high422', 'high444'],
  hevc: ['main', 'main10'],
};
/** ISO/IEC 11172-3 allows two channels. */
const FEW_CHANNELS = SOUND_CHANNELS.filter((channels) => channels <= 2);
const CHANNELS: Record<string, readonly number[]> = {
  mp4a: SOUND_CHANNELS,
  opus: SOUND_CHANNELS,
  mp3: FEW_CHANNELS,
  mpga: FEW_CHANNELS,
};
/** kbit/s of layer II (ISO/IEC 11172-3): its encoder takes no other. */
const MPGA_BITRATES = [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
/** kbit/s of layer III at most (ISO/IEC 11172-3). */
const MAX_MP3_BITRATE = 320;
/** libopus refuses more, in kbit/s a channel. */
const MAX_OPUS_BITRATE = 256;
/** RFC 6716 §2.1.3 codes lower rates as a bandwidth of this one. */
const OPUS_RATE = 48_000;
/** SVT-AV1 refuses smaller pictures. */
const MIN_AV1_SIDE = 64;
/** Below this side x265 has blocks of 16, which H.265 allows up to level 4.1. */
const MIN_HEVC_SIDE = 32;
const SMALL_HEVC_LEVEL = '4.1';
/** A picture that stands longer would be none for as long as a start waits for evidence. */
const MIN_FPS = 1;
/** Pixels of a side that follows from the other one and the aspect ratio, which reach as far as those that can be set. */
const SIDE = { min: 16, max: 7680 };

/** `present` is the stored Encoding of an update: a legacy codec that it already has may stay. */
export function encodingIssues(encoding: Encoding, present?: Encoding): FieldIssue[] {
  const { settings_video: video, settings_audio: audio } = encoding;
  const before = { video: present?.settings_video.codec, audio: present?.settings_audio.codec };
  const active = video.active ? video.codec : undefined;
  const issues = [
    ...legacyIssues('settings_video.codec', video.codec, LEGACY_VIDEO, before.video, VIDEO_CODECS),
    ...legacyIssues('settings_audio.codec', audio.codec, LEGACY_AUDIO, before.audio, AUDIO_CODECS),
    // Options of a codec that is not chosen are stored too, for when it is.
    ...(['h264', 'hevc'] as const).flatMap((codec) => (codec === active ? [] : optionIssues(codec, video))),
    ...settingsIssues({ video: video.active ? video : null, audio: audio.active ? audio : null }),
  ];
  if (video.active || audio.active) return issues;
  const message = 'video and audio are both inactive; activate one of them';
  return [...issues, { field: 'settings_video.active', code: 'empty', message }];
}

function legacyIssues(
  field: string,
  codec: string,
  legacy: readonly string[],
  before: string | undefined,
  codecs: readonly string[],
): FieldIssue[] {
  if (!legacy.includes(codec) || codec === before) return [];
  const allowed = codecs.filter((name) => !legacy.includes(name));
  const message = `${codec} is legacy and cannot be used in a new profile; use ${allowed.join(', ')}`;
  return [{ field, code: 'legacy_codec', message, allowed }];
}

/** Finds values that the encoder refuses; null is what is inactive. A side that is null, or an fps of 0, is the source's and not known. */
export function settingsIssues({
  video,
  audio,
}: {
  video: VideoSettings | null;
  audio: AudioSettings | null;
}): FieldIssue[] {
  const issues = [
    ...(video === null || video.codec === 'copy' ? [] : pictureIssues(video)),
    ...(audio === null || audio.codec === 'copy' ? [] : soundIssues(audio)),
  ];
  if (audio?.codec !== 'copy' || video === null || video.codec === 'copy') return issues;
  const message = 'copy stands beside encoded video; set both codecs to copy, or use mp4a, opus or mp3';
  return [...issues, { field: 'settings_audio.codec', code: 'incompatible', message }];
}

function pictureIssues(given: VideoSettings): FieldIssue[] {
  const { codec, fps, aspect_ratio: aspect } = given;
  // Without a shape of its own a side that is left out is the source's.
  const video = aspect === null ? given : { ...given, ...sizeOf(given) };
  const issues = [...sideIssues(video), ...shapeIssues(given)];
  if (codec === 'h264' || codec === 'hevc') issues.push(...optionIssues(codec, video), ...levelIssues(codec, video));
  if (fps > 0 && fps < MIN_FPS) {
    const message = `${fps} frames a second are fewer than ${MIN_FPS}; use that or more, or 0 for the source's rate`;
    issues.push({ field: 'settings_video.fps', code: 'too_small', message, min: MIN_FPS });
  }
  return [...issues, ...lightIssues(given), ...encoderIssues(given)];
}

function lightIssues(video: VideoSettings): FieldIssue[] {
  const { codec, hdr_mode: mode, hevc } = video;
  if (mode !== 'off' && !isIn(HDR_CODECS, codec)) {
    const message = `${codec} is made without HDR; use codec ${HDR_CODECS.join(', ')} for ${mode}, or off`;
    return [{ field: 'settings_video.hdr_mode', code: 'incompatible', message, allowed: ['off'] }];
  }
  const issues = masteringIssues(video);
  if (mode === 'off' || codec !== 'hevc' || hevc.profile !== 'main') return issues;
  const message = `main has 8 bits a sample, and ${mode} has 10; use main10, or null`;
  return [...issues, { field: 'settings_video.hevc.profile', code: 'incompatible', message, allowed: ['main10'] }];
}

/** Mastering data belong to hdr10, and to codecs that have a place for them. Rows of earlier versions lack them. */
function masteringIssues({ codec, hdr_mode: mode, hdr = null }: VideoSettings): FieldIssue[] {
  if (hdr === null) return [];
  const issue = (field: string, message: string): FieldIssue[] => [{ field, code: 'incompatible', message }];
  if (mode !== 'hdr10')
    return issue('settings_video.hdr', `it belongs to hdr_mode hdr10, and this is ${mode}; use null, or hdr10`);
  if (!isIn(MASTERING_CODECS, codec))
    return issue('settings_video.hdr', `${codec} cannot carry it; use null, or codec ${MASTERING_CODECS.join(' or ')}`);
  const { max_cll: pixel, max_fall: picture } = hdr;
  if (pixel === null || picture === null || picture <= pixel) return [];
  const message = `the mean of a picture (${picture}) cannot be above its brightest pixel (${pixel}); use ${pixel} or less`;
  return [{ field: 'settings_video.hdr.max_fall', code: 'too_large', message, max: pixel }];
}

function isIn(codecs: readonly string[], codec: string): boolean {
  return codecs.includes(codec);
}

/** A kind that is named is never replaced, so what none of them makes is refused. */
function encoderIssues(video: VideoSettings): FieldIssue[] {
  const unmade = isHardware(video.encoder) ? unmadeInHardware(video) : undefined;
  if (unmade === undefined) return [];
  const message = `${video.encoder} does not make ${unmade}; use ${HARDWARE_CODECS.join(' or ')} of 8 bits, hevc main10, or software`;
  return [{ field: 'settings_video.encoder', code: 'incompatible', message, allowed: ['software', 'auto'] }];
}

function sideIssues(video: VideoSettings): FieldIssue[] {
  const { codec } = video;
  if (codec !== 'av1' && codec !== 'hevc') return [];
  const min = codec === 'av1' ? MIN_AV1_SIDE : MIN_HEVC_SIDE;
  const small = (['width', 'height'] as const).filter((side) => video[side] !== null && video[side] < min);
  const isFit = codec === 'hevc' && (small.length === 0 || fitsSmallLevel(video));
  return (isFit ? [] : small).map((side) => ({
    field: `settings_video.${side}`,
    code: 'too_small',
    message:
      codec === 'av1'
        ? `${video[side]} pixels are fewer than av1 has; use ${min} or more`
        : `${video[side]} pixels are fewer than hevc has above level ${SMALL_HEVC_LEVEL}, which this size or bitrate needs; use ${min} or more`,
    min,
  }));
}

function fitsSmallLevel(video: VideoSettings): boolean {
  const levels = levelsOf('hevc');
  const { level } = video.hevc;
  if (level !== null && levels.indexOf(plainLevel(level)) > levels.indexOf(SMALL_HEVC_LEVEL)) return false;
  return levelExcess('hevc', SMALL_HEVC_LEVEL, needOf('hevc', video)) === undefined;
}

/** With square pixels, as the raw programme has them, an extreme ratio makes a side of nothing, or one that no frame holds. */
function shapeIssues({ aspect_ratio: aspect, width, height }: VideoSettings): FieldIssue[] {
  const [x, y] = aspect?.split(':').map(Number) ?? [];
  if (x === undefined || y === undefined) return [];
  const other = height === null && width !== null ? (width * y) / x : ((height ?? DEFAULT_HEIGHT) * x) / y;
  const { min, max } = SIDE;
  if (other >= min && other <= max) return [];
  const message = `${aspect} makes a side of ${Math.round(other)} pixels; use a ratio that makes ${min} to ${max}, or null`;
  return [{ field: 'settings_video.aspect_ratio', code: 'invalid_value', message }];
}

/** A profile or level that the codec does not have. */
function optionIssues(codec: LevelledCodec, video: VideoSettings): FieldIssue[] {
  const { profile, level } = video[codec];
  const issueOf = (name: 'profile' | 'level', value: string, allowed: readonly string[]): FieldIssue[] => {
    const message = `${codec} has no ${name} ${value}; use ${allowed.join(', ')}`;
    return [{ field: `settings_video.${codec}.${name}`, code: 'invalid_value', message, allowed }];
  };
  const levels = levelsOf(codec);
  return [
    ...(profile === null || PROFILES[codec].includes(profile) ? [] : issueOf('profile', profile, PROFILES[codec])),
    ...(level === null || levels.includes(plainLevel(level)) ? [] : issueOf('level', level, levels)),
  ];
}

function levelIssues(codec: LevelledCodec, video: VideoSettings): FieldIssue[] {
  const { level } = video[codec];
  const excess = level === null ? undefined : levelExcess(codec, level, needOf(codec, video));
  if (excess === undefined) return [];
  return [{ field: `settings_video.${codec}.level`, code: 'incompatible', message: excess, allowed: levelsOf(codec) }];
}

function needOf(codec: LevelledCodec, video: VideoSettings): Parameters<typeof levelExcess>[2] {
  const { width, height, fps, bitrate } = video;
  const size = width === null || height === null ? undefined : { width, height };
  return { profile: video[codec].profile, bitrate, fps, size };
}

/** 4.0 is another way to write 4. */
function plainLevel(level: string): string {
  return level.replace(/\.0$/u, '');
}

function soundIssues({ codec, channels, bitrate, sample_rate: rate }: AudioSettings): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const add = (name: string, code: string, message: string, limits: object): void =>
    void issues.push({ field: `settings_audio.${name}`, code, message, ...limits });
  const allowed = CHANNELS[codec];
  if (allowed?.includes(channels) === false) {
    const more = allowed.includes(8) ? '' : ', or mp4a or opus for 6 and 8';
    const message = `${channels} channels of ${codec} are not made; use ${allowed.join(', ')}${more}`;
    add('channels', 'invalid_value', message, { allowed });
  }
  const max = codec === 'mp3' ? MAX_MP3_BITRATE : codec === 'opus' ? MAX_OPUS_BITRATE * channels : undefined;
  if (max !== undefined && bitrate > max) {
    const what = codec === 'opus' && channels === 1 ? 'opus has in mono' : `${codec} has`;
    add('bitrate', 'too_large', `${bitrate} kbit/s are more than ${what} (${max})`, { max });
  }
  if (codec === 'mpga' && !MPGA_BITRATES.includes(bitrate))
    add('bitrate', 'invalid_value', `mpga has no ${bitrate} kbit/s; use ${MPGA_BITRATES.join(', ')}`, {
      allowed: MPGA_BITRATES,
    });
  if (codec === 'opus' && rate !== OPUS_RATE)
    add('sample_rate', 'incompatible', `opus has no ${rate} samples a second; use ${OPUS_RATE}`, {
      allowed: [OPUS_RATE],
    });
  return issues;
}
