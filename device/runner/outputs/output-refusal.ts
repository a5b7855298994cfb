/** Why a Destination cannot be delivered to by this build, whatever its other end says. */
import { deliveryIssues } from '../../../domain/publishing.ts';
import type { OutputSpec } from '../../../domain/run.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { sdiIssue } from '../../media/arguments/sdi-args.ts';

/** By the Device itself, out of a folder, or pushed to an origin. */
export function isPackaged(type: OutputSpec['type']): boolean {
  return type === 'HLS / TS' || type === 'CMAF' || type === 'DASH';
}

/** Half a sentence, or undefined: what needs a transport stream, which a plan of av1 or vp9 does not have. */
export function refusalOfFragments(
  { type, settings }: OutputSpec,
  { fragmented, videos }: LadderPlan,
): string | undefined {
  const takes = type === 'CMAF' || type === 'DASH' || (type === 'Record' && settings.container === 'mp4');
  return fragmented && !takes
    ? `cannot carry ${videos[0]!.settings.codec}; use CMAF, DASH or Record as mp4, or an Encoding of h264`
    : undefined;
}

/** Half a sentence, or undefined. `chosen`: what a Destination with one rendition gets. */
export function refusalOfOutput(
  { type, settings }: OutputSpec,
  which: 'primary' | 'backup',
  chosen: RenditionPlan,
): string | undefined {
  const otherUrl = which === 'primary' ? 'settings.backup_url' : 'settings.url';
  const issue = deliveryIssues({ type, settings }).find(({ field }) => field !== otherUrl);
  if (issue !== undefined) return `the setting ${issue.field.replace(/^settings\./u, '')} ${issue.message}`;
  if (isPackaged(type) || type === 'Record') return undefined;
  if (type === 'SDIOUT') return refusalOfSdi(chosen);
  // A transport stream carries whatever the encoder makes.
  return type === 'RTMP' || type === 'Enhanced RTMP' ? refusalOfFlv(type, chosen) : undefined;
}

function refusalOfFlv(type: 'RTMP' | 'Enhanced RTMP', { video, audio }: RenditionPlan): string | undefined {
  const isEnhanced = type === 'Enhanced RTMP';
  const [picture, sound] = [video?.settings.codec, audio?.settings.codec];
  const pictures = isEnhanced ? ['h264', 'hevc', 'copy'] : ['h264', 'copy'];
  if (picture !== undefined && !pictures.includes(picture))
    return `carries h264${isEnhanced ? ' or hevc' : ''} only, not ${picture}${!isEnhanced && picture === 'hevc' ? '; use Enhanced RTMP' : ''}`;
  const sounds = picture === 'hevc' ? ['mp4a'] : ['mp4a', 'mp3', 'copy'];
  if (sound !== undefined && !sounds.includes(sound))
    return picture === 'hevc'
      ? `carries mp4a only beside hevc, not ${sound}`
      : `carries mp4a or mp3 only, not ${sound}`;
  return undefined;
}

function refusalOfSdi({ video }: RenditionPlan): string | undefined {
  if (video === undefined) return 'carries no sound without a picture';
  if (video.settings.codec === 'copy') return 'cannot play out a copied source; use h264';
  return sdiIssue({ width: video.settings.width, height: video.settings.height, rate: video.rate });
}
