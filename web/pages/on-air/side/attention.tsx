/** Counts what needs attention in a band of one line, with the worst of it; the list opens beside the wall. Neither grows: what fails moves no tile. */
import { can } from '../../../api/can.ts';
import { words as common } from '../../../i18n/words.ts';
import { lookOf, MARKS, type AttentionRow, type TroubleLook } from '../../../live/attention-rows.ts';
import { attention } from '../../../live/attention.ts';
import { heardAt, isComplete, isStale } from '../../../live/streams.ts';
import { attentionList } from '../../../prefs.ts';
import { hrefOf } from '../../../route.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { clockText } from '../../../zone.ts';
import { acknowledgeStream } from '../acts/later.ts';
import { words } from '../words.ts';
import { aboutText } from '../../../i18n/about-text.ts';

const COUNTED: readonly TroubleLook[] = ['fault', 'warn', 'known', 'healed'];

export function Attention({ hasActs }: { hasActs: boolean }) {
  const rows = isStale.value ? [] : attention.value;
  const [worst] = rows;
  const w = words.value.attention;
  const isOpen = attentionList.value === 'open';
  return (
    <section class="panel attention" aria-label={common.value.attention}>
      <h2 class="hidden">{common.value.attention}</h2>
      {worst === undefined ? <p class="soft">{calmText()}</p> : <Counts rows={rows} />}
      {worst !== undefined && <Worst row={worst} />}
      {hasActs && (
        <span class="acts">
          {worst !== undefined && isUnknown(worst) && (
            <Button kind="quiet" label={w.actOn(w.acknowledge, worst.name)} onPress={() => acknowledgeStream(worst.id)}>
              {w.acknowledge}
            </Button>
          )}
          {can('getAllEvents') && (
            <a class="attention-events" href={hrefOf('events')}>
              {w.allEvents}
            </a>
          )}
          <Button
            kind="quiet"
            icon={isOpen ? 'chevron-up' : 'chevron-down'}
            expanded={isOpen}
            onPress={() => (attentionList.value = isOpen ? 'closed' : 'open')}
          >
            {isOpen ? w.close : w.open}
          </Button>
        </span>
      )}
    </section>
  );
}

const isUnknown = ({ healedAt, isAcknowledged }: AttentionRow): boolean => healedAt === undefined && !isAcknowledged;

/** Nothing is said to be well before it is known, or while it is not. */
function calmText(): string {
  const { nothingKnown, noAttention, connection } = common.value;
  if (isStale.value) return nothingKnown(clockText(heardAt.value, shownZone.value));
  return isComplete.value ? noAttention : connection.connecting;
}

function Counts({ rows }: { rows: readonly AttentionRow[] }) {
  const w = words.value.attention;
  const texts = { fault: w.faults, warn: w.warnings, known: w.known, healed: w.over };
  return (
    <p class="attention-counts">
      {COUNTED.map((look) => {
        const count = rows.filter((row) => lookOf(row) === look).length;
        if (count === 0) return null;
        return (
          <span key={look} class={look === 'fault' || look === 'warn' ? look : 'soft'}>
            <span aria-hidden="true">{MARKS[look]}</span> {texts[look](count)}
          </span>
        );
      })}
    </p>
  );
}

function Worst({ row: { name, trouble, healedAt } }: { row: AttentionRow }) {
  const { reasons, since } = common.value;
  const zone = shownZone.value;
  const { healed } = words.value.attention;
  return (
    <p class="attention-worst">
      <strong>{name}</strong> {aboutText(trouble)} {trouble.figures} {reasons[trouble.reason].what}{' '}
      <span class="soft">
        {healedAt !== undefined
          ? healed(clockText(healedAt, zone))
          : trouble.since !== undefined && since(clockText(trouble.since, zone))}
      </span>
    </p>
  );
}
