/** The outcome of an occurrence that has begun: the server's reasons, and its Recordings. */
import { useList } from '../../../api/reads.ts';
import { eventText } from '../../../i18n/event-text.ts';
import { hrefOf } from '../../../route.ts';
import { ServerText } from '../../../ui/show/server-text.tsx';
import { Time } from '../../../ui/show/time.tsx';
import type { OccurrenceRow } from '../data/occurrences.ts';
import { words } from '../words.ts';
import { reasonsOf } from './outcome.ts';

/** A start is tried, and warned of, some time before. */
const BEFORE_MS = 900_000;
/** The end of an occurrence is told just after it. */
const AFTER_MS = 300_000;

export function Became({ occurrence }: { occurrence: OccurrenceRow }) {
  const { livestreamId, startMs, endMs, start } = occurrence;
  const w = words.value;
  const to = new Date(endMs + AFTER_MS).toISOString();
  const events = useList('getAllEvents', {
    params: { livestreamId, from: new Date(startMs - BEFORE_MS).toISOString(), to },
    sort: 'at',
    pageSize: 200,
  });
  const recordings = useList('getRecordings', {
    params: { livestreamId, from: start, to: occurrence.end },
    sort: 'started_at',
  });
  const reasons = reasonsOf(events.rows, occurrence);
  return (
    <>
      {reasons.length > 0 && (
        <ul class="occurrence-reasons" aria-label={w.reasons}>
          {reasons.map(({ id, at, kind, message }) => (
            <li key={id}>
              <Time at={at} /> <ServerText text={message} own={eventText(kind)} />
            </li>
          ))}
        </ul>
      )}
      {recordings.rows.length > 0 && (
        <p class="occurrence-recordings">
          <span class="soft">{w.recordings}</span>{' '}
          {recordings.rows.map(({ id, name }) => (
            <a key={id} href={hrefOf('recordings', id)}>
              {name}
            </a>
          ))}
        </p>
      )}
    </>
  );
}
