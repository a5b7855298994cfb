/** Shows each trouble, since when, why, and the act that helps. Healed troubles stay for five minutes. */
import { useComputed, useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { words as common } from '../../../i18n/words.ts';
import type { AttentionRow } from '../../../live/attention-rows.ts';
import { attention } from '../../../live/attention.ts';
import { heardAt, isComplete, isStale, viewOf } from '../../../live/streams.ts';
import { hrefOf } from '../../../route.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { clockText } from '../../../zone.ts';
import { acknowledgeStream, startAgain } from '../acts/broadcast.ts';
import { openDialog } from '../acts/focus.ts';
import { busyWords } from '../acts/orders.ts';
import { setPath } from '../acts/runtime.ts';
import { Countdown } from '../tile/destinations.tsx';
import { words } from '../words.ts';
import { helpsAgainst, type Help } from './helps.ts';

/** So many are read at a glance. */
const MAX_SHOWN = 6;

export function Attention({ hasActs }: { hasActs: boolean }) {
  const isWhole = useSignal(false);
  const rows = isStale.value ? [] : attention.value;
  const w = words.value.attention;
  const shown = isWhole.value ? rows : rows.slice(0, MAX_SHOWN);
  return (
    <section
      class="panel attention"
      aria-label={common.value.attention}
      data-empty={rows.length === 0 ? '' : undefined}
    >
      <h2>{common.value.attention}</h2>
      {rows.length === 0 && <p class="soft">{calmText()}</p>}
      <ul>
        {shown.map((row) => (
          <Row key={row.key} row={row} hasActs={hasActs} />
        ))}
      </ul>
      {rows.length > MAX_SHOWN && (
        <Button kind="quiet" onPress={() => (isWhole.value = !isWhole.value)}>
          {isWhole.value ? w.showFewer : `${w.count(rows.length - MAX_SHOWN)} · ${w.showAll}`}
        </Button>
      )}
    </section>
  );
}

/** Nothing is said to be well before it is known, or while it is not. */
function calmText(): string {
  const { nothingKnown, noAttention, connection } = common.value;
  if (isStale.value) return nothingKnown(clockText(heardAt.value, shownZone.value));
  return isComplete.value ? noAttention : connection.connecting;
}

function Row({ row, hasActs }: { row: AttentionRow; hasActs: boolean }) {
  const { trouble, name, isAcknowledged, healedAt } = row;
  const w = words.value.attention;
  const { reasons, since } = common.value;
  const isFault = trouble.severity === 'fault';
  const look = healedAt !== undefined ? 'healed' : isAcknowledged ? 'known' : isFault ? 'fault' : 'warn';
  const mark = healedAt !== undefined ? '✓' : isFault ? '✕' : '▲';
  const zone = shownZone.value;
  return (
    <li class="trouble" data-look={look}>
      <strong class={look === 'fault' || look === 'warn' ? look : 'soft'}>
        <span aria-hidden="true">{mark}</span> {name}
      </strong>
      <span class="trouble-what">
        {trouble.about} {trouble.figures} {reasons[trouble.reason].what}
        {isAcknowledged && healedAt === undefined && <em> {w.acknowledged}</em>}
      </span>
      <span class="trouble-since soft">
        {healedAt !== undefined
          ? w.healed(clockText(healedAt, zone))
          : trouble.since !== undefined && since(clockText(trouble.since, zone))}
      </span>
      <span class="trouble-cause">
        {trouble.cause} <Attempt row={row} />{' '}
        {healedAt === undefined && <span class="soft">{reasons[trouble.reason].remedy}</span>}
      </span>
      {hasActs && healedAt === undefined && <HelpButtons row={row} />}
    </li>
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

/** The acts that help against this trouble, the likeliest first. */
function HelpButtons({ row: { id, name, trouble, isAcknowledged } }: { row: AttentionRow }) {
  const w = words.value.attention;
  const { publishingId = 0 } = trouble;
  const publishing = viewOf(id)?.status.value.publishings.find((each) => each.publishingId === publishingId);
  const helps: Record<Help, { isAllowed: boolean; press: () => void; busy?: string | undefined }> = {
    newKey: {
      isAllowed: can('update_destination_stream_key'),
      press: () => openDialog({ kind: 'key', id, publishingId }),
    },
    destination: {
      isAllowed: can('updatePublishing'),
      press: () => (location.hash = hrefOf('destinations', publishingId)),
    },
    switchOff: {
      isAllowed: can('runtimeTogglePublishings'),
      press: () => setPath(id, publishingId, publishing?.primary.state === 'up' ? 'backup' : 'primary', false),
    },
    switchSource: {
      isAllowed: can('runtimeApplySourceSwitch'),
      press: () => openDialog({ kind: 'source', id }),
    },
    startAgain: {
      isAllowed: can('start_livestream'),
      press: () => startAgain(id),
      busy: busyWords(id, 'start', words.value.acts.unconfirmed),
    },
  };
  const acts: { text: string; press: () => void; busy?: string | undefined }[] = [
    ...helpsAgainst(trouble, publishing)
      .filter((help) => helps[help].isAllowed)
      .map((help) => ({ text: w[help], ...helps[help] })),
    { text: w.events, press: () => openDialog({ kind: 'solo', id, tab: 'events' }) },
    ...(isAcknowledged ? [] : [{ text: w.acknowledge, press: () => acknowledgeStream(id) }]),
  ];
  return (
    <span class="acts trouble-acts">
      {acts.map(({ text, press, busy }) => (
        <Button key={text} kind="quiet" label={w.actOn(text, name)} busy={busy} onPress={press}>
          {text}
        </Button>
      ))}
    </span>
  );
}
