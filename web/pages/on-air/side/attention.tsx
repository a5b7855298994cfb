/** Shows what troubles each stream, since when, why, and the act that helps. Healed troubles stay for five minutes. */
import { useComputed, useSignal } from '@preact/signals';
import { causeText } from '../../../i18n/cause-text.ts';
import { words as common } from '../../../i18n/words.ts';
import { linesOf, type AttentionRow } from '../../../live/attention-rows.ts';
import { attention } from '../../../live/attention.ts';
import { heardAt, isComplete, isStale, viewOf } from '../../../live/streams.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { clockText } from '../../../zone.ts';
import { Countdown } from '../tile/destinations.tsx';
import { words } from '../words.ts';
import { Help } from './help.tsx';

const MARKS = { fault: '✕', warn: '▲', known: '▲', healed: '✓' };

/** A line a stream in a field that never grows: what fails moves no tile. */
export function Attention({ hasActs }: { hasActs: boolean }) {
  // Lines go while the connection is lost, and are open as before when they are back.
  const open = useSignal<ReadonlySet<number>>(new Set());
  const toggle = (id: number): void => {
    const next = new Set(open.value);
    if (!next.delete(id)) next.add(id);
    open.value = next;
  };
  const lines = linesOf(isStale.value ? [] : attention.value);
  return (
    <section class="panel attention" aria-label={common.value.attention}>
      <h2 class="hidden">{common.value.attention}</h2>
      {lines.length === 0 && <p class="soft">{calmText()}</p>}
      <ul>
        {lines.map((rows) => {
          const { id } = rows[0];
          const isOpen = open.value.has(id);
          return <Line key={id} rows={rows} hasActs={hasActs} isOpen={isOpen} onToggle={() => toggle(id)} />;
        })}
      </ul>
    </section>
  );
}

/** Nothing is said to be well before it is known, or while it is not. */
function calmText(): string {
  const { nothingKnown, noAttention, connection } = common.value;
  if (isStale.value) return nothingKnown(clockText(heardAt.value, shownZone.value));
  return isComplete.value ? noAttention : connection.connecting;
}

function lookOf({ trouble, isAcknowledged, healedAt }: AttentionRow): keyof typeof MARKS {
  if (healedAt !== undefined) return 'healed';
  if (isAcknowledged) return 'known';
  return trouble.severity === 'fault' ? 'fault' : 'warn';
}

interface LineProps {
  rows: [AttentionRow, ...AttentionRow[]];
  hasActs: boolean;
  isOpen: boolean;
  onToggle: () => void;
}

function Line({ rows: [row, ...others], hasActs, isOpen, onToggle }: LineProps) {
  const w = words.value.attention;
  const look = lookOf(row);
  const hasHelp = hasActs && row.healedAt === undefined;
  return (
    <li class="trouble" data-look={look} data-open={isOpen ? '' : undefined}>
      <strong class={look === 'fault' || look === 'warn' ? look : 'soft'} title={row.name}>
        <span aria-hidden="true">
          {row.trouble.severity === 'fault' && look === 'known' ? MARKS.fault : MARKS[look]}
        </span>{' '}
        {row.name}
      </strong>
      <Trouble row={row} others={others.length} />
      {hasHelp && <Help row={row} />}
      {hasActs && (
        <Button
          label={isOpen ? w.lessOf(row.name) : w.moreOf(row.name)}
          icon={isOpen ? 'chevron-up' : 'chevron-down'}
          kind="quiet"
          expanded={isOpen}
          onPress={onToggle}
        >
          <span class="hidden">{w.more}</span>
        </Button>
      )}
      {isOpen && others.map((other) => <Trouble key={other.key} row={other} others={0} />)}
    </li>
  );
}

/** Three columns of the line: what it is, since when and why. */
function Trouble({ row, others }: { row: AttentionRow; others: number }) {
  const { trouble, isAcknowledged, healedAt } = row;
  const w = words.value.attention;
  const { reasons, since } = common.value;
  const zone = shownZone.value;
  return (
    <>
      <span class="trouble-what">
        {trouble.about} {trouble.figures} {reasons[trouble.reason].what}
        {isAcknowledged && healedAt === undefined && <em> {w.acknowledged}</em>}
        {others > 0 && <span class="soft"> {w.others(others)}</span>}
      </span>
      <span class="trouble-since soft">
        {healedAt !== undefined
          ? w.healed(clockText(healedAt, zone))
          : trouble.since !== undefined && since(clockText(trouble.since, zone))}
      </span>
      <span class="trouble-cause">
        {trouble.cause !== undefined && causeText(trouble.cause)} <Attempt row={row} />{' '}
        {healedAt === undefined && <span class="soft">{reasons[trouble.reason].remedy}</span>}
      </span>
    </>
  );
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
