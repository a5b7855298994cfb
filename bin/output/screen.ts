/** The terminal of this process has a width, and perhaps colours, which stand for a meaning. */

/** good: on air, delivering; wait: starting, connecting; bad: failed, lost; faint: what is off. */
export type Tone = 'good' | 'wait' | 'bad' | 'faint' | 'head';

export interface Screen {
  /** Columns; undefined: a file or a pipe, where nothing is cut. */
  width: number | undefined;
  hasColours: boolean;
}

const CODES: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  good: [32, 39],
  wait: [33, 39],
  bad: [31, 39],
  faint: [2, 22],
  head: [1, 22],
};

/** NO_COLOR with any value means no colour (no-color.org). A terminal that does not know its size reports 0 columns. */
export function screenOf(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> = process.stdout,
  env: NodeJS.ProcessEnv = process.env,
): Screen {
  if (!stream.isTTY) return { width: undefined, hasColours: false };
  return { width: stream.columns || 80, hasColours: !env['NO_COLOR'] && env['TERM'] !== 'dumb' };
}

export function paint(text: string, tone: Tone | undefined, { hasColours }: Pick<Screen, 'hasColours'>): string {
  if (!hasColours || tone === undefined || text === '') return text;
  const [on, off] = CODES[tone];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}
