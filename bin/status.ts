/** `onair status` shows what is on air, once or, with --watch, as it changes. */
import { AppError } from '../domain/errors.ts';
import type { LivestreamStatusView, PathStatus } from '../domain/livestream-status.ts';
import { pause } from '../domain/pause.ts';
import { callTool, numberOrName, print } from './people.ts';
import { table } from './table.ts';
import { oneLine, untilInterrupted } from './terminal.ts';

export interface StatusFlags {
  watch?: boolean;
  interval?: string;
}

const STATUS_WORDS = ['off', 'starting', 'ON AIR', 'FAILED'];
const HEAD = ['ID', 'NAME', 'STATUS', 'FOR', 'SOURCE', 'FPS', 'KBIT/S', 'DESTINATIONS'];
const EMPTY = 'There are no Live streams yet. Create one: onair call addLivestream …';
const PAGE = 500;

export async function status(livestream: string | undefined, flags: StatusFlags): Promise<void> {
  const idOrName = livestream === undefined ? undefined : numberOrName(livestream);
  if (flags.watch !== true) {
    if (idOrName !== undefined) return print(await callTool('get_livestream_status', { livestream: idOrName }));
    const rows = await allStatuses();
    return print(rows.length === 0 ? EMPTY : table(HEAD, rows.map(cellsOf)));
  }
  const look =
    idOrName === undefined
      ? allStatuses
      : async () => [(await callTool('get_livestream_status', { livestream: idOrName })) as LivestreamStatusView];
  const everyMs = Math.min(3600, Math.max(0.2, Number(flags.interval ?? 1) || 1)) * 1000;
  await untilInterrupted((signal) => watch(look, everyMs, signal, process.stdout.isTTY ? screen() : lines()));
}

async function allStatuses(): Promise<LivestreamStatusView[]> {
  const rows: LivestreamStatusView[] = [];
  for (let page = 1; ; page += 1) {
    const answer = (await callTool('getLivestreamsStatus', { page, pageSize: PAGE })) as {
      rows: LivestreamStatusView[];
      pagination: { totalPages: number };
    };
    rows.push(...answer.rows);
    if (page >= answer.pagination.totalPages) return rows;
  }
}

/** Shows one state after the other. */
export interface View {
  show(rows: readonly LivestreamStatusView[], atMs: number): void;
  /** The server does not answer; the last state stays. */
  away(reason: string): void;
  close(): void;
}

/** Waits for a server that restarts; rejects when another try cannot help. */
export async function watch(
  look: () => Promise<LivestreamStatusView[]>,
  everyMs: number,
  signal: AbortSignal,
  view: View,
): Promise<void> {
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        view.show(await look(), Date.now());
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
function screen(out: NodeJS.WriteStream = process.stdout): View {
  let last = '';
  const draw = (headline: string): void => {
    const room = Math.max(2, (out.rows || 24) - 2);
    const all = last.split('\n');
    const visibleLines = all.length <= room ? all : [...all.slice(0, room - 1), `… and ${all.length - room + 1} more`];
    const cut = [headline, ...visibleLines].map((line) => `${[...line].slice(0, out.columns || 80).join('')}\x1b[K`);
    // The cursor goes to the top left and each line is cleared to its end, then the rest of the screen: nothing flickers.
    out.write(`\x1b[H${cut.join('\r\n')}\x1b[J`);
  };
  out.write('\x1b[?25l\x1b[2J');
  return {
    show(rows, atMs) {
      last = rows.length === 0 ? EMPTY : table(HEAD, rows.map(cellsOf));
      const onAir = rows.filter((row) => row.on_air).length;
      draw(`${new Date(atMs).toISOString()}  ${onAir} of ${rows.length} on air  (Ctrl-C ends)`);
    },
    away: (reason) => draw(oneLine(reason)),
    close: () => out.write('\x1b[?25h\r\n'),
  };
}

/** Files and pipes get a line for each Live stream at first, then one for each whose state, source or paths have changed. */
export function lines(write: (line: string) => void = (line) => process.stdout.write(`${line}\n`)): View {
  const stateOf = new Map<number, string>();
  let isAway = false;
  return {
    show(rows, atMs) {
      isAway = false;
      for (const row of rows) {
        const paths = pathsOf(row).map(([name, path]) => [name, path.enabled, path.state]);
        const state = JSON.stringify([row.status, row.errorstatus, row.source?.state, paths]);
        if (stateOf.get(row.livestreamId) === state) continue;
        stateOf.set(row.livestreamId, state);
        write([new Date(atMs).toISOString(), ...cellsOf(row).filter((cell) => cell !== '')].join('  '));
      }
      const present = new Set(rows.map(({ livestreamId }) => livestreamId));
      for (const id of stateOf.keys()) if (!present.has(id)) stateOf.delete(id);
    },
    away(reason) {
      if (!isAway) process.stderr.write(`onair: ${oneLine(reason)} Waiting for it.\n`);
      isAway = true;
    },
    close: () => undefined,
  };
}

function cellsOf(row: LivestreamStatusView): string[] {
  const { status: state, source, encodings } = row;
  const isHeld = state === 1 || state === 2;
  const destinations = pathsOf(row)
    .filter(([, path]) => path.enabled)
    .map(([name, path]) => `${name} ${path.state}${path.state === 'retrying' ? ` (${path.attempts})` : ''}`);
  return [
    String(row.livestreamId),
    oneLine(row.name),
    STATUS_WORDS[state] ?? '?',
    state === 0 ? '' : timeOf(row.uptime_seconds),
    isHeld && source !== null ? source.state : '',
    isHeld ? encodings.map(({ fps }) => fps.toFixed(0)).join('/') : '',
    isHeld ? encodings.map(({ bitrate_kbps }) => bitrate_kbps.toFixed(0)).join('/') : '',
    oneLine(row.errorstatus ?? (isHeld ? destinations.join(', ') : '')),
  ];
}

function pathsOf({ publishings }: LivestreamStatusView): [name: string, path: PathStatus][] {
  return publishings.flatMap(({ name, primary, backup }): [string, PathStatus][] =>
    backup === null
      ? [[name, primary]]
      : [
          [name, primary],
          [`${name}/backup`, backup],
        ],
  );
}

/** The forms are `4 s`, `12:05` and `3:12:05`. */
function timeOf(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const two = (amount: number): string => String(Math.floor(amount)).padStart(2, '0');
  const minutes = `${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? minutes : `${Math.floor(seconds / 3600)}:${minutes}`;
}
