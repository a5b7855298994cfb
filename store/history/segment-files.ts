/** The three files of a segment: their paths, and how many bytes of each count. */
import { join } from 'node:path';
import type { HistoryName } from '../../domain/ports/collections.ts';
import { widthOf } from '../tables/columns.ts';

export const NUMBER_BYTES = 8;
export const SEGMENT_FILES = ['rows', 'records', 'words'] as const;
export type SegmentFile = (typeof SEGMENT_FILES)[number];

export function segmentPath(dir: string, name: HistoryName, number: number, file: SegmentFile): string {
  return join(dir, `${name}-${String(number).padStart(8, '0')}.${file}`);
}

interface Counted {
  readonly rows: number;
  readonly rowBytes: number;
  readonly wordBytes: number;
}

export function segmentBytes(name: HistoryName, { rows, rowBytes, wordBytes }: Counted): Record<SegmentFile, number> {
  return { rows: rowBytes, records: rows * widthOf(name) * NUMBER_BYTES, words: wordBytes };
}
