/** Events of the stream, newest first: the log, and those that come while one looks. */
import { can } from '../../../api/can.ts';
import { useList } from '../../../api/reads.ts';
import { pictureAddress, reportAddress } from '../../../api/call.ts';
import { eventText } from '../../../i18n/event-text.ts';
import { moment } from '../../../live/clock.ts';
import type { StreamEvent } from '../../../live/feed.ts';
import { recentEvents } from '../../../live/streams.ts';
import { shownZone } from '../../../shown-zone.ts';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { ServerText } from '../../../ui/show/server-text.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { words } from '../words.ts';

const LOOKS = { info: 'soft', warning: 'warn', error: 'fault' };
const MARKS = { info: '·', warning: '▲', error: '✕' };
const MAX_SHOWN = 200;
/** A Device keeps a picture two seconds after an event. */
const AFTER_MS = 3000;

export function EventsTab({ id }: { id: number }) {
  const { rows, error } = useList('getLivestreamEvents', {
    params: { livestreamId: id },
    sort: '-id',
    pageSize: 100,
  });
  const live = recentEvents.value.filter((event) => event.livestreamId === id);
  const all = new Map<number, StreamEvent>([...rows, ...live].map((event) => [event.id, event]));
  const shown = [...all.values()].sort((one, other) => other.id - one.id).slice(0, MAX_SHOWN);
  const w = words.value;
  return (
    <>
      <ProblemAlert problem={error} />
      {can('getRunReport') && (
        <p>
          <a href={reportAddress({ livestreamId: id, timezone: shownZone.value })} target="_blank" rel="noreferrer">
            {w.solo.report}
          </a>
        </p>
      )}
      {shown.length === 0 && <p class="soft">{w.solo.noEvents}</p>}
      <ol class="events" aria-label={w.solo.tabs.events}>
        {shown.map(({ id: key, at, severity, message, kind, data }) => (
          <li key={key}>
            <Time at={at} show="near" now={moment.peek()} />
            <span class={LOOKS[severity]}>
              <span aria-hidden="true">{MARKS[severity]}</span> <ServerText text={message} own={eventText(kind)} />
              <Author data={data} />
              {severity !== 'info' && can('getLivestreamPreview') && <SeenThen id={id} at={at} of={message} />}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function SeenThen({ id, at, of }: { id: number; at: string; of: string }) {
  const { picture } = words.value.solo;
  const address = pictureAddress(id, new Date(Date.parse(at) + AFTER_MS).toISOString());
  return (
    <>
      {' '}
      <a href={address} target="_blank" rel="noreferrer" aria-label={`${picture}: ${of}`}>
        {picture}
      </a>
    </>
  );
}

/** Who did it, where the event says so. */
function Author({ data }: { data: object }) {
  const { by } = data as { by?: { user?: string; via?: string } };
  if (by?.user === undefined) return null;
  return <span class="soft"> {words.value.tile.by(by.user, by.via ?? '')}</span>;
}
