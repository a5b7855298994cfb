/** `onair status` shows what is on air, once or, with --watch, as it changes. */
import type { LivestreamStatusView, PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { lagOf, sourceWords } from '../../toolkit/sentence.ts';
import { callServer, listAll } from '../client/call.ts';
import { instantText } from '../output/instants.ts';
import { listText, type Column } from '../output/format.ts';
import type { Tone } from '../output/screen.ts';
import { table, type Cell } from '../output/table.ts';
import { oneLine } from '../output/terminal.ts';
import { show, waiting, type View, type WatchFlags } from '../output/watch.ts';

/** The answer of get_livestream_status. */
export interface StatusAnswer extends LivestreamStatusView {
  taken_for?: string;
  message: string;
  server_time: string;
  timezone: string;
  watch: { name: string; type: string; url: string; device_url: string | null; expires_at: string | null }[];
}

export const STATUS_WORDS = ['off', 'starting', 'ON AIR', 'FAILED'];
const STATUS_TONES: readonly Tone[] = ['faint', 'wait', 'good', 'bad'];
const PATH_TONES: Readonly<Record<string, Tone>> = {
  up: 'good',
  connecting: 'wait',
  retrying: 'wait',
  failed: 'bad',
  fenced: 'bad',
};

const STREAMS = {
  columns: [
    { head: 'ID', cell: ({ livestreamId }) => String(livestreamId) },
    { head: 'NAME', cell: ({ name }) => name },
    { head: 'STATUS', cell: ({ status }) => ({ text: STATUS_WORDS[status] ?? '?', tone: STATUS_TONES[status] }) },
    { head: 'FOR', cell: durationOf },
    { head: 'SOURCE', cell: sourceOf },
    { head: 'FPS', cell: picturesOf },
    { head: 'KBIT/S', cell: (row) => ratesOf(row, 'bitrate_kbps') },
    { head: 'DESTINATIONS', cell: destinationsOf },
  ] satisfies Column<LivestreamStatusView>[],
  empty: 'There are no Live streams yet. Set one up: onair new, or onair call addLivestream …',
};

export async function status(livestream: string | undefined, flags: WatchFlags): Promise<void> {
  if (livestream !== undefined)
    return show<StatusAnswer>(
      {
        look: () => callServer<StatusAnswer>('get_livestream_status', { livestream }),
        text: statusText,
        lines: () => one(lines()),
      },
      flags,
    );
  return show<LivestreamStatusView[]>(
    {
      look: () => listAll<LivestreamStatusView>('getLivestreamsStatus'),
      text: (rows) => listText(rows, STREAMS),
      headline: (rows) => `${rows.filter((row) => row.on_air).length} of ${rows.length} on air`,
      lines,
    },
    flags,
  );
}

/** A file or pipe gets a line for one Live stream as it does for all. */
function one(view: View<readonly LivestreamStatusView[]>): View<LivestreamStatusView> {
  return { ...view, show: (row, atMs) => view.show([row], atMs) };
}

/** The sentence, the facts, the Destinations, and where to watch. */
function statusText(answer: StatusAnswer): string {
  const paths = pathsOf(answer);
  const destinations = paths.map(([name, path]) => [
    name,
    { text: path.enabled ? path.state : 'off', tone: path.enabled ? PATH_TONES[path.state] : 'faint' },
    path.attempts > 0 ? String(path.attempts) : '',
    path.last_error ?? '',
  ]);
  const parts = [
    oneLine(answer.message),
    listText([answer], { ...STREAMS, columns: STREAMS.columns.slice(0, -1) }),
    ...(paths.length === 0 ? [] : [table(['DESTINATION', 'STATE', 'ATTEMPTS', 'LAST ERROR'], destinations)]),
    ...(answer.watch.length === 0 ? [] : [answer.watch.map(({ url }) => `Watch ${url}`).join('\n')]),
  ];
  return parts.join('\n\n');
}

/** Files and pipes get a line for each Live stream at first, then one for each whose state, source or paths have changed. */
export function lines(
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): View<readonly LivestreamStatusView[]> {
  const stateOf = new Map<number, string>();
  const waits = waiting();
  return {
    ...waits,
    show(rows, atMs) {
      waits.isBack();
      for (const row of rows) {
        const paths = pathsOf(row).map(([name, path]) => [name, path.enabled, path.state]);
        const kinds = row.conditions.map(({ kind }) => kind);
        const state = JSON.stringify([row.status, row.errorstatus, row.source?.state, kinds, sourceWords(row), paths]);
        if (stateOf.get(row.livestreamId) === state) continue;
        stateOf.set(row.livestreamId, state);
        write([instantText(new Date(atMs).toISOString()), ...wordsOf(row)].join('  '));
      }
      const present = new Set(rows.map(({ livestreamId }) => livestreamId));
      for (const id of stateOf.keys()) if (!present.has(id)) stateOf.delete(id);
    },
  };
}

function wordsOf(row: LivestreamStatusView): string[] {
  const cells = STREAMS.columns.map((column: Column<LivestreamStatusView>) => column.cell(row));
  return cells.map((cell) => oneLine(typeof cell === 'string' ? cell : cell.text)).filter((text) => text !== '');
}

function isHeld({ status: state }: Pick<LivestreamStatusView, 'status'>): boolean {
  return state === 1 || state === 2;
}

/** `up`, or `up, silent, black`. */
function sourceOf(row: LivestreamStatusView): Cell {
  if (!isHeld(row) || row.source === null) return '';
  const text = [row.source.state, ...sourceWords(row)].join(', ');
  return { text, tone: row.conditions.some(({ kind }) => kind !== 'behind') ? 'bad' : undefined };
}

/** `30/30`, or `14/14, falls behind: 14 of 30 pictures a second`. */
function picturesOf(row: LivestreamStatusView): Cell {
  const rates = ratesOf(row, 'fps');
  const lag = isHeld(row) ? lagOf(row) : undefined;
  return lag === undefined ? rates : { text: [rates, lag.words].filter(Boolean).join(', '), tone: 'bad' };
}

function ratesOf(row: LivestreamStatusView, rate: 'fps' | 'bitrate_kbps'): string {
  return isHeld(row) ? row.encodings.map((encoding) => encoding[rate].toFixed(0)).join('/') : '';
}

function destinationsOf(row: LivestreamStatusView): string {
  if (row.errorstatus !== null) return row.errorstatus;
  if (!isHeld(row)) return '';
  return pathsOf(row)
    .filter(([, path]) => path.enabled)
    .map(([name, path]) => `${name} ${path.state}${path.state === 'retrying' ? ` (${path.attempts})` : ''}`)
    .join(', ');
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

function durationOf({ status: state, uptime_seconds }: LivestreamStatusView): string {
  return state === 0 ? '' : timeOf(uptime_seconds);
}

/** The forms are `4 s`, `12:05` and `3:12:05`. */
function timeOf(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const two = (amount: number): string => String(Math.floor(amount)).padStart(2, '0');
  const minutes = `${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? minutes : `${Math.floor(seconds / 3600)}:${minutes}`;
}
