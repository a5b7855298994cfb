/** The options of a Live stream's sound, and of what is noticed in its source. */
import { z } from 'zod/v3';

export const soundField = z
  .object({
    gain_db: z.number().min(-20).max(20).default(0).describe('Gain in dB.'),
    mute: z.boolean().default(false).describe('No sound goes out.'),
    delay_ms: z.number().int().min(-2000).max(2000).default(0).describe('Positive: sound later; negative: earlier.'),
  })
  .strict();
export type SoundOptions = z.infer<typeof soundField>;

const seconds = z.number().min(1).max(3600).default(5).describe('So long it lasts before it is an event.');

export const detectField = z
  .object({
    silence: z
      .object({ level_db: z.number().min(-90).max(0).default(-60).describe('dBFS that nothing exceeds.'), seconds })
      .strict()
      .nullable()
      .default({})
      .describe('null: not watched.'),
    black: z.object({ seconds }).strict().nullable().default({}).describe('null: not watched.'),
    frozen: z.object({ seconds }).strict().nullable().default({}).describe('null: not watched.'),
  })
  .strict();
export type Detect = z.infer<typeof detectField>;
