/** The rows of Rundown and Week. */
import { language } from '../../../i18n/words.ts';
import { actionText, type PlannedAct } from '../../../resource/planned-action/action-text.ts';
import { words as actionWords } from '../../../resource/planned-action/words.ts';
import { inLayers } from '../../../ui/timeline/layers.ts';
import type { TimeRow } from '../../../ui/timeline/timeline.tsx';
import { clockText, dateText } from '../../../zone.ts';
import { LOOKS } from '../data/looks.tsx';
import type { OccurrenceRow } from '../data/occurrences.ts';
import { words } from '../words.ts';

export interface ActionRow extends PlannedAct {
  /** One for each time of it. */
  key: string;
  id: number;
  livestreamId: number;
  execute_at: string;
}

interface Shown {
  occurrences: readonly OccurrenceRow[];
  actions: readonly ActionRow[];
  zone: string;
  /** undefined: the person may not change them. */
  onOpenAction: ((action: ActionRow) => void) | undefined;
  streamName: (id: number) => string;
}

export function dayText(instant: number, zone: string): string {
  return dateText(instant, zone, language.value).split(' ').slice(0, 3).join(' ');
}

/** A bar and its name need as much of a row: some 60 px. */
const MIN_SHARE = 0.07;

/** The key of the mark at a time of an action. */
export const markKey = ({ key }: ActionRow): string => `action ${key}`;

function rowOf(
  { occurrences, actions, zone, onOpenAction, streamName }: Shown,
  row: { id: number; label: string; fromMs: number; toMs: number; rowId: number; hasStream: boolean },
): TimeRow {
  const w = words.value;
  const { fromMs, toMs } = row;
  const isIn = ({ startMs, endMs }: OccurrenceRow): boolean => startMs < toMs && endMs > fromMs;
  const time = (at: number): string => clockText(at, zone).slice(0, 5);
  const { placed } = inLayers(occurrences.filter(isIn), (toMs - fromMs) * MIN_SHARE);
  const bars = placed.map(({ item, layer }, place) => {
    const { key, name, stream, state, startMs, endMs, livestreamId } = item;
    const next = placed.find((other, at) => at > place && other.layer === layer);
    return {
      key,
      layer,
      startMs,
      endMs,
      rowId: row.hasStream ? livestreamId : row.rowId,
      look: state,
      canMove: state === 'planned',
      name: w.button(stream, name, w.states[state], `${dayText(startMs, zone)} ${time(startMs)}`, time(endMs)),
      text: `${LOOKS[state].shape} ${row.hasStream ? name : `${stream} · ${name}`}`,
      textEndMs: Math.min(toMs, next?.item.startMs ?? toMs),
    };
  });
  const marks = actions
    .map((action) => ({ action, atMs: Date.parse(action.execute_at) }))
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .map(({ action, atMs }) => ({
      key: markKey(action),
      atMs,
      name: w.action(streamName(action.livestreamId), actionText(action, actionWords.value), time(atMs)),
      rowId: row.hasStream ? action.livestreamId : row.rowId,
      onOpen: onOpenAction && (() => onOpenAction(action)),
    }));
  const { id, label, rowId } = row;
  return { id, label, rowId, fromMs, toMs, bars, marks };
}

/** A row for each Live stream. */
export function rundownRows(
  shown: Shown,
  streams: readonly { id: number; name: string }[],
  days: readonly number[],
): TimeRow[] {
  const [fromMs, toMs] = [days[0]!, days.at(-1)!];
  return streams.map(({ id, name }) =>
    rowOf(
      {
        ...shown,
        occurrences: shown.occurrences.filter(({ livestreamId }) => livestreamId === id),
        actions: shown.actions.filter(({ livestreamId }) => livestreamId === id),
      },
      { id, label: name, fromMs, toMs, rowId: id, hasStream: true },
    ),
  );
}

/** A row for each day. */
export function weekRows(shown: Shown, days: readonly number[]): TimeRow[] {
  return days.slice(0, -1).map((fromMs, index) =>
    rowOf(shown, {
      id: fromMs,
      label: dayText(fromMs, shown.zone),
      fromMs,
      toMs: days[index + 1]!,
      rowId: fromMs,
      hasStream: false,
    }),
  );
}
