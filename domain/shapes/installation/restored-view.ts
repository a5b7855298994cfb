/** A restore of the store as callers see it. */
import { z } from 'zod/v3';
import { restoredFields, type StoreEra } from './store-era.ts';

export const restoreOutput = z
  .object({
    waiting: z.boolean().describe('Whether Schedules and planned actions that are older wait for acknowledgeRestore.'),
    restore: restoredFields
      .omit({ places: true, stopping: true, left: true })
      .nullable()
      .describe('The last time that the store went back; null where it never did.'),
  })
  .strict();

export function restoreView(eras: readonly Readonly<StoreEra>[]): z.infer<typeof restoreOutput> {
  const waiting = eras.some((era) => era.waiting);
  const last = eras.flatMap(({ restored }) => restored ?? []).at(-1);
  if (last === undefined) return { waiting, restore: null };
  const { places: _places, stopping: _stopping, left: _left, ...restore } = last;
  return { waiting, restore };
}
