/** What an answer needs beside itself to be said aloud. */
import { isSpoken } from '../../profiles/profiles.ts';
import type { Reply } from '../../toolkit/dispatch.ts';
import type { Session } from '../calls/call.ts';
import type { Telling } from './spoken-text.ts';
import type { Hearing } from './speech.ts';

type Row = Record<string, unknown>;

/** undefined where the profile's answers are read. */
export async function hearingOf(
  session: Session,
  { body }: Reply,
  args: Record<string, unknown>,
  given: Iterable<string>,
): Promise<Hearing | undefined> {
  if (!isSpoken(session.profile)) return undefined;
  const { rows } = body as { rows?: unknown };
  const isNameless = Array.isArray(rows) && (rows as Row[]).some(({ name, livestreamId }) => !name && livestreamId);
  return { ...tellingOf(session, given), args, names: isNameless ? await namesOf(session) : new Map() };
}

/** `given`: names that the call has said. */
export function tellingOf({ dispatcher }: Session, given: Iterable<string> = []): Telling {
  return { zone: dispatcher.timezone, nowMs: dispatcher.clock.now(), given };
}

/** Asked as any other read is, so that the profile and the rate hold for it too. */
async function namesOf({ dispatcher, caller, via, profile, requestId }: Session): Promise<Hearing['names']> {
  const args = { fields: 'id,name', pageSize: 500 };
  const { body } = await dispatcher.dispatch({
    operation: 'getAllLivestreams',
    ...{ args, caller, via, profile, requestId },
  });
  return new Map((body as { rows: { id: number; name: string }[] }).rows.map(({ id, name }) => [id, name]));
}
