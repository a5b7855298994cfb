/** The rows of Attention, from one look to the next. */
import type { Trouble } from './health.ts';

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

export const stateOf = ({ reason, cause, severity }: Trouble): string => `${severity} ${reason} ${cause ?? ''}`;

/** The rows after a look at all troubles. */
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

/** The rows of each stream together, the worst of it first, in the order of those. */
export function linesOf(rows: readonly AttentionRow[]): [AttentionRow, ...AttentionRow[]][] {
  const lines = new Map<number, [AttentionRow, ...AttentionRow[]]>();
  for (const row of rows) {
    const line = lines.get(row.id);
    if (line === undefined) lines.set(row.id, [row]);
    else line.push(row);
  }
  return [...lines.values()];
}

export const isSame = (one: AttentionRow, other: AttentionRow | undefined): boolean =>
  one.key === other?.key &&
  one.trouble === other.trouble &&
  one.isAcknowledged === other.isAcknowledged &&
  one.healedAt === other.healedAt &&
  one.name === other.name;
