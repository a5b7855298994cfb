/** What of an encrypted Destination this Device cannot deliver. It is never delivered in the clear instead. */
import { ENCRYPTABLE_VIDEO } from '../../../domain/drm.ts';
import type { OutputSpec } from '../../../domain/run.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { protectionOf } from '../../media/manifests/protection.ts';

/** The end of a sentence that begins with the type; undefined: nothing stands in the way. */
export function encryptionRefusal(
  { type, drm, encrypted }: Pick<OutputSpec, 'type' | 'drm' | 'encrypted'>,
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
