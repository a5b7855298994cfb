import { z } from 'zod/v3';
import { idField, instantField } from '../../base/schema.ts';

export const fleetHold = z
  .object({
    since: instantField.describe('Since when no broadcast is moved by itself.'),
    by: z.string().describe('User who called holdFleet.'),
  })
  .strict();
/** While it lasts the service moves no broadcast by itself. */
export type FleetHold = z.infer<typeof fleetHold>;

/** The one row of its collection; there is none before the first hold. */
export const fleetState = z.object({ id: idField, updated_at: instantField, hold: fleetHold.nullable() }).strict();
export type FleetState = z.infer<typeof fleetState>;
