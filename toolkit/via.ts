import type { Via } from '../domain/security.ts';

/** The CLI speaks through the doors of others and says so, for the audit. It gives no rights. */
export const VIA_HEADER = 'x-onair-via';

export function viaOf(headers: Headers, door: Via): Via {
  return headers.get(VIA_HEADER) === 'cli' ? 'cli' : door;
}
