/** Answers of operations and workflows as a sentence or two for the profile voice: no ids, no URLs, no JSON. */
import { spokenTime } from '../../toolkit/subjects/schedule.ts';
import { kindOf } from '../../toolkit/tags.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { duration } from '../../toolkit/subjects/workflow.ts';
import { inWords, speakable, type Telling } from './spoken-text.ts';
import { namesIn } from './spoken-names.ts';
import { doneOnAir } from './spoken-on-air.ts';

type Fields = Record<string, unknown>;

/** What the words depend on beside the answer. */
export interface Hearing extends Telling {
  /** Names of Live streams, for rows that have only their ids. */
  names: ReadonlyMap<number, string>;
  /** Those of the call: what it asked for. */
  args?: Fields | undefined;
}

const STATUS_WORDS = ['off air', 'starting', 'on air', 'failed'];
/** Words of the interface that are said in others. */
const STATES: Readonly<Record<string, string>> = { on_air: 'on air', recording: 'still recording' };
const DONE: Record<Tool['effect'], string> = {
  read: '',
  create: 'is created',
  update: 'is updated',
  delete: 'is deleted',
  control: 'is done',
};
const ACTIONS: Readonly<Record<string, string>> = {
  sourceSwitch: 'source switch',
  publishings: 'change of Destinations',
  metadata: 'cue',
  adValues: 'change of ad breaks',
};
/** More names than this are not listened to. */
const TOLD = 5;

export function spoken(tool: Tool, body: Fields, hearing: Hearing): string {
  const { message, preview } = body;
  const given = new Set([...(hearing.given ?? []), ...namesIn(body), ...hearing.names.values()]);
  const telling = { ...hearing, given };
  if (preview === true && typeof message === 'string') return speakable(inWords(message, body), telling, 2);
  if (tool.tag === 'Workflows' && typeof message === 'string') return speakable(message, telling, 2);
  return speakable(told(tool, body, hearing), telling);
}

function told(tool: Tool, body: Fields, hearing: Hearing): string {
  const { rows, pagination, data } = body;
  if (Array.isArray(rows)) return list(tool, rows as Fields[], (pagination as Fields | undefined)?.['total'], hearing);
  const row = (data ?? body) as Fields;
  const summary = summaryOf(row);
  if (summary !== undefined) return summary;
  if (tool.tag === 'Runtime options') return doneOnAir(tool, hearing.args ?? {}, row);
  const name = nameOf(row, hearing) ?? 'It';
  const state = stateOf(row, hearing);
  if (tool.effect === 'read' || tool.effect === 'control') {
    // The answer comes with the order, before the broadcast has ended.
    if (tool.name === 'stopLivestream' && row['status'] !== 0) return `${name} is stopping.`;
    if (state !== undefined) return `${name} is ${row['recurrence'] === undefined ? '' : 'planned '}${state}.`;
    return tool.effect === 'control' ? 'Done.' : `Here is ${name === 'It' ? 'the answer' : name}.`;
  }
  if (tool.name === 'skipOccurrence')
    return `Done, the occurrence on ${timeOf(row, hearing) ?? 'that day'} is left out.`;
  if (tool.name === 'restoreSkip') return 'Done, the occurrence happens again.';
  const what = name === 'It' ? `The ${oneOf(nounOf(tool))}` : name;
  const when = state === undefined ? '' : `: ${state}`;
  return `${what} ${DONE[tool.effect]}${tool.effect === 'delete' ? '' : when}.`;
}

function list(tool: Tool, rows: readonly Fields[], total: unknown, hearing: Hearing): string {
  const number = typeof total === 'number' ? total : rows.length;
  const noun = nounOf(tool);
  if (number === 0) return `There are no ${noun}.`;
  const entries = worstFirst(rows).slice(0, TOLD).map((row) => entryOf(row, hearing)).filter((entry) => entry !== ''); // prettier-ignore
  const what = `${number} ${number === 1 ? oneOf(noun) : noun}`;
  if (entries.length === 0) return `There ${number === 1 ? 'is' : 'are'} ${what}.`;
  const more = number > entries.length ? `, and ${number - entries.length} more` : '';
  return `${what}: ${entries.join('; ')}${more}.`;
}

