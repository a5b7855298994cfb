/**
 * The reasons why this Device cannot deliver to a Destination, whatever the other end says, each the end of a sentence that begins with the
 * type; and what a Destination leaves out of a broadcast.
 */
import { ENCRYPTABLE_VIDEO } from '../../../domain/shapes/destinations/drm.ts';
import { deliveryIssues } from '../../../domain/shapes/destinations/publishing.ts';
import type { OutputSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { sdiIssue } from '../../media/arguments/sdi-args.ts';
import { protectionOf } from '../../media/manifests/protection.ts';
import { bestRendition } from './rendition-tracks.ts';
import { orList } from '../../../domain/base/sentence.ts';
import {
  ENCRYPTED_TYPES,
  ownsSetting,
  typesCarrying,
  videoNotCarried,
} from '../../../domain/types/destination-questions.ts';
import { DESTINATION_ROWS } from '../../../domain/types/destination-types.ts';

/** Refuses a rendition that a type cannot take, where the codecs of its row do not say it. */
export type RefusalOf = (rendition: RenditionPlan, type: OutputSpec['type']) => string | undefined;

interface Wanted {
  which: 'primary' | 'backup';
  /** Those that the Destination gets. */
  renditions: readonly RenditionPlan[];
  plan: LadderPlan;
  refusalOf: RefusalOf | undefined;
}

/** Returns the reason, or undefined. */
export function refusalOfOutput(spec: OutputSpec, { which, renditions, plan, refusalOf }: Wanted): string | undefined {
  if (renditions.length === 0) return 'none of the chosen qualities is encoded';
  return (
    refusalOfFragments(spec, plan) ??
    refusalOfSettings(spec, which) ??
    refusalOf?.(bestRendition(renditions), spec.type) ??
    refusalOfEncryption(spec, renditions)
  );
}

/** Refuses types that need a transport stream, which a plan of av1 or vp9 does not have. */
function refusalOfFragments(spec: OutputSpec, { fragmented, videos }: LadderPlan): string | undefined {
  if (!fragmented) return undefined;
  const notCarried = videoNotCarried(spec);
  const codec = videos.map(({ settings }) => settings.codec).find((each) => notCarried.includes(each));
  if (codec === undefined) return undefined;
  const others = typesCarrying(codec).map((type) => (ownsSetting(type, 'container') ? `${type} as mp4` : type));
  return `cannot carry ${codec}; use ${orList(others)}, or an Encoding of h264`;
}

function refusalOfSettings({ type, settings }: OutputSpec, which: 'primary' | 'backup'): string | undefined {
  const otherUrl = which === 'primary' ? 'settings.backup_url' : 'settings.url';
  const issue = deliveryIssues({ type, settings }).find(({ field }) => field !== otherUrl);
  return issue && `the setting ${issue.field.replace(/^settings\./u, '')} ${issue.message}`;
}

export function refusalOfFlv({ video, audio }: RenditionPlan, type: OutputSpec['type']): string | undefined {
  const isEnhanced = !DESTINATION_ROWS[type].notCarried.video.includes('hevc');
  const [videoCodec, audioCodec] = [video?.settings.codec, audio?.settings.codec];
  const videoCodecs = isEnhanced ? ['h264', 'hevc', 'copy'] : ['h264', 'copy'];
  if (videoCodec !== undefined && !videoCodecs.includes(videoCodec))
    return `carries h264${isEnhanced ? ' or hevc' : ''} only, not ${videoCodec}${!isEnhanced && videoCodec === 'hevc' ? '; use Enhanced RTMP' : ''}`;
  const audioCodecs = videoCodec === 'hevc' ? ['mp4a'] : ['mp4a', 'mp3', 'copy'];
  if (audioCodec !== undefined && !audioCodecs.includes(audioCodec))
    return videoCodec === 'hevc'
      ? `carries mp4a only beside hevc, not ${audioCodec}`
      : `carries mp4a or mp3 only, not ${audioCodec}`;
  return undefined;
}

export function refusalOfSdi({ video }: RenditionPlan): string | undefined {
  if (video === undefined) return 'carries no sound without a picture';
  if (video.settings.codec === 'copy') return 'cannot play out a copied source; use h264';
  return sdiIssue({ width: video.settings.width, height: video.settings.height, rate: video.rate });
}

/** Refuses what cannot be encrypted: it is never delivered in the clear instead. */
function refusalOfEncryption(
  { type, drm, encrypted }: OutputSpec,
  renditions: readonly RenditionPlan[],
): string | undefined {
  if (drm === undefined)
    return encrypted === undefined ? undefined : 'is to be encrypted, and the order came without content keys';
  if (DESTINATION_ROWS[type].drm.length === 0) return `cannot be encrypted; use ${orList(ENCRYPTED_TYPES)}`;
  const codec = renditions
    .map(({ video }) => video?.settings.codec)
    .find((one) => one && !ENCRYPTABLE_VIDEO.includes(one));
  if (codec !== undefined) return `cannot be encrypted with ${codec}; use h264 or hevc`;
  try {
    const protection = protectionOf(drm);
    if (renditions.some(({ video }) => video !== undefined)) protection.of('video');
    if (renditions.some(({ audio }) => audio !== undefined)) protection.of('audio');
    return undefined;
  } catch (error) {
    return `cannot be encrypted: ${(error as Error).message.replace(/\.$/u, '')}`;
  }
}

/** Returns sentences for the status. */
export function notesOf(type: OutputSpec['type'], { tracks, audios }: Pick<LadderPlan, 'tracks' | 'audios'>): string[] {
  const chosen = tracks.find(({ isDefault }) => isDefault);
  if (!DESTINATION_ROWS[type].hasOneTrack || tracks.length < 2 || audios.length === 0 || chosen === undefined)
    return [];
  const { name, language, number } = chosen;
  const track = `the default one, "${name}" (track ${number}, ${language})`;
  return [`${type} carries one audio track: ${track}. The others are left out.`];
}
