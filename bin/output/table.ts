/** Rows as columns of text. */
import { beginning, widthOf } from './cells.ts';
import { paint, screenOf, type Screen, type Tone } from './screen.ts';
import { oneLine } from './terminal.ts';

/** A text, or a text with its meaning. */
export type Cell = string | { text: string; tone: Tone | undefined };

const GAP = 2;
/** A column that has to give room keeps the beginning of its texts. */
const MIN_WIDTH = 8;

/** Each column is as wide as its widest cell; the last one runs free. On a terminal the widest columns give way until all fit. */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  screen: Screen = screenOf(),
): string {
  const lines: { text: string; tone: Tone | undefined }[][] = [
    head.map((text) => ({ text, tone: 'head' })),
    ...rows.map((row) =>
      head.map((_, column) => {
        const cell = row[column] ?? '';
        return typeof cell === 'string'
          ? { text: oneLine(cell), tone: undefined }
          : { ...cell, text: oneLine(cell.text) };
      }),
    ),
  ];
  const widths = fitted(
    head.map((_, column) => Math.max(...lines.map((cells) => widthOf(cells[column]?.text ?? '')))),
    screen.width,
  );
  return lines.map((cells) => lineOf(cells, widths, screen)).join('\n');
}

function lineOf(
  cells: readonly { text: string; tone: Tone | undefined }[],
  widths: readonly number[],
  screen: Screen,
): string {
  const last = cells.findLastIndex(({ text }) => text !== '');
  return cells
    .slice(0, last + 1)
    .map(({ text, tone }, column) => {
      const width = widths[column] ?? 0;
      const shown = screen.width === undefined ? text : cut(text, width);
      const padding = column === last ? '' : ' '.repeat(Math.max(0, width - widthOf(shown)));
      return `${paint(shown, tone, screen)}${padding}`;
    })
    .join(' '.repeat(GAP));
}

/** The widest column gives a place, again and again. */
function fitted(widths: readonly number[], room: number | undefined): number[] {
  const fit = [...widths];
  if (room === undefined) return fit;
  let excess = fit.reduce((sum, width) => sum + width, 0) + GAP * (fit.length - 1) - room;
  while (excess > 0) {
    const widest = Math.max(...fit);
    if (widest <= MIN_WIDTH) break;
    fit[fit.lastIndexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return fit;
}

function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${beginning(text, Math.max(0, width - 1)).text}…`;
}

/** Colours take no room, and one that was begun is ended. */
export function cutPainted(line: string, width: number): string {
  if (widthOf(line.replace(COLOUR, '')) <= width) return line;
  let room = width - 1;
  const parts = line.split(COLOUR_PARTS).map((part) => {
    if (part.startsWith('\x1b')) return part;
    const shown = beginning(part, Math.max(0, room));
    // What is behind a letter that found no room is not shown either.
    room = shown.text === part ? room - shown.width : 0;
    return shown.text;
  });
  return `${parts.join('')}…`;
}

// Colours of a terminal begin with the control character.
const COLOUR_PARTS = /(\x1b\[\d+m)/u;
const COLOUR = new RegExp(COLOUR_PARTS, 'gu');
