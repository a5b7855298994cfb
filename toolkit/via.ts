/** The header by which the CLI names itself. */
import type { Via } from '../domain/security.ts';

/** The CLI calls the apis of other clients and says so for the audit. The header gives no rights. */
export const VIA_HEADER = 'x-onair-via';

export function viaOf(headers: Headers, api: Via): Via {
  return headers.get(VIA_HEADER) === 'cli' ? 'cli' : api;
}
