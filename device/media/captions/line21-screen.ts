/** The memory of a decoder of line 21: 15 rows of 32 characters (CEA-608-E §7.1). */
import { spansOf, type CaptionBlock, type CaptionSpan, type Cell } from './caption-block.ts';

export const ROWS = 15;
export const COLUMNS = 32;
/** Captions lie within the middle four fifths of the picture, safe on every screen. */
const SAFE_PERCENT = 10;
const ROW_PERCENT = (100 - 2 * SAFE_PERCENT) / ROWS;
const COLUMN_PERCENT = (100 - 2 * SAFE_PERCENT) / COLUMNS;

export class Line21Screen {
  private rows: (Cell | undefined)[][] = emptyRows();

  write(row: number, column: number, cell: Cell | undefined): void {
    this.rows[row]![column] = cell;
  }

  /** Deletes from the column to the end of the row. */
  cut(row: number, column: number): void {
    this.rows[row]!.length = Math.min(this.rows[row]!.length, column);
  }

  clear(): void {
    this.rows = emptyRows();
  }

  /** Moves the `depth` rows above and with `base` up by one; all others are empty then. */
  roll(base: number, depth: number): void {
    this.keep(base, base - 1, depth - 1);
  }

  /** Moves the `depth` rows that end at `from` so that they end at `to`. */
  move(from: number, to: number, depth: number): void {
    this.keep(from, to, depth);
  }

  blocks(): CaptionBlock[] {
    const blocks: CaptionBlock[] = [];
    let columns: number[] = [];
    let last = -2;
    this.rows.forEach((cells, row) => {
      const found = spansOf(cells);
      if (found === undefined) return;
      if (row === last + 1) blocks.at(-1)!.rows.push(found.spans);
      else {
        columns = [];
        blocks.push(blockAt(row, found.spans));
      }
      columns.push(found.column);
      blocks.at(-1)!.left = SAFE_PERCENT + Math.min(...columns) * COLUMN_PERCENT;
      last = row;
    });
    return blocks;
  }

  private keep(from: number, to: number, depth: number): void {
    const kept = emptyRows();
    for (let i = 0; i < depth; i += 1) if (from - i >= 0 && to - i >= 0) kept[to - i] = this.rows[from - i]!;
    this.rows = kept;
  }
}

function emptyRows(): (Cell | undefined)[][] {
  return Array.from({ length: ROWS }, () => []);
}

function blockAt(row: number, spans: CaptionSpan[]): CaptionBlock {
  return { top: SAFE_PERCENT + row * ROW_PERCENT, left: SAFE_PERCENT, rows: [spans] };
}
