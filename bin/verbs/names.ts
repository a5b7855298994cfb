/** People name things by id or by name; operations take ids. */
import { matchName, type Named } from '../../toolkit/input/resolve.ts';
import { callServer, listAll } from '../client/call.ts';
import type { StatusAnswer } from './status.ts';

/** The server finds the Live stream, as it does for an assistant. Rejects with AppError not_found, and conflict where several fit. */
export function livestreamNamed(livestream: string): Promise<StatusAnswer> {
  return callServer<StatusAnswer>('get_livestream_status', { livestream });
}

/** Rejects as livestreamNamed does. */
export async function channelNamed(name: string): Promise<Named> {
  return matchName(name, await listAll<Named>('getAllChannels', { fields: 'id,name' }), 'Channel');
}
