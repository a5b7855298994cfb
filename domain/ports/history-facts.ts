/** Facts of a collection of history, whose rows are in files with an index. */

/** An indexed field of a history row is compared as a number, as an ISO instant, as one of few words, or by a hash of it. */
export type ColumnKind = 'number' | 'instant' | 'word' | 'hash';

export interface HistoryFacts {
  /** Kind of each indexed field. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Further fields to filter by. They are in no record, so that each row is read for them: a range of instants should go with them. */
  readonly filtered?: readonly string[];
  /** The instant field from which a row's age counts. */
  readonly instant: string;
  /** A row is kept this long after its instant, and then until its file is deleted. */
  readonly keptMs: number;
  /** Rows whose instants lie farther apart than this are in different files. */
  readonly spanMs: number;
  /** Number of newest rows that are kept; older files are deleted. */
  readonly maxRows: number;
}

const DAY_MS = 86_400_000;
/** About 400 MB on disk; a store that writes more than that in a year keeps the newest. */
const MAX_HISTORY = 1_000_000;

export const HISTORY_FACTS = {
  events: {
    columns: { livestreamId: 'number', kind: 'word', severity: 'word', at: 'instant' },
    instant: 'at',
    keptMs: 90 * DAY_MS,
    spanMs: 7 * DAY_MS,
    maxRows: MAX_HISTORY,
  },
  audit: {
    columns: {
      user: 'word',
      operation: 'word',
      at: 'instant',
      resource: 'word',
      resource_id: 'number',
      outcome: 'word',
      via: 'word',
    },
    filtered: ['request_id'],
    instant: 'at',
    keptMs: 365 * DAY_MS,
    spanMs: 30 * DAY_MS,
    maxRows: MAX_HISTORY,
  },
  // All entries are kept for 24 hours, whatever their number: a retry that is not recognised is carried out again.
  idempotency: {
    columns: { key: 'hash', expires_at: 'instant' },
    instant: 'expires_at',
    keptMs: 0,
    spanMs: DAY_MS / 12,
    maxRows: Infinity,
  },
  pastFirings: {
    columns: {
      scheduleId: 'number',
      livestreamId: 'number',
      occurrence_start: 'instant',
      occurrence_end: 'instant',
      at: 'instant',
    },
    instant: 'at',
    keptMs: 400 * DAY_MS,
    spanMs: 30 * DAY_MS,
    maxRows: MAX_HISTORY,
  },
  audienceMinutes: {
    columns: { livestreamId: 'number', at: 'instant' },
    instant: 'at',
    keptMs: 90 * DAY_MS,
    spanMs: 7 * DAY_MS,
    maxRows: MAX_HISTORY,
  },
} as const satisfies Record<string, HistoryFacts>;
