/** One caption channel of line 21: what is shown, what is being loaded, and the cursor (CEA-608-E §7, annex B). */
import { UNSTYLED, type CaptionBlock, type CaptionColour, type CaptionStyle } from './caption-block.ts';
import { COLUMNS, Line21Screen, ROWS } from './line21-screen.ts';

const COLOURS: (CaptionColour | undefined)[] = [undefined, 'green', 'blue', 'cyan', 'red', 'yellow', 'magenta'];

type Mode = 'pop-on' | 'roll-up' | 'paint-on';

export class Line21Channel {
  private visible = new Line21Screen();
  private hidden = new Line21Screen();
  private mode: Mode = 'pop-on';
  private depth = 2;
  private row = ROWS - 1;
  private column = 0;
  private style: CaptionStyle = UNSTYLED;

  get shown(): CaptionBlock[] {
    return this.visible.blocks();
  }

  get isRollUp(): boolean {
    return this.mode === 'roll-up';
  }

  /** Viewers see what is written. */
  get isShowing(): boolean {
    return this.mode !== 'pop-on';
  }

  reset(): void {
    this.visible.clear();
    this.hidden.clear();
    this.mode = 'pop-on';
    Object.assign(this, { row: ROWS - 1, column: 0, style: UNSTYLED });
  }

  put(character: string): void {
    this.screen.write(this.row, this.column, { character, ...this.style });
    // What comes behind the last column is written over it.
    this.column = Math.min(COLUMNS - 1, this.column + 1);
  }

  back(): void {
    if (this.column === 0) return;
    this.column -= 1;
    this.screen.write(this.row, this.column, undefined);
  }

  tab(columns: number): void {
    this.column = Math.min(COLUMNS - 1, this.column + columns);
  }

  /** Preamble address code: bits 4 to 1 are an indent or a style, bit 0 underlines. */
  place(row: number, attributes: number): void {
    if (this.mode === 'roll-up') {
      // The base row must have the rows of the caption above it.
      const base = Math.max(row, this.depth - 1);
      if (base !== this.row) this.visible.move(this.row, base, this.depth);
      this.row = base;
    } else this.row = row;
    const isIndent = (attributes & 0x10) !== 0;
    const kind = (attributes & 0x0e) >> 1;
    this.column = isIndent ? kind * 4 : 0;
    this.style = {
      italic: !isIndent && kind === 7,
      underline: (attributes & 1) !== 0,
      colour: isIndent ? undefined : COLOURS[kind],
    };
  }

  /** Mid-row code: it takes the place of a blank. Italics keep the colour, a colour ends italics. */
  midRow(attributes: number): void {
    const kind = attributes >> 1;
    const colour = kind === 7 ? this.style.colour : COLOURS[kind];
    this.style = { ...this.style, underline: false };
    this.put(' ');
    this.style = { italic: kind === 7, underline: (attributes & 1) !== 0, colour };
  }

  eraseShown(): void {
    this.visible.clear();
  }

  eraseHidden(): void {
    this.hidden.clear();
  }

  /** Miscellaneous control codes, CEA-608-E table 52. */
  control(code: number): void {
    if (code === 0x20) this.mode = 'pop-on';
    else if (code === 0x21) this.back();
    else if (code === 0x24) this.screen.cut(this.row, this.column);
    else if (code >= 0x25 && code <= 0x27) this.rollUp(code - 0x23);
    else if (code === 0x29) this.mode = 'paint-on';
    else if (code === 0x2d) this.carriageReturn();
    else if (code === 0x2f) this.flip();
  }

  private get screen(): Line21Screen {
    return this.mode === 'pop-on' ? this.hidden : this.visible;
  }

  private rollUp(depth: number): void {
    if (this.mode !== 'roll-up') {
      this.visible.clear();
      this.hidden.clear();
      Object.assign(this, { row: ROWS - 1, column: 0, style: UNSTYLED });
    }
    this.mode = 'roll-up';
    this.depth = depth;
    if (this.row < depth - 1) this.row = depth - 1;
  }

  private carriageReturn(): void {
    if (this.mode !== 'roll-up') return;
    this.visible.roll(this.row, this.depth);
    this.column = 0;
    this.style = UNSTYLED;
  }

  private flip(): void {
    [this.visible, this.hidden] = [this.hidden, this.visible];
    this.mode = 'pop-on';
  }
}
