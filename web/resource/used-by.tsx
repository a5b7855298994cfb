/** The Live streams that use a row, each with its state as the feed has it. */
import type { FiltersOf, RowOf } from '../api/operation-types.ts';
import { useList } from '../api/reads.ts';
import { formWords } from '../i18n/form-words.ts';
import { words } from '../i18n/words.ts';
import { healthOfStream } from '../live/streams.ts';
import { hrefOf } from '../route.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** More users than these are told as a number. */
const MAX_ROWS = 20;

export function UsedBy({ filter }: { filter: FiltersOf<'getAllLivestreams'> }) {
  const list = useList('getAllLivestreams', { params: filter, sort: 'name', pageSize: MAX_ROWS });
  return (
    <section>
      <h3>{formWords.value.users}</h3>
      <ProblemAlert problem={list.error} />
      {list.total !== undefined && <StreamLinks streams={list.rows} total={list.total} />}
    </section>
  );
}

interface LinksProps {
  streams: readonly Pick<RowOf<'getAllLivestreams'>, 'id' | 'name'>[];
  total?: number;
}

function StreamLinks({ streams, total = streams.length }: LinksProps) {
  if (total === 0) return <p class="soft">{formWords.value.usedByNone}</p>;
  return (
    <ul class="plain-list" aria-label={formWords.value.users}>
      {streams.map(({ id, name }) => (
        <li key={id}>
          <a href={hrefOf('live-streams', id)}>{name}</a> <StreamState id={id} />
        </li>
      ))}
      {total > streams.length && <li class="soft">{words.value.ui.countOf(streams.length, total)}</li>}
    </ul>
  );
}

export function StreamState({ id }: { id: number }) {
  const state = healthOfStream(id)?.state;
  if (state === undefined) return null;
  return (
    <span class="state" data-state={state}>
      {words.value.states[state]}
    </span>
  );
}
