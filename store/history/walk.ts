/**
 * Yields all rows of a collection of history, at one moment, in the order of their ids and some at a time, because there may be more than
 * memory holds.
 */
import type { HistoryName } from '../../domain/ports/collections.ts';
import type { AnyRow } from '../tables/table.ts';
import { ID, LENGTH, OFFSET, widthOf } from '../tables/columns.ts';
import type { Captured } from './find.ts';
import type { SegmentView } from './segment.ts';

/** Rows that are yielded at once, some hundred kilobytes. */
const TOGETHER = 1000;

export async function* walkHistory(
  name: HistoryName,
  { recent, views }: Captured,
  warn: (message: string) => void,
): AsyncGenerator<readonly AnyRow[]> {
  for (const view of views) if (view.segment.isReadable) yield* rowsOf(name, view, warn);
  for (let at = 0; at < recent.length; at += TOGETHER) yield recent.slice(at, at + TOGETHER);
}

async function* rowsOf(
  name: HistoryName,
  view: SegmentView,
  warn: (message: string) => void,
): AsyncGenerator<readonly AnyRow[]> {
  const { segment } = view;
  const width = widthOf(name);
  let damaged = 0;
  for await (const block of segment.records(view, 0, view.rows, false)) {
    for (let from = 0; from < block.length; from += TOGETHER * width) {
      const ids: number[] = [];
      const places = [];
      for (let at = from; at < Math.min(block.length, from + TOGETHER * width); at += width) {
        ids.push(block[at + ID]!);
        places.push({ offset: block[at + OFFSET]!, length: block[at + LENGTH]! });
      }
      const rows = (await segment.rowsAt(places)).filter((row, at) => row !== undefined && row.id === ids[at]);
      damaged += ids.length - rows.length;
      yield rows as AnyRow[];
    }
  }
  if (damaged > 0) warn(`${damaged} rows in ${segment.paths[0]} are damaged and left out.`);
}
