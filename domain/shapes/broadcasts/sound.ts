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

export const ALARM_SECONDS = { silence: 5, black: 5, frozen: 10, lost: 5 } as const;

const lasting = (usual: number): z.ZodDefault<z.ZodNumber> =>
  z.number().min(1).max(3600).default(usual).describe('As in alarms.');

export const detectField = z
  .object({
    silence: z
      .object({
        level_db: z.number().min(-90).max(0).default(-60).describe('dBFS that nothing exceeds.'),
        seconds: lasting(ALARM_SECONDS.silence),
      })
      .strict()
      .nullable()
      .default({})
      .describe('null: not watched.'),
    black: z
      .object({ seconds: lasting(ALARM_SECONDS.black) })
      .strict()
      .nullable()
      .default({})
      .describe('null: not watched.'),
    frozen: z
      .object({ seconds: lasting(ALARM_SECONDS.frozen) })
      .strict()
      .nullable()
      .default({})
      .describe('null: not watched.'),
  })
  .strict();
export type Detect = z.infer<typeof detectField>;

const alarm = (usual: number, what: string): z.ZodDefault<z.ZodNumber> =>
  z.number().int().min(0).max(3600).default(usual).describe(what);

export const alarmsField = z
  .object({
    silence_seconds: alarm(ALARM_SECONDS.silence, 'No sound.'),
    black_seconds: alarm(ALARM_SECONDS.black, 'A black picture.'),
    frozen_seconds: alarm(ALARM_SECONDS.frozen, 'A still picture.'),
    lost_seconds: alarm(ALARM_SECONDS.lost, 'No source.'),
  })
  .strict();
export type Alarms = z.infer<typeof alarmsField>;
