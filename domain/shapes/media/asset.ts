import { z } from 'zod/v3';
import { instantField, idField } from '../../base/schema.ts';

export const ASSET_BUCKETS = ['logos', 'files', 'clips'] as const;
export type AssetBucket = (typeof ASSET_BUCKETS)[number];
export const bucketField = z.enum(ASSET_BUCKETS).describe('Bucket: logos, files or clips.');

/**
 * A plain name has no separator, no leading dot, no control, format or separator characters (they hide what a name is) and no lone
 * surrogate.
 */
export const filenameField = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^(?![.\s])[^/\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+(?<!\s)$/u,
    'must be a plain file name: no path separators, no leading dot, no control characters, no space at either end',
  )
  .describe('File name, 1-255 characters, no path.');

export const assetOutput = z
  .object({
    id: idField,
    filename: z.string().describe('File name, no path.'),
    fileType: bucketField,
    size_bytes: z.number().int().nonnegative().describe('Size in bytes.'),
    content_type: z.string().describe('Media type as probed.'),
    duration_seconds: z.number().nullable().describe('Duration in seconds; null for pictures.'),
    width: z.number().int().nullable().describe('Width in pixels; null without video.'),
    height: z.number().int().nullable().describe('Height in pixels; null without video.'),
    created_at: instantField,
    updated_at: instantField,
  })
  .strict()
  .describe('Asset: a media file reusable across Live streams.');
export type Asset = z.infer<typeof assetOutput>;

/** The place of an Asset's file in the storage that several servers share; one that was uploaded without such a storage has none. */
export interface MediaKey {
  /** Id of the Asset. */
  id: number;
  key: string;
}
