/** The rows of Attention: troubles of all streams, what somebody has acknowledged, and what has healed in the last five minutes. */
import { computed, effect, signal } from '@preact/signals';
import { acknowledged, keepAcknowledged } from './faults/acknowledged.ts';
import { attentionAfter, isSame, stateOf, type AttentionRow } from './attention-rows.ts';
import { moment } from './clock.ts';
import { knowerOf } from './faults/known-faults.ts';
import { allStreamIds, feed, isStale, viewOf } from './streams.ts';

/** Faults first, then warnings, what was acknowledged, what has healed. */
export const attention = signal<readonly AttentionRow[]>([]);

/** Keeps in this browser that somebody knows of rows that no event tells of; each holds until its trouble changes. */
export function keepKnown(rows: readonly AttentionRow[]): void {
  keepAcknowledged(
    new Map([...acknowledged.peek(), ...rows.map(({ key, trouble }) => [key, stateOf(trouble)] as const)]),
  );
}

/** Those of the Live stream that last and that nobody has acknowledged. */
export function unknownRows(id: number): AttentionRow[] {
  return attention.value.filter((row) => row.id === id && isOpen(row));
}

const isOpen = ({ healedAt, isAcknowledged }: AttentionRow): boolean => healedAt === undefined && !isAcknowledged;

/** Keys of the faults that nobody has acknowledged. */
export const openFaults = computed(() =>
  attention.value.filter((row) => isOpen(row) && row.trouble.severity === 'fault').map(({ key }) => key),
);

effect(() => {
  // What is old says nothing of what has healed.
  if (isStale.value || !feed.value.complete) return;
  const present = allStreamIds().flatMap((id) => {
    const view = viewOf(id);
    if (view === undefined) return [];
    const { name } = view.status.value;
    const { troubles } = view.health.value;
    return troubles.map((trouble) => ({ key: `${id} ${trouble.reason} ${trouble.about}`, id, name, trouble }));
  });
  // Who is off the air has not healed.
  const before = attention.peek().filter(({ id }) => (viewOf(id)?.status.value.status ?? 0) > 0);
  const after = attentionAfter(before, present, {
    now: moment.value,
    acknowledged: acknowledged.value,
    knower: knowerOf,
  });
  if (after.length !== attention.peek().length || after.some((row, place) => !isSame(row, before[place])))
    attention.value = after;
});
