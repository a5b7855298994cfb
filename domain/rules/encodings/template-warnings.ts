/** Compares what a Live stream would deliver with the demands of platforms. It refuses nothing: platforms change, and people know theirs. */
import { z } from 'zod/v3';
import type { AudioSettings, Encoding, VideoSettings } from '../../shapes/encodings/encoding.ts';
import type { Livestream, StartConfigEntry } from '../../shapes/broadcasts/livestream.ts';
import type { TemplateId } from '../../shapes/encodings/preset-ids.ts';
import type { Template } from '../../shapes/encodings/preset.ts';
import { type Publishing } from '../../shapes/destinations/publishing.ts';
import type { Lookup } from '../../ports/resource.ts';
import { boundEncodings, boundPublishings } from '../broadcasts/bindings.ts';
import { DESTINATION_ROWS } from '../../types/destination-types.ts';

export const TEMPLATE_WARNINGS = [
  'type',
  'tls',
  'stream_key',
  'video_codec',
  'keyframe_distance',
  'video_bitrate',
  'picture_size',
  'frame_rate',
  'no_sound',
  'audio_codec',
  'audio_bitrate',
  'sample_rate',
] as const;

export const templateWarning = z
  .object({
    code: z.enum(TEMPLATE_WARNINGS),
    publishingId: z.number().int(),
    message: z.string().describe('What the platform asks for, and what it would get.'),
  })
  .strict();
export type TemplateWarning = z.infer<typeof templateWarning>;
type Code = TemplateWarning['code'];
type Finding = [Code, string];

/** Looks at the Destinations that the configuration switches on, with the renditions that each would get. */
export function templateWarnings(
  lookup: Lookup,
  livestream: Readonly<Livestream>,
  startConfig: readonly StartConfigEntry[],
  templateOf: (id: TemplateId) => Template,
): TemplateWarning[] {
  const encodings = boundEncodings(lookup, livestream);
  return boundPublishings(lookup, livestream).flatMap((publishing) => {
    const { id: publishingId, template } = publishing;
    const entry = startConfig.find((each) => each.publishingId === publishingId);
    if (template == null || entry === undefined || !(entry.primary || entry.backup)) return [];
    const delivered = deliveredOf(publishing, encodings, entry.qualities);
    return findingsOf(publishing, delivered, templateOf(template)).map(([code, message]) => ({
      code,
      publishingId,
      message,
    }));
  });
}

function deliveredOf(
  { type }: Publishing,
  encodings: readonly Encoding[],
  qualities: readonly number[] | undefined,
): Encoding[] {
  const chosen = encodings.filter(({ id }) => qualities?.includes(id) ?? true);
  // A type that needs an address carries one rendition: the best.
  if (!DESTINATION_ROWS[type].needsUrl) return chosen;
  const rate = ({ settings_video: video, settings_audio: audio }: Encoding): number =>
    (video.active ? video.bitrate : 0) * 1000 + (audio.active ? audio.bitrate : 0);
  return [...chosen].sort((a, b) => rate(b) - rate(a)).slice(0, 1);
}

function findingsOf(publishing: Publishing, delivered: readonly Encoding[], template: Template): Finding[] {
  return [
    ...addressFindings(publishing, template),
    ...delivered.flatMap(({ name, settings_video: video, settings_audio: audio }) => [
      ...(video.active ? videoFindings(video, `Encoding "${name}"`, template) : []),
      ...(audio.active
        ? audioFindings(audio, `Encoding "${name}"`, template)
        : soundFindings(`Encoding "${name}"`, template)),
    ]),
  ];
}

