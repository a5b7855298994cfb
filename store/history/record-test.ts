/** A query as a test on the records of one segment; codes of words are valid in their segment alone. */
import { COLLECTIONS, historyFacts, type HistoryName } from '../../domain/ports/collections.ts';
import { foldedText } from '../../domain/base/folded-text.ts';
import type { Condition } from '../../domain/ports/store.ts';
import { columnsOf, ID, recordTest, wordTest, type Column } from '../tables/columns.ts';
import type { SegmentView } from './segment.ts';

export interface Wanted {
  readonly name: HistoryName;
  readonly where: readonly (readonly [field: string, condition: Condition])[];
  /** The folded text to search for. */
  readonly searchText: string | undefined;
}

/** The columns that `search` looks into; undefined when not all of them are in records. */
export function wordColumns(name: HistoryName): Column[] | undefined {
  const { searched } = COLLECTIONS[name];
  const columns = columnsOf(name).filter(
    ({ field, kind }) => kind === 'word' && (searched as readonly string[]).includes(field),
  );
  return columns.length === searched.length ? columns : undefined;
}

type RecordTest = (records: Float64Array, start: number) => boolean;

/** `none` means that no row of the segment can match. */
export function testOfRecords(
  { name, where, searchText }: Wanted,
  view: SegmentView,
  words: readonly string[],
): RecordTest | 'none' {
  const tests: RecordTest[] = [];
  for (const [field, condition] of where) {
    if (historyFacts(name).filtered?.includes(field) === true) continue;
    const column = columnsOf(name).find((each) => each.field === field);
    const test = recordTest(column?.kind ?? 'number', condition, words);
    if (test === 'none' || (field === historyFacts(name).instant && isApart(condition, view))) return 'none';
    const at = column?.at ?? ID;
    tests.push((records, start) => test(records[start + at]!));
  }
  const columns = searchText === undefined ? undefined : wordColumns(name);
  if (searchText !== undefined && columns !== undefined) {
    const found = columns.flatMap(({ at }) => {
      const test = wordTest((word) => word !== null && foldedText(word).includes(searchText), words);
      return test === 'none' ? [] : [(records: Float64Array, start: number) => test(records[start + at]!)];
    });
    if (found.length === 0) return 'none';
    tests.push((records, start) => found.some((test) => test(records, start)));
  }
  return (records, start) => tests.every((test) => test(records, start));
}

/** Whether the range lies before or behind all instants of the segment. The facts may cover more rows than the view, never fewer. */
function isApart(condition: Condition, { segment }: SegmentView): boolean {
  const { earliest, latest } = segment.facts;
  if (earliest === null || latest === null || typeof condition !== 'object' || condition === null) return false;
  const { gte, lt } = condition as { gte?: string | number; lt?: string | number };
  return (
    (typeof gte === 'string' && Date.parse(gte) > latest) || (typeof lt === 'string' && Date.parse(lt) <= earliest)
  );
}
