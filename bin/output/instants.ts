/** Instants as people read them, by the clock of a zone. */
import { inZone } from '../../domain/time/instant.ts';

/** `2030-12-01 10:00:00+01:00`, by the clock of this terminal. */
export function instantText(instant: string): string {
  return textIn(instant, Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** `2030-12-01 10:00`, for a row that names the zone beside it. */
export function wallText(instant: string, zone: string): string {
  return textIn(instant, zone).replace(/(?::00)?(?:Z|[+-]\d\d:\d\d)$/u, '');
}

function textIn(instant: string, zone: string): string {
  return inZone(instant.replace(/\.\d+Z$/u, 'Z'), zone).replace('T', ' ');
}