function addressFindings({ name, type, settings }: Publishing, template: Template): Finding[] {
  const { demands } = template;
  const where = `Publishing "${name}"`;
  const findings: Finding[] = [];
  // Types of one protocol differ in codecs, and those have demands of their own.
  if (String(DESTINATION_ROWS[type].schemes) !== String(DESTINATION_ROWS[template.type].schemes))
    findings.push(['type', `${template.name} takes ${template.type}; ${where} is of type ${type}.`]);
  const addresses = [settings.url, settings.backup_url].filter((url) => url !== null);
  if (demands.tls && addresses.some((url) => /^rtmp:/iu.test(url)))
    findings.push(['tls', `${template.name} takes rtmps alone; an address of ${where} is rtmp.`]);
  if (demands.stream_key && !settings.stream_key && !addresses.some(hasKeyInPath))
    findings.push(['stream_key', `${template.name} tells its senders apart by a stream key; ${where} has none.`]);
  return findings;
}

/** Many people paste the key behind the application: `rtmp://host/app/key`. */
function hasKeyInPath(url: string): boolean {
  return /^rtmps?:\/\/[^/]+\/[^/?]+\/[^/?]+/iu.test(url);
}

/** A copy, and what is left as the source has it, is not known before the source comes. */
function videoFindings(video: VideoSettings, where: string, { name, demands, limits }: Template): Finding[] {
  if (video.codec === 'copy') return [];
  const findings: Finding[] = [];
  if (demands.video_codecs !== null && !demands.video_codecs.includes(video.codec))
    findings.push(['video_codec', `${name} takes ${demands.video_codecs.join(', ')}; ${where} is ${video.codec}.`]);
  const seconds = (video.codec === 'hevc' ? video.hevc : video.h264).keyframe_interval;
  if (demands.keyframe_seconds !== null && seconds > demands.keyframe_seconds) {
    const demand = `${name} asks for a keyframe every ${demands.keyframe_seconds} s`;
    findings.push(['keyframe_distance', `${demand}; ${where} has one every ${seconds} s.`]);
  }
  if (limits.video_kbps !== null && video.bitrate > limits.video_kbps)
    findings.push([
      'video_bitrate',
      `${name} takes ${limits.video_kbps} kbit/s of video at most; ${where} has ${video.bitrate}.`,
    ]);
  if (isTooLarge(video, limits)) {
    const size = `${video.width ?? '…'}×${video.height ?? '…'}`;
    findings.push(['picture_size', `${name} takes ${limits.width}×${limits.height} at most; ${where} is ${size}.`]);
  }
  if (limits.fps !== null && video.fps > limits.fps)
    findings.push(['frame_rate', `${name} takes ${limits.fps} frames a second at most; ${where} has ${video.fps}.`]);
  return findings;
}

/** The limits are those of the longer and the shorter side, so that an upright picture fits as well. */
function isTooLarge({ width, height }: VideoSettings, limits: Template['limits']): boolean {
  if (limits.width === null || limits.height === null) return false;
  if (width === null || height === null) return (width ?? 0) > limits.width || (height ?? 0) > limits.height;
  return Math.max(width, height) > limits.width || Math.min(width, height) > limits.height;
}

function audioFindings(audio: AudioSettings, where: string, { name, demands, limits }: Template): Finding[] {
  if (audio.codec === 'copy') return [];
  const findings: Finding[] = [];
  if (demands.audio_codecs !== null && !demands.audio_codecs.includes(audio.codec))
    findings.push(['audio_codec', `${name} takes ${demands.audio_codecs.join(', ')}; ${where} is ${audio.codec}.`]);
  if (limits.audio_kbps !== null && audio.bitrate > limits.audio_kbps)
    findings.push([
      'audio_bitrate',
      `${name} takes ${limits.audio_kbps} kbit/s of sound at most; ${where} has ${audio.bitrate}.`,
    ]);
  if (demands.sample_rates !== null && !demands.sample_rates.includes(audio.sample_rate)) {
    const rates = demands.sample_rates.join(' or ');
    findings.push(['sample_rate', `${name} takes sound of ${rates} Hz; ${where} has ${audio.sample_rate}.`]);
  }
  return findings;
}

function soundFindings(where: string, { name, demands }: Template): Finding[] {
  return demands.sound ? [['no_sound', `${name} asks for sound; ${where} has none.`]] : [];
}
