/**
 * The reasons why this Device cannot deliver to a Destination, whatever the other end says, each the end of a sentence that begins with the
 * type; and what a Destination leaves out of a broadcast.
 */
import { ENCRYPTABLE_VIDEO } from '../../../domain/shapes/destinations/drm.ts';
import { deliveryIssues } from '../../../domain/shapes/destinations/publishing.ts';
import type { OutputSpec } from '../../../domain/shapes/broadcasts/run.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { sdiIssue } from '../../media/arguments/sdi-args.ts';
import { protectionOf } from '../../media/manifests/protection.ts';
import { bestRendition } from './rendition-tracks.ts';

/** Packaged types are served by the Device itself, out of a folder, or pushed to an origin. */
export function isPackaged(type: OutputSpec['type']): boolean {
  return type === 'HLS / TS' || type === 'CMAF' || type === 'DASH';
}

/** Returns the reason, or undefined. `renditions` are those that the Destination gets. */
export function refusalOfOutput(
  spec: OutputSpec,
  which: 'primary' | 'backup',
  renditions: readonly RenditionPlan[],
  plan: LadderPlan,
): string | undefined {
  if (renditions.length === 0) return 'none of the chosen qualities is encoded';
  return (
    refusalOfFragments(spec, plan) ??
    refusalOfType(spec, which, bestRendition(renditions)) ??
    refusalOfEncryption(spec, renditions)
  );
}

/** Refuses types that need a transport stream, which a plan of av1 or vp9 does not have. */
function refusalOfFragments({ type, settings }: OutputSpec, { fragmented, videos }: LadderPlan): string | undefined {
  const takes = type === 'CMAF' || type === 'DASH' || (type === 'Record' && settings.container === 'mp4');
  return fragmented && !takes
    ? `cannot carry ${videos[0]!.settings.codec}; use CMAF, DASH or Record as mp4, or an Encoding of h264`
    : undefined;
}

function refusalOfType(
  { type, settings }: OutputSpec,
  which: 'primary' | 'backup',
  rendition: RenditionPlan,
): string | undefined {
  const otherUrl = which === 'primary' ? 'settings.backup_url' : 'settings.url';
  const issue = deliveryIssues({ type, settings }).find(({ field }) => field !== otherUrl);
  if (issue !== undefined) return `the setting ${issue.field.replace(/^settings\./u, '')} ${issue.message}`;
  if (isPackaged(type) || type === 'Record') return undefined;
  if (type === 'SDIOUT') return refusalOfSdi(rendition);
  // A transport stream carries whatever the encoder makes.
  return type === 'RTMP' || type === 'Enhanced RTMP' ? refusalOfFlv(type, rendition) : undefined;
}

function refusalOfFlv(type: 'RTMP' | 'Enhanced RTMP', { video, audio }: RenditionPlan): string | undefined {
  const isEnhanced = type === 'Enhanced RTMP';
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

function refusalOfSdi({ video }: RenditionPlan): string | undefined {
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
  if (type !== 'CMAF' && type !== 'DASH') return 'cannot be encrypted; use CMAF or DASH';
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

/** FLV has one audio stream, and the card plays out one. */
const ONE_TRACK: readonly OutputSpec['type'][] = ['RTMP', 'Enhanced RTMP', 'SDIOUT'];

/** Returns sentences for the status. */
export function notesOf(type: OutputSpec['type'], { tracks, audios }: Pick<LadderPlan, 'tracks' | 'audios'>): string[] {
  const chosen = tracks.find(({ isDefault }) => isDefault);
  if (!ONE_TRACK.includes(type) || tracks.length < 2 || audios.length === 0 || chosen === undefined) return [];
  const { name, language, number } = chosen;
  const track = `the default one, "${name}" (track ${number}, ${language})`;
  return [`${type} carries one audio track: ${track}. The others are left out.`];
}