const WORST: readonly unknown[] = ['error', 'warning'];

/** Of events: who listens to a few of them hears of the failure. Other rows stay as they are. */
function worstFirst(rows: readonly Fields[]): Fields[] {
  const rank = ({ severity }: Fields): number => (WORST.includes(severity) ? WORST.indexOf(severity) : WORST.length);
  return [...rows].sort((a, b) => rank(a) - rank(b));
}

function entryOf(row: Fields, hearing: Hearing): string {
  return [nameOf(row, hearing), stateOf(row, hearing)].filter((part) => part !== undefined).join(', ');
}

/** Several lists share a tag; what tells them apart is the end of the operation's name. */
function nounOf(tool: Tool): string {
  const own = /(Events|Occurrences|Skips|Tracks)$/u.exec(tool.name)?.[1]?.toLowerCase();
  if (own !== undefined) return own;
  const kind = kindOf(tool);
  return /^[\w ]+$/u.test(kind) ? kind : 'entries';
}

function oneOf(noun: string): string {
  return noun.replace(/ies$/u, 'y').replace(/s$/u, '');
}

function nameOf(row: Fields, { names }: Hearing): string | undefined {
  const own = plainName(row);
  if (own !== undefined) return own;
  const { type, livestreamId, kind, codec } = row;
  const livestream = typeof livestreamId === 'number' ? names.get(livestreamId) : undefined;
  if (typeof row['execute_at'] === 'string' && typeof type === 'string') {
    const action = ACTIONS[type] ?? type;
    return livestream === undefined ? action : `${action} of ${livestream}`;
  }
  if (typeof kind === 'string' && typeof codec === 'string') return `${kind} in ${codec}`;
  return livestream;
}

function plainName(row: Fields): string | undefined {
  const { message } = row;
  if (typeof message === 'string') return message.replace(/\.$/u, '');
  const name = row['name'] ?? row['filename'] ?? row['username'];
  return typeof name === 'string' ? name : undefined;
}

/** What is to be said of a row beside its name. */
function stateOf(row: Fields, hearing: Hearing): string | undefined {
  if (row['online'] === false) return 'offline';
  if (row['online'] === true) return slotsOf(row);
  const { status, state } = row;
  if (typeof status === 'number') return STATUS_WORDS[status];
  const when = timeOf(row, hearing);
  const word = typeof status === 'string' ? status : typeof state === 'string' ? state : undefined;
  const length = row['duration_seconds'];
  const parts = [
    when,
    word === undefined ? undefined : (STATES[word] ?? word),
    typeof length === 'number' && length > 0 ? duration(length) : undefined,
    row['recurrence'] !== undefined && row['enabled'] === false ? 'paused' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

const REPEATS: Readonly<Record<string, string>> = {
  daily: 'daily',
  weekly: 'weekly',
  workdays: 'on workdays',
  weekend: 'at weekends',
};

function timeOf(row: Fields, { zone, nowMs }: Hearing): string | undefined {
  const at = row['occurrence_start'] ?? row['execute_at'] ?? row['start'];
  if (typeof at !== 'string') return undefined;
  const when = spokenTime(Date.parse(at), typeof row['timezone'] === 'string' ? row['timezone'] : zone, nowMs);
  const repeat = REPEATS[String((row['recurrence'] as Fields | undefined)?.['type'])];
  return repeat === undefined ? when : `${repeat} from ${when}`;
}

/** Of the summary of all Devices: it has counts where others have a name. */
function summaryOf(data: Fields): string | undefined {
  const { total, online } = data;
  if (typeof total !== 'number' || typeof online !== 'number') return undefined;
  return `${online} of ${total} Devices online, ${slotsOf(data) ?? 'no slots known'}.`;
}

function slotsOf({ slots }: Fields): string | undefined {
  const { used, total } = (slots ?? {}) as Fields;
  return typeof used === 'number' && typeof total === 'number' ? `${used} of ${total} slots taken` : undefined;
}
