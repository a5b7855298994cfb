/** The rows of Attention, from one look to the next. */
import type { Trouble } from './health.ts';

const HEALED_MS = 300_000;

/** A person who has acknowledged a fault, and the words left with it. */
export interface Knower {
  by: string;
  note: string | undefined;
}

interface Look {
  now: number;
  /** The state that was acknowledged in this browser, by key. */
  acknowledged: ReadonlyMap<string, string>;
  /** Who knows of it by the log. */
  knower?: (id: number, trouble: Trouble) => Knower | undefined;
}

export interface AttentionRow {
  key: string;
  id: number;
  name: string;
  trouble: Trouble;
  isAcknowledged: boolean;
  /** Who knows of it, by the log; undefined where this browser alone has it as known. */
  knownBy: Knower | undefined;
  /** Milliseconds since 1970, server's clock; undefined while it lasts. */
  healedAt: number | undefined;
}

export const stateOf = ({ reason, cause, severity }: Trouble): string => `${severity} ${reason} ${cause ?? ''}`;

/** The rows after a look at all troubles. */
export function attentionAfter(
  before: readonly AttentionRow[],
  present: readonly Omit<AttentionRow, 'isAcknowledged' | 'knownBy' | 'healedAt'>[],
  { now, acknowledged: known, knower = () => undefined }: Look,
): AttentionRow[] {
  const rows: AttentionRow[] = present.map((row) => {
    const knownBy = knower(row.id, row.trouble);
    const isAcknowledged = knownBy !== undefined || known.get(row.key) === stateOf(row.trouble);
    return { ...row, isAcknowledged, knownBy, healedAt: undefined };
  });
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
  one.knownBy === other.knownBy &&
  one.healedAt === other.healedAt &&
  one.name === other.name;

/** A mark tells the look of a trouble beside the colour. */
export const MARKS = { fault: '✕', warn: '▲', known: '◇', healed: '✓' } as const;
export type TroubleLook = keyof typeof MARKS;

export function lookOf({ trouble, isAcknowledged, healedAt }: AttentionRow): TroubleLook {
  if (healedAt !== undefined) return 'healed';
  if (isAcknowledged) return 'known';
  return trouble.severity === 'fault' ? 'fault' : 'warn';
}
