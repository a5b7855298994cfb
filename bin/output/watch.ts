/** Answers that are shown again when they change, until Ctrl-C: redrawn on a terminal, one after the other in a file or pipe. */
import { instantText } from './instants.ts';
import { AppError } from '../../domain/base/errors.ts';
import { pause } from '../../domain/time/pause.ts';
import { documentText, isTable, print, type FormatFlags } from './format.ts';
import { cutPainted } from './table.ts';
import { oneLine, untilInterrupted } from './terminal.ts';

export interface WatchFlags extends FormatFlags {
  watch?: boolean;
  interval?: string;
}

/** Shows one state after the other. */
export interface View<T> {
  show(value: T, atMs: number): void | Promise<void>;
  /** The server does not answer; the last state stays. */
  away(reason: string): void;
  close(): void;
}

const DEFAULT_SECONDS = 1;

/**
 * `text` is the table of a value, `headline` the line above it on a terminal; `lines` shows tables in a file or pipe, where the value itself
 * again and again would say too little.
 */
export interface Watched<T extends object> {
  look: () => Promise<T>;
  text: (value: T) => string;
  headline?: (value: T) => string;
  lines?: () => View<T>;
}

/** Shows the value once, or with --watch until it is interrupted. */
export async function show<T extends object>(watched: Watched<T>, flags: WatchFlags): Promise<void> {
  const { look, text } = watched;
  if (flags.watch !== true) {
    const value = await look();
    return print(isTable(flags) ? text(value) : await documentText(value, flags));
  }
  const everyMs = Math.min(3600, Math.max(0.2, Number(flags.interval) || DEFAULT_SECONDS)) * 1000;
  await untilInterrupted((signal) => watch(look, everyMs, signal, viewOf(watched, flags)));
}

function viewOf<T extends object>({ text, headline, lines }: Watched<T>, flags: WatchFlags): View<T> {
  if (!isTable(flags)) return documents((value) => documentText(value, flags, true), flags.output === 'yaml');
  if (process.stdout.isTTY) return screen(text, headline ?? (() => ''));
  return lines?.() ?? documents((value) => Promise.resolve(text(value)), false);
}

/** Waits for a server that restarts; rejects when another try cannot help. */
export async function watch<T>(
  look: () => Promise<T>,
  everyMs: number,
  signal: AbortSignal,
  view: View<T>,
): Promise<void> {
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        await view.show(await look(), Date.now());
      } catch (error) {
        const passes = error instanceof AppError && ['unavailable', 'timeout', 'rate_limited'].includes(error.code);
        if (isFirst || !passes) throw error;
        view.away(error.message);
      }
      await pause(everyMs, signal);
    }
  } finally {
    view.close();
  }
}

/** Redraws in place, as far as the terminal reaches; the cursor is hidden meanwhile. */
function screen<T>(text: (value: T) => string, headline: (value: T) => string, out = process.stdout): View<T> {
  let last = '';
  const draw = (first: string): void => {
    const room = Math.max(2, (out.rows || 24) - 2);
    const all = last.split('\n');
    const visible = all.length <= room ? all : [...all.slice(0, room - 1), `… and ${all.length - room + 1} more`];
    // The cursor goes to the top left and each line is cleared to its end, then the rest of the screen: nothing flickers.
    const lines = [first, ...visible].map((line) => `${cutPainted(line, out.columns || 80)}\x1b[K`);
    out.write(`\x1b[H${lines.join('\r\n')}\x1b[J`);
  };
  out.write('\x1b[?25l\x1b[2J');
  return {
    show(value, atMs) {
      last = text(value);
      draw(
        [instantText(new Date(atMs).toISOString()), headline(value), '(Ctrl-C ends)']
          .filter((part) => part !== '')
          .join('  '),
      );
    },
    away: (reason) => draw(oneLine(reason)),
    close: () => out.write('\x1b[?25h\r\n'),
  };
}

/** The whole answer each time that it is another one. */
function documents<T>(text: (value: T) => Promise<string>, isYaml: boolean): View<T> {
  let last: string | undefined;
  const waits = waiting();
  return {
    ...waits,
    async show(value) {
      waits.isBack();
      const now = await text(value);
      if (now === last) return;
      print(isYaml ? `---\n${now}` : now);
      last = now;
    },
  };
}

/** A file or pipe is told once that the server is away; stdout has the answers and nothing else. */
export function waiting(): Pick<View<unknown>, 'away' | 'close'> & { isBack(): void } {
  let isAway = false;
  return {
    isBack: () => void (isAway = false),
    away(reason) {
      if (!isAway) process.stderr.write(`onair: ${oneLine(reason)} Waiting for it.\n`);
      isAway = true;
    },
    close: () => undefined,
  };
}
