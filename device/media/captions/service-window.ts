/** A window of a CEA-708 service: its text, its pen and its place (CEA-708-E §8.4, §8.10.5). */
import {
  UNSTYLED,
  spansOf,
  type CaptionBlock,
  type CaptionColour,
  type CaptionStyle,
  type Cell,
} from './caption-block.ts';

/** The safe area, and what a row takes of it. */
const SAFE_PERCENT = 10;
const ROW_PERCENT = 80 / 15;
const COLUMN_PERCENT = 80 / 42;
/** Anchors count 75 rows, and 210 columns of a picture of 16:9. */
const ANCHOR_ROWS = 75;
const ANCHOR_COLUMNS = 210;

/** Index: a bit each of red, green and blue; white is what text has anyway. */
const COLOURS: (CaptionColour | undefined)[] = [
  'black',
  'blue',
  'green',
  'cyan',
  'red',
  'magenta',
  'yellow',
  undefined,
];

export class ServiceWindow {
  isVisible = false;
  private rows: (Cell | undefined)[][] = [];
  private rowCount = 1;
  private columnCount = 1;
  private row = 0;
  private column = 0;
  private style: CaptionStyle = UNSTYLED;
  private anchor = { point: 0, top: 0, left: 0 };

  /** `bytes`: the six of DefineWindow. The text of a window that is defined again stays. */
  define(bytes: Buffer): void {
    const [flags, vertical, horizontal, shape, columns] = [...bytes] as [number, number, number, number, number];
    this.isVisible = (flags & 0x20) !== 0;
    const isRelative = (vertical & 0x80) !== 0;
    const percent = (value: number, whole: number): number => Math.min(100, (value / (isRelative ? 100 : whole)) * 100);
    this.anchor = {
      point: Math.min(8, shape >> 4),
      top: percent(vertical & 0x7f, ANCHOR_ROWS),
      left: percent(horizontal, ANCHOR_COLUMNS),
    };
    this.rowCount = (shape & 0x0f) + 1;
    this.columnCount = (columns & 0x3f) + 1;
    this.rows.length = Math.min(this.rows.length, this.rowCount);
    this.penTo(this.row, this.column);
  }

  clear(): void {
    this.rows = [];
    this.penTo(0, 0);
  }

  put(character: string): void {
    (this.rows[this.row] ??= [])[this.column] = { character, ...this.style };
    this.column = Math.min(this.columnCount - 1, this.column + 1);
  }

  back(): void {
    if (this.column === 0) return;
    this.column -= 1;
    (this.rows[this.row] ??= [])[this.column] = undefined;
  }

  /** The text goes up when there is no row below. */
  carriageReturn(): void {
    this.column = 0;
    if (this.row + 1 < this.rowCount) {
      this.row += 1;
      return;
    }
    this.rows = Array.from({ length: this.rowCount }, (_, i) => this.rows[i] ?? []);
    this.rows.shift();
  }

  clearRow(): void {
    this.rows[this.row] = [];
    this.column = 0;
  }

  penTo(row: number, column: number): void {
    this.row = Math.min(this.rowCount - 1, row);
    this.column = Math.min(this.columnCount - 1, column);
  }

  penStyle(attributes: number): void {
    this.style = { ...this.style, italic: (attributes & 0x80) !== 0, underline: (attributes & 0x40) !== 0 };
  }

  /** `colour`: two bits each of red, green and blue. */
  penColour(colour: number): void {
    const bit = (shift: number): number => ((colour >> shift) & 3) >> 1;
    this.style = { ...this.style, colour: COLOURS[bit(4) * 4 + bit(2) * 2 + bit(0)] };
  }

  get block(): CaptionBlock | undefined {
    const texts = Array.from({ length: this.rowCount }, (_, i) => spansOf(this.rows[i] ?? []));
    const rows = texts.flatMap((text) => (text === undefined ? [] : [text.spans]));
    if (rows.length === 0) return undefined;
    const { point, top, left } = this.anchor;
    const indent = Math.min(...texts.flatMap((text) => text?.column ?? [])) * COLUMN_PERCENT;
    const place = (start: number, offset: number): number =>
      Math.min(100 - SAFE_PERCENT, Math.max(SAFE_PERCENT, SAFE_PERCENT + start * 0.8 - offset));
    return {
      top: place(top, (this.rowCount * ROW_PERCENT * Math.floor(point / 3)) / 2),
      left: place(left, (this.columnCount * COLUMN_PERCENT * (point % 3)) / 2 - indent),
      rows,
    };
  }
}
