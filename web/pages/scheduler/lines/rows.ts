/** The rows of Rundown and Week. */
import { language } from '../../../i18n/words.ts';
import { actionText, type PlannedAct } from '../../../resource/planned-action/action-text.ts';
import { words as actionWords } from '../../../resource/planned-action/words.ts';
import { inLayers, roomIn } from '../../../ui/timeline/layers.ts';
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
  /** The part of the row that a bar has for its name at least. */
  nameShare: (text: string) => number;
}

export function dayText(instant: number, zone: string): string {
  return dateText(instant, zone, language.value).split(' ').slice(0, 3).join(' ');
}

/** A letter of a name, and what stands before it and after it; somewhat more than most of them need. */
const LETTER_PX = 7.5;
const AROUND_PX = 48;
/** A name takes no more of its row than this. */
const MAX_SHARE = 0.6;

/** The whole name has room. */
export function wholeName(trackPx: number): (text: string) => number {
  return (text) => Math.min(MAX_SHARE, (text.length * LETTER_PX + AROUND_PX) / Math.max(1, trackPx));
}

/** The key of the mark at a time of an action. */
export const markKey = ({ key }: ActionRow): string => `action ${key}`;

function rowOf(
  { occurrences, actions, zone, onOpenAction, streamName, nameShare }: Shown,
  row: { id: number; label: string; fromMs: number; toMs: number; rowId: number; hasStream: boolean },
): TimeRow {
  const w = words.value;
  const { fromMs, toMs } = row;
  const isIn = ({ startMs, endMs }: OccurrenceRow): boolean => startMs < toMs && endMs > fromMs;
  const time = (at: number): string => clockText(at, zone).slice(0, 5);
  const textOf = ({ name, stream }: OccurrenceRow): string => (row.hasStream ? name : `${stream} · ${name}`);
  const { placed } = inLayers(occurrences.filter(isIn), (item) =>
    roomIn({ startMs: fromMs, endMs: toMs }, item, (toMs - fromMs) * nameShare(textOf(item))),
  );
  const bars = placed.map(({ item, layer, room }, place) => {
    const { key, name, stream, state, startMs, endMs, livestreamId } = item;
    const next = placed.find((other, at) => at > place && other.layer === layer);
    const planned = actions.filter(({ execute_at, ...action }) => {
      const at = Date.parse(execute_at);
      return action.livestreamId === livestreamId && at >= startMs && at <= endMs;
    });
    const spoken = w.button(stream, name, w.states[state], `${dayText(startMs, zone)} ${time(startMs)}`, time(endMs));
    return {
      key,
      layer,
      startMs,
      endMs,
      rowId: row.hasStream ? livestreamId : row.rowId,
      look: state,
      canMove: state === 'planned',
      name: planned.length === 0 ? spoken : `${spoken}, ${w.withActions(planned.length)}`,
      shape: LOOKS[state].shape,
      text: planned.length === 0 ? textOf(item) : `${textOf(item)} ◆${planned.length}`,
      when: `${time(startMs)}–${time(endMs)}`,
      room: { startMs: room.startMs, endMs: Math.min(toMs, next?.room.startMs ?? toMs) },
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
