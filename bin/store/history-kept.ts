/** How long the store keeps events and audit entries, as the settings of a server say. */
import type { Config } from '../settings/config.ts';

const DAY_MS = 86_400_000;

type Kept = Readonly<Record<'audit' | 'events', number>>;

/** A command that opens the store for a moment lets nothing go for its age: the server alone knows how long that is. */
export const ALL_KEPT: Kept = { audit: Infinity, events: Infinity };

export function keptBy({ auditDays, eventDays }: Pick<Config, 'auditDays' | 'eventDays'>): Kept {
  return { audit: auditDays * DAY_MS, events: eventDays * DAY_MS };
}
