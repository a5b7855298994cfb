/** Lists what troubles each stream, since when, why, and the acts that help. Healed troubles stay for five minutes. */
import { useComputed } from '@preact/signals';
import { words as common } from '../../../i18n/words.ts';
import { linesOf, lookOf, MARKS, type AttentionRow } from '../../../live/attention-rows.ts';
import { attention } from '../../../live/attention.ts';
import { isStale, viewOf } from '../../../live/streams.ts';
import { shownZone } from '../../../shown-zone.ts';
import { clockText } from '../../../zone.ts';
import { Countdown } from '../tile/destinations.tsx';
import { words } from '../words.ts';
import { Help } from './help.tsx';
import { Cause } from '../../../ui/show/cause.tsx';
import { aboutText } from '../../../i18n/about-text.ts';

/** A field with a scroll of its own: a row a stream, with all its troubles. */
export function TroubleList() {
  const lines = linesOf(isStale.value ? [] : attention.value);
  const w = words.value.attention;
  return (
    <section class="panel troubles" aria-label={w.list} tabIndex={0}>
      <h2>{w.list}</h2>
      {lines.length === 0 && <p class="soft">{isStale.value ? '–' : common.value.noAttention}</p>}
      <ul>
        {lines.map((rows) => (
          <Line key={rows[0].id} rows={rows} />
        ))}
      </ul>
    </section>
  );
}

function Line({ rows }: { rows: [AttentionRow, ...AttentionRow[]] }) {
  const [row] = rows;
  const look = lookOf(row);
  return (
    <li class="trouble" data-look={look}>
      <strong class={look === 'fault' || look === 'warn' ? look : 'soft'}>
        <span aria-hidden="true">{MARKS[look]}</span> {row.name}
      </strong>
      {rows.map((each) => (
        <Trouble key={each.key} row={each} />
      ))}
      {row.healedAt === undefined && <Help row={row} />}
    </li>
  );
}

/** Two columns of the row: what it is with why below it, and since when. */
function Trouble({ row }: { row: AttentionRow }) {
  const { trouble, healedAt } = row;
  const { reasons, since } = common.value;
  const zone = shownZone.value;
  return (
    <>
      <span class="trouble-what">
        {aboutText(trouble)} {trouble.figures} {reasons[trouble.reason].what}
        <Known row={row} />
      </span>
      <span class="trouble-since soft">
        {healedAt !== undefined
          ? words.value.attention.healed(clockText(healedAt, zone))
          : trouble.since !== undefined && since(clockText(trouble.since, zone))}
      </span>
      <span class="trouble-cause">
        {trouble.cause !== undefined && <Cause text={trouble.cause} />} <Attempt row={row} />{' '}
        {healedAt === undefined && <span class="soft">{reasons[trouble.reason].remedy}</span>}
      </span>
    </>
  );
}

function Known({ row: { isAcknowledged, knownBy, healedAt } }: { row: AttentionRow }) {
  const w = words.value.attention;
  if (!isAcknowledged || healedAt !== undefined) return null;
  return <em> {knownBy === undefined ? w.acknowledged : w.knownBy(knownBy.by, knownBy.note)}</em>;
}

/** Which attempt a path is at, and when the next one is. */
function Attempt({ row: { id, trouble } }: { row: AttentionRow }) {
  const path = useComputed(() => {
    const own = viewOf(id)?.status.value.publishings.find((each) => each.publishingId === trouble.publishingId);
    const paths = [own?.primary, own?.backup ?? undefined];
    return paths.find((each) => each?.state === 'retrying');
  }).value;
  if (path === undefined) return null;
  return (
    <span>
      {words.value.tile.attempt(path.attempts)}
      {path.next_retry_at !== null && <Countdown at={path.next_retry_at} />}
    </span>
  );
}
