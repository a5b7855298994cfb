/** The Attention strip's rows: troubles of all streams, what somebody has acknowledged, and what has healed in the last five minutes. */
import { effect, signal } from '@preact/signals';
import { acknowledged, keepAcknowledged } from './acknowledged.ts';
import { attentionAfter, isSame, stateOf, type AttentionRow } from './attention-rows.ts';
import { moment } from './clock.ts';
import { allStreamIds, feed, isStale, viewOf } from './streams.ts';

/** Faults first, then warnings, what was acknowledged, what has healed. */
export const attention = signal<readonly AttentionRow[]>([]);

/** Says that somebody knows; each holds until its trouble changes. */
export function acknowledge(id: number): void {
  const rows = attention.peek().filter((row) => row.id === id && row.healedAt === undefined);
  keepAcknowledged(
    new Map([...acknowledged.peek(), ...rows.map(({ key, trouble }) => [key, stateOf(trouble)] as const)]),
  );
}

export function hasUnacknowledged(id: number): boolean {
  return attention.value.some((row) => row.id === id && row.healedAt === undefined && !row.isAcknowledged);
}

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
  const after = attentionAfter(before, present, { now: moment.value, acknowledged: acknowledged.value });
  if (after.length !== attention.peek().length || after.some((row, place) => !isSame(row, before[place])))
    attention.value = after;
});
