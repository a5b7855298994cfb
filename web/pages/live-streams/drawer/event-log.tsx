/** The event log of one Live stream, newest first. The feed brings what is new; the browser draws only the rows that are in sight. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { resourceChanged } from '../../../api/query.ts';
import { useList } from '../../../api/reads.ts';
import { eventText } from '../../../i18n/event-text.ts';
import { words as shared } from '../../../i18n/words.ts';
import { recentEvents } from '../../../live/streams.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { SearchBox } from '../../../ui/search-box.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { ServerText } from '../../../ui/show/server-text.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { words } from '../words.ts';

const SEVERITIES = ['all', 'info', 'warning', 'error'] as const;
type Severity = (typeof SEVERITIES)[number];

const CLASSES = { info: 'soft', warning: 'warn', error: 'fault' };
const MARKS = { info: '●', warning: '▲', error: '✕' };

export function EventLog({ id }: { id: number }) {
  const severity = useSignal<Severity>('all');
  const search = useSignal('');
  const w = words.value;
  const newest = recentEvents.value.findLast(({ livestreamId }) => livestreamId === id)?.id;
  const list = useList('getLivestreamEvents', {
    params: { livestreamId: id, ...(severity.value !== 'all' && { severity: severity.value }) },
    search: search.value,
    sort: '-id',
  });
  useEffect(() => {
    if (newest !== undefined) resourceChanged('livestreams');
  }, [newest]);
  return (
    <>
      <div class="bar">
        <SearchBox label={w.searchEvents} value={search.value} onValue={(text) => (search.value = text)} />
        <RadioGroup
          label={w.severity}
          value={severity.value}
          onValue={(value) => (severity.value = value)}
          options={SEVERITIES.map((value) => ({ value, label: w.severities[value] }))}
        />
      </div>
      <ProblemAlert problem={list.error} />
      {list.isLoading && list.total === undefined && <Outline rows={6} />}
      {list.total === 0 && <p class="soft">{w.noEvents}</p>}
      <ol class="event-log" aria-label={w.tabs.events}>
        {list.rows.map(({ id: eventId, at, kind, severity: level, message }) => (
          <li key={eventId}>
            <span class={CLASSES[level]} title={w.severities[level]}>
              <span aria-hidden="true">{MARKS[level]}</span>
              {level !== 'info' && <span class="hidden">{w.severities[level]}</span>}
            </span>
            <Time at={at} show="near" />
            <span>
              <ServerText text={message} own={eventText(kind)} />
            </span>
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <p class="table-more">
          <Button busy={list.isLoading && shared.value.ui.busy} onPress={list.more}>
            {shared.value.ui.more}
          </Button>
        </p>
      )}
    </>
  );
}
