/** The header by which the CLI names itself. */
import type { Via } from '../domain/shapes/installation/security.ts';

/** The CLI calls the same REST and MCP APIs as other clients, and names itself for the audit. The header gives no rights. */
export const VIA_HEADER = 'x-onair-via';

export function viaOf(headers: Headers, api: Via): Via {
  return headers.get(VIA_HEADER) === 'cli' ? 'cli' : api;
}
