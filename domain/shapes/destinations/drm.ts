/** The drm block of a Publishing: which packaging can carry which DRM system, and how the samples are encrypted. */
import { z } from 'zod/v3';
import type { FieldIssue } from '../../base/errors.ts';
import { reference } from '../../base/schema.ts';
import { ENCRYPTED_TYPES, typesFor } from '../../types/destination-questions.ts';
import { DRM_SYSTEMS } from '../../types/destination-row.ts';
import { DESTINATION_ROWS, type PublishingType } from '../../types/destination-types.ts';

export const drmBlock = z
  .object({
    active: z.boolean().default(true).describe('Is encrypted.'),
    provider_id: reference('DRM provider'),
    contentid: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{Cc}\p{Cs}\uFFFE\uFFFF]*$/u, 'must not contain control characters')
      .describe('At the key server.'),
    systems: z.array(z.enum(DRM_SYSTEMS)).min(1).max(3).describe('On the manifest.'),
    encryption_mode: z.enum(['cenc', 'cbcs']).nullable().default(null).describe('null: cbcs with Fairplay, else cenc.'),
    rotation_minutes: z.number().int().min(15).max(1440).nullable().default(null).describe('Key rotation.'),
  })
  .strict();
export type DrmBlock = Omit<z.infer<typeof drmBlock>, 'rotation_minutes'> & {
  /** Left out in rows of earlier versions. */
  rotation_minutes?: number | null;
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
  const { drm: carried } = DESTINATION_ROWS[type];
  if (carried.length === 0) {
    const allowed = ENCRYPTED_TYPES;
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
  if (isRotated(drm) && !drm.active) {
    const message = 'is for an output that is encrypted; send active as true, or null here';
    issues.push({ field: 'drm.rotation_minutes', code: 'incompatible', message });
  }
  return issues;
}

/** Whether its keys are replaced on air. */
export function isRotated(drm: Pick<DrmBlock, 'rotation_minutes'>): boolean {
  return drm.rotation_minutes != null;
}

function systemIssues({ systems }: DrmBlock, index: number, type: PublishingType, isCarried: boolean): FieldIssue[] {
  const field = `drm.systems.${index}`;
  const system = systems[index];
  if (system === undefined) return [];
  if (systems.indexOf(system) < index) {
    return [{ field, code: 'duplicate', message: `${system} is named twice; name each system once` }];
  }
  if (isCarried) return [];
  const { drm: allowed } = DESTINATION_ROWS[type];
  const message = `${system} cannot be carried by a Destination of type ${type}, which takes ${allowed.join(' and ')}; use type ${typesFor(system).join(', ')} for ${system}`;
  return [{ field, code: 'incompatible', message, allowed }];
}
