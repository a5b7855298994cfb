/** The drm block of a Publishing: which packaging can carry which DRM system, and how the samples are encrypted. */
import { z } from 'zod/v3';
import type { FieldIssue } from '../../base/errors.ts';
import type { PublishingType } from './publishing-types.ts';
import { reference } from '../../base/schema.ts';

const PUBLISHING_SYSTEMS = ['Widevine', 'Playready', 'Fairplay'] as const;
type System = (typeof PUBLISHING_SYSTEMS)[number];

export const drmBlock = z
  .object({
    active: z.boolean().default(true).describe('Whether the output is encrypted.'),
    provider_id: reference('DRM provider'),
    contentid: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{Cc}\p{Cs}\uFFFE\uFFFF]*$/u, 'must not contain control characters')
      .describe('At the key server.'),
    systems: z.array(z.enum(PUBLISHING_SYSTEMS)).min(1).max(3).describe('Advertised on the manifest.'),
    encryption_mode: z
      .enum(['cenc', 'cbcs'])
      .nullable()
      .default(null)
      .describe('null: cbcs when Fairplay is in, else cenc.'),
  })
  .strict();
type DrmBlock = z.infer<typeof drmBlock>;

/**
 * MPEG-TS has no Common Encryption, and this product has no packager for its own SAMPLE-AES (RFC 8216 §4.3.2.4). FairPlay is signalled in
 * HLS and not in a DASH manifest. CMAF segments serve both manifests and carry all three.
 */
const CARRIED: Partial<Record<PublishingType, readonly System[]>> = {
  DASH: ['Widevine', 'Playready'],
  CMAF: PUBLISHING_SYSTEMS,
};

/** The mode in force: the one that was set, else the one that the systems need. */
export function encryptionMode({ systems, encryption_mode: set }: Pick<DrmBlock, 'systems' | 'encryption_mode'>) {
  return set ?? (systems.includes('Fairplay') ? 'cbcs' : 'cenc');
}

/** Codecs whose samples can be encrypted; the codec of a copied track is known only when the source arrives. */
export const ENCRYPTABLE_VIDEO: readonly string[] = ['h264', 'hevc', 'copy'];

/** Finds combinations that no packager could make, whichever key server delivers the keys. */
export function drmIssues({ type, drm }: { type: PublishingType; drm: DrmBlock | null }): FieldIssue[] {
  if (drm === null) return [];
  const carried = CARRIED[type];
  if (carried === undefined) {
    const allowed = Object.keys(CARRIED);
    const message = `a Destination of type ${type} cannot be encrypted; use ${allowed.join(', ')}, or send drm as null`;
    return [{ field: 'drm', code: 'incompatible', message, allowed }];
  }
  const issues = drm.systems.flatMap((system, index) => systemIssues(drm, index, type, carried.includes(system)));
  if (drm.encryption_mode === 'cenc' && drm.systems.includes('Fairplay')) {
    const message =
      drm.systems.length > 1
        ? 'Fairplay needs cbcs, which Widevine and Playready take too; leave encryption_mode out or send cbcs'
        : 'Fairplay needs cbcs; leave encryption_mode out or send cbcs';
    issues.push({ field: 'drm.encryption_mode', code: 'incompatible', message, allowed: ['cbcs'] });
  }
  return issues;
}

function systemIssues({ systems }: DrmBlock, index: number, type: PublishingType, isCarried: boolean): FieldIssue[] {
  const field = `drm.systems.${index}`;
  const system = systems[index];
  if (system === undefined) return [];
  if (systems.indexOf(system) < index) {
    return [{ field, code: 'duplicate', message: `${system} is named twice; name each system once` }];
  }
  if (isCarried) return [];
  const allowed = CARRIED[type] ?? [];
  const message = `${system} cannot be carried by a Destination of type ${type}, which takes ${allowed.join(' and ')}; use type CMAF for ${system}`;
  return [{ field, code: 'incompatible', message, allowed }];
}
