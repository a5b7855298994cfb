/** People name things by id or by name; operations take ids. */
import { stripInvisible } from '../../toolkit/output/visible.ts';
import { takeNamed, type Named } from '../../toolkit/input/resolve.ts';
import { callServer, listAll } from '../client/call.ts';
import type { StatusAnswer } from './status.ts';

/**
 * The Live stream of a command that only looks. The server finds it, as it does for an assistant, and may take a close name; then a line on
 * stderr says so. Rejects with AppError not_found, and conflict where several fit.
 */
export async function livestreamNamed(livestream: string): Promise<StatusAnswer> {
  const answer = await callServer<StatusAnswer>('get_livestream_status', { livestream });
  const { taken_for, name } = answer;
  if (taken_for !== undefined)
    process.stderr.write(`onair: There is no Live stream ${quoted(taken_for)}; the nearest is ${quoted(name)}.\n`);
  return answer;
}

/** The Live stream of a command that changes it. Rejects as livestreamNamed does, and with not_found for a name that is only close. */
export async function livestreamTaken(livestream: string): Promise<StatusAnswer> {
  const answer = await callServer<StatusAnswer>('get_livestream_status', { livestream });
  takeNamed([{ id: answer.livestreamId, name: answer.name }], { wanted: livestream, noun: 'Live stream' });
  return answer;
}

/** Rejects as livestreamTaken does. */
export async function channelTaken(wanted: string): Promise<Named> {
  return takeNamed(await channels(), { wanted, noun: 'Channel' });
}

export function channels(): Promise<Named[]> {
  return listAll<Named>('getAllChannels', { fields: 'id,name' });
}

function quoted(name: string): string {
  return JSON.stringify(stripInvisible(name));
}
