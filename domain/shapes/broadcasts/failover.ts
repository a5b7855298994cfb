/** The options of a Live stream's backup source: what makes it go on air, and when the first source returns. */
import { z } from 'zod/v3';

export const FAILOVER_CAUSES = ['loss', 'black', 'frozen', 'silent'] as const;
export type FailoverCause = (typeof FAILOVER_CAUSES)[number];

/** Since when each fault holds, in ms of the steady clock; one that does not hold is left out. No backup goes on air for low_fps. */
export type Faults = Partial<Record<FailoverCause | 'low_fps', number>>;

export const failoverField = z
  .object({
    on: z.array(z.enum(FAILOVER_CAUSES)).min(1).max(4).default(['loss']).describe('What makes the backup go on air.'),
    after_seconds: z.number().min(0.5).max(60).default(2).describe('How long it must last.'),
    return: z
      .enum(['auto', 'hold'])
      .default('auto')
      .describe('auto: back once the source is good again; hold: by hand.'),
    return_after_seconds: z.number().min(1).max(3600).default(10).describe('How long the source is good first.'),
  })
  .strict();
export type Failover = z.infer<typeof failoverField>;
