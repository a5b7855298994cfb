/** On air: the wall, what needs attention, and what comes next. */
import { useEffect } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { words } from '../../i18n/words.ts';
import { moment } from '../../live/clock.ts';
import { shownZone } from '../../shown-zone.ts';
import { feed, healthOfStream, streamIds, streamSignal } from '../../live/streams.ts';
import { clockText, durationText } from '../../zone.ts';
import { hrefOf } from '../../route.ts';
import { Tile } from './tile.tsx';

const WINDOW_MS = 6 * 3_600_000;

export function OnAir() {
  const ids = streamIds.value;
  const isComplete = feed.value.complete;
  useEffect(() => {
    if (isComplete) performance.mark('useful');
  }, [isComplete]);
  const w = words.value;
  return (
    <>
      <h1>{w.pages['on-air']}</h1>
      <div class="board">
        <div>
          <Attention />
          {isComplete && ids.length === 0 && (
            <p>
              {w.nothingOnAir} <a href={hrefOf('live-streams')}>{w.startOne}</a>
            </p>
          )}
          <div class="wall">
            {ids.map((id) => (
              <Tile key={id} id={id} />
            ))}
          </div>
        </div>
        <Next />
      </div>
    </>
  );
}

function Attention() {
  const w = words.value;
  const rows = streamIds.value.flatMap((id) =>
    (healthOfStream(id)?.troubles ?? []).map((trouble) => ({ id, trouble, name: streamSignal(id)?.value.status.name })),
  );
  return (
    <section class="panel" aria-label={w.attention}>
      <h2>{w.attention}</h2>
      {rows.length === 0 && <p class="soft">{w.noAttention}</p>}
      <ul>
        {rows.map(({ id, name, trouble }) => (
          <li key={`${id} ${trouble.reason} ${trouble.about}`}>
            <strong class={trouble.severity === 'fault' ? 'fault' : 'warn'}>
              {trouble.severity === 'fault' ? '✕' : '▲'} {name}
            </strong>{' '}
            {trouble.about} {w.reasons[trouble.reason].what}{' '}
            {trouble.since !== undefined && w.since(clockText(trouble.since, shownZone.value))} {trouble.cause}{' '}
            <span class="soft">{w.reasons[trouble.reason].remedy}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Next() {
  const w = words.value;
  const { data = [] } = useQuery(
    ['schedules', 'next'],
    async () => {
      const to = new Date(moment.peek() + WINDOW_MS).toISOString();
      const answer = await client.GET('/schedules/occurrences', { params: { query: { to, pageSize: 20 } } });
      return answer.data?.rows ?? [];
    },
    60_000,
  );
  const coming = data.filter(({ start }) => start !== undefined && Date.parse(start) > moment.value);
  return (
    <aside class="panel" aria-label={w.next}>
      <h2>{w.next}</h2>
      {coming.length === 0 && <p class="soft">{w.noNext}</p>}
      <ul>
        {coming.map(({ scheduleId, start = '', livestreamId = 0 }) => (
          <li key={`${scheduleId} ${start}`}>
            {clockText(Date.parse(start), shownZone.value)} {feed.value.streams.get(livestreamId)?.status.name}{' '}
            {w.starts} {w.inTime(durationText((Date.parse(start) - moment.value) / 1000))}
          </li>
        ))}
      </ul>
    </aside>
  );
}
