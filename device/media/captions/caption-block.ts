/** Text on the screen of a caption decoder, as line 21 and CEA-708 services show it. */
export interface CaptionStyle {
  italic: boolean;
  underline: boolean;
  /** Undefined: white. */
  colour: CaptionColour | undefined;
}

export type CaptionColour = 'green' | 'blue' | 'cyan' | 'red' | 'yellow' | 'magenta' | 'black';

export const UNSTYLED: CaptionStyle = { italic: false, underline: false, colour: undefined };

/** Characters of one style that follow each other. */
export interface CaptionSpan extends CaptionStyle {
  text: string;
}

/** Rows without a gap between them. Positions are of its top left corner, in per cent of the picture. */
export interface CaptionBlock {
  top: number;
  left: number;
  rows: CaptionSpan[][];
}

export interface Cell extends CaptionStyle {
  character: string;
}

/** Returns the row without the blanks around its text; undefined where there is no text. Cells that were never written are blank. */
export function spansOf(cells: readonly (Cell | undefined)[]): { column: number; spans: CaptionSpan[] } | undefined {
  const isText = (cell: Cell | undefined): boolean => cell !== undefined && cell.character.trim() !== '';
  const first = cells.findIndex(isText);
  const last = cells.findLastIndex(isText);
  if (first === -1) return undefined;
  const spans: CaptionSpan[] = [];
  for (let at = first; at <= last; at += 1) {
    const { character, ...style } = cells[at] ?? { character: ' ', ...(spans.at(-1) ?? UNSTYLED) };
    const open = spans.at(-1);
    const isSame =
      open !== undefined &&
      open.italic === style.italic &&
      open.underline === style.underline &&
      open.colour === style.colour;
    if (isSame) open.text += character;
    else spans.push({ italic: style.italic, underline: style.underline, colour: style.colour, text: character });
  }
  return { column: first, spans };
}
