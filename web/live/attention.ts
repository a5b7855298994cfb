/** What needs attention: troubles of all streams, what somebody has acknowledged, and what has healed in the last five minutes. */
import { effect, signal } from '@preact/signals';
import { moment } from './clock.ts';
import type { Trouble } from './health.ts';
import { allStreamIds, feed, isStale, viewOf } from './streams.ts';

const HEALED_MS = 300_000;

export interface AttentionRow {
  key: string;
  id: number;
  name: string;
  trouble: Trouble;
  isAcknowledged: boolean;
  /** Milliseconds since 1970, server's clock; undefined while it lasts. */
  healedAt: number | undefined;
}

/** Faults first, then warnings, what was acknowledged, what has healed. */
export const attention = signal<readonly AttentionRow[]>([]);

/** By key: the state that was acknowledged. */
const acknowledged = signal<ReadonlyMap<string, string>>(new Map());

const stateOf = ({ reason, cause, severity }: Trouble): string => `${severity} ${reason} ${cause ?? ''}`;

/** Says that somebody knows; each holds until its trouble changes. */
export function acknowledge(id: number): void {
  const rows = attention.peek().filter((row) => row.id === id && row.healedAt === undefined);
  acknowledged.value = new Map([
    ...acknowledged.peek(),
    ...rows.map(({ key, trouble }) => [key, stateOf(trouble)] as const),
  ]);
}

export function hasUnacknowledged(id: number): boolean {
  return attention.value.some((row) => row.id === id && row.healedAt === undefined && !row.isAcknowledged);
}

/** Pure: the rows after a look at all troubles. */
export function attentionAfter(
  before: readonly AttentionRow[],
  present: readonly Omit<AttentionRow, 'isAcknowledged' | 'healedAt'>[],
  { now, acknowledged: known }: { now: number; acknowledged: ReadonlyMap<string, string> },
): AttentionRow[] {
  const rows: AttentionRow[] = present.map((row) => ({
    ...row,
    isAcknowledged: known.get(row.key) === stateOf(row.trouble),
    healedAt: undefined,
  }));
  const keys = new Set(rows.map(({ key }) => key));
  const healed = before
    .filter(({ key }) => !keys.has(key))
    .map((row) => ({ ...row, healedAt: row.healedAt ?? now }))
    .filter(({ healedAt }) => now - healedAt < HEALED_MS);
  return [...rows, ...healed].sort((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ trouble, isAcknowledged, healedAt }: AttentionRow): number {
  if (healedAt !== undefined) return 3;
  if (isAcknowledged) return 2;
  return trouble.severity === 'fault' ? 0 : 1;
}

const isSame = (one: AttentionRow, other: AttentionRow | undefined): boolean =>
  one.key === other?.key &&
  one.trouble === other.trouble &&
  one.isAcknowledged === other.isAcknowledged &&
  one.healedAt === other.healedAt &&
  one.name === other.name;

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
