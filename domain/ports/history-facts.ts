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
