/** Saved walls of tiles, and the links by which a display shows one without a sign-in. */
import { z } from 'zod/v3';
import { idField, instantField, nameField, stampFields, wordField } from '../../base/schema.ts';
import { tagsField } from '../../base/tags.ts';

/** More fill twenty screens. */
const MAX_TILES = 500;

/** Tiles of one screen: as many rows as columns. */
export const LAYOUTS = [1, 4, 9, 16, 25] as const;
const [one, four, nine, sixteen, twentyFive] = LAYOUTS;
const layoutField = z
  .union([z.literal(one), z.literal(four), z.literal(nine), z.literal(sixteen), z.literal(twentyFive)])
  .default(9)
  .describe('Tiles on one screen: 1, 4, 9, 16 or 25.');

export const wallCreate = {
  name: nameField,
  layout: layoutField,
  livestreamIds: z
    .array(idField)
    .max(MAX_TILES)
    .default([])
    .describe('Live streams in the order of their tiles; each keeps its place when it is off.'),
  tags: tagsField.describe('Behind them, while they are on, Live streams with one of these tags.'),
  others: z.boolean().default(false).describe('true: behind them, while they are on, all other Live streams too.'),
};

export const wallOutput = z
  .object({ ...stampFields, ...wallCreate })
  .strict()
  .describe('Wall: tiles of Live streams for a monitor.');
export type Wall = z.infer<typeof wallOutput>;

export const displayNameField = wordField(100).describe('Which display it is for, 1-100 characters.');

export const displayLinkOutput = z
  .object({
    id: idField,
    kid: z.string().describe('Key identifier, used to revoke the link.'),
    wallId: idField.describe('Wall that it opens.'),
    name: displayNameField,
    created_at: instantField,
    last_seen_at: instantField.nullable().describe('When a display last showed it, within ten minutes; null = never.'),
  })
  .strict();

/** Only a hash of the token is stored. */
export type DisplayLink = z.infer<typeof displayLinkOutput> & { updated_at: string; token_hash: string };
