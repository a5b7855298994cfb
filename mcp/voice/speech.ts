/** Answers of operations, workflows and the search as a sentence or two for the profile voice: no ids, no URLs, no JSON. */
import { ACTIONS, isActionType } from '../../domain/shapes/schedules/planned-action.ts';
import type { Catalogue } from '../../toolkit/catalogue.ts';
import { conditionWords, duration } from '../../toolkit/sentence.ts';
import { spokenTime } from '../../toolkit/subjects/schedule.ts';
import { kindOf } from '../../toolkit/tags.ts';
import type { Tool } from '../../toolkit/tool.ts';
import type { Read } from '../../toolkit/input/reads.ts';
import type { SearchAnswer } from '../search/search-answer.ts';
import { inWords, speakable, type SpeechContext } from './spoken-text.ts';
import { namesIn } from './spoken-names.ts';
import { doneOnAir } from './spoken-on-air.ts';

type Fields = Record<string, unknown>;

/** The context of one answer: its words depend on it. */
export interface AnswerContext extends SpeechContext {
  /** Names of Live streams by id, for rows that have only the id. */
  streamNames: ReadonlyMap<number, string>;
  /** The arguments of the call, which say what was wanted. */
  args?: Fields | undefined;
}

const STATUS_WORDS = ['off air', 'starting', 'on air', 'failed'];
/** These states of the interface have other words in speech. */
const STATES: Readonly<Record<string, string>> = { on_air: 'on air', recording: 'still recording' };
const DONE: Record<Tool['effect'], string> = {
  read: '',
  create: 'is created',
  update: 'is updated',
  delete: 'is deleted',
  control: 'is done',
};
/** Nobody listens to more names than this. */
const MAX_ROWS = 5;
/** Nobody listens to more suggestions than this. */
const MAX_SUGGESTIONS = 3;
const NO_NAMES: ReadonlyMap<number, string> = new Map();

export function spokenAnswer(tool: Tool, body: Fields, context: AnswerContext): string {
  const { message, preview } = body;
  const names = new Set([...(context.names ?? []), ...namesIn(body), ...context.streamNames.values()]);
  const speech = { ...context, names };
  if (preview === true && typeof message === 'string') return speakable(inWords(message, body), speech, 2);
  if (tool.tag === 'Workflows' && typeof message === 'string') return speakable(message, speech, 2);
  return speakable(describe(tool, body, context), speech);
}

/**
 * The names of all Live streams where rows of the body have only their ids. They are read as any other list, so that the profile and the
 * rate hold for it too.
 */
export async function streamNamesFor(body: unknown, read: Read): Promise<ReadonlyMap<number, string>> {
  const { rows } = body as { rows?: unknown };
  const isNameless = Array.isArray(rows) && (rows as Fields[]).some(({ name, livestreamId }) => !name && livestreamId);
  if (!isNameless) return NO_NAMES;
  const list = (await read('getAllLivestreams', { fields: 'id,name', pageSize: 500 })) as {
    rows: { id: number; name: string }[];
  };
  return new Map(list.rows.map(({ id, name }) => [id, name]));
}

/** The summaries of the tools that search_tools has found, each with its name, because some clients hand their model the text alone. */
export function spokenSearch(
  { tools, workflow, forbidden, fits = true }: SearchAnswer,
  catalogue: Pick<Catalogue, 'find'>,
  speech: SpeechContext,
): string {
  const names = !fits ? [] : [workflow, ...tools.map(({ name }) => name)].filter((name) => typeof name === 'string');
  const summaryFor = (name: string): string[] => {
    const summary = catalogue.find(name)?.summary;
    if (summary === undefined) return [];
    return [`${speakable(summary, speech, 1).replace(/[.;:]/gu, ',').replace(/,$/u, '')} (${name})`];
  };
  // The tools beside a forbidden one are only near to the request, so they are not offered.
  if (forbidden !== undefined) return `What fits that is not allowed here: ${summaryFor(forbidden.name)[0]}.`;
  const [first, ...others] = [...new Set(names)].slice(0, MAX_SUGGESTIONS).flatMap(summaryFor);
  if (first === undefined) return 'Nothing fits that. Please say it in other words.';
  const more = others.length === 0 ? '' : ` Or this: ${others.join('; ')}.`;
  return `This may be what is meant: ${first}.${more}`;
}

function describe(tool: Tool, body: Fields, context: AnswerContext): string {
  const { rows, pagination, data } = body;
  if (Array.isArray(rows)) return list(tool, rows as Fields[], (pagination as Fields | undefined)?.['total'], context);
  const row = (data ?? body) as Fields;
  const summary = summaryOf(row);
  if (summary !== undefined) return summary;
  if (tool.tag === 'Runtime options') return doneOnAir(tool, context.args ?? {}, row);
  const name = nameOf(row, context) ?? 'It';
  const state = stateOf(row, context);
  if (tool.effect === 'read' || tool.effect === 'control') {
    // The answer is given when the stop is ordered, before the broadcast has ended.
    if (tool.name === 'stopLivestream' && row['status'] !== 0) return `${name} is stopping.`;
    if (state !== undefined) return `${name} is ${row['recurrence'] === undefined ? '' : 'planned '}${state}.`;
    return tool.effect === 'control' ? 'Done.' : `Here is ${name === 'It' ? 'the answer' : name}.`;
  }
  if (tool.name === 'skipOccurrence')
    return `Done, the occurrence on ${timeOf(row, context) ?? 'that day'} is left out.`;
  if (tool.name === 'restoreSkip') return 'Done, the occurrence happens again.';
  const what = name === 'It' ? `The ${oneOf(nounOf(tool))}` : name;
  const when = state === undefined ? '' : `: ${state}`;
  return `${what} ${DONE[tool.effect]}${tool.effect === 'delete' ? '' : when}.`;
}

function list(tool: Tool, rows: readonly Fields[], total: unknown, context: AnswerContext): string {
  const number = typeof total === 'number' ? total : rows.length;
  const noun = nounOf(tool);
  if (number === 0) return `There are no ${noun}.`;
  const first = worstFirst(rows).slice(0, MAX_ROWS);
  const entries = first.map((row) => entryOf(row, context)).filter((entry) => entry !== '');
  const what = `${number} ${number === 1 ? oneOf(noun) : noun}`;
  if (entries.length === 0) return `There ${number === 1 ? 'is' : 'are'} ${what}.`;
  const more = number > entries.length ? `, and ${number - entries.length} more` : '';
  return `${what}: ${entries.join('; ')}${more}.`;
}

const WORST: readonly unknown[] = ['error', 'warning'];

/** Puts failures first, because a listener hears only a few events. Rows without a severity keep their order. */
function worstFirst(rows: readonly Fields[]): Fields[] {
  const rank = ({ severity }: Fields): number => (WORST.includes(severity) ? WORST.indexOf(severity) : WORST.length);
  return [...rows].sort((a, b) => rank(a) - rank(b));
}

function entryOf(row: Fields, context: AnswerContext): string {
  return [nameOf(row, context), stateOf(row, context)].filter((part) => part !== undefined).join(', ');
}

/** Several lists share a tag, and the end of the operation's name tells them apart. */
function nounOf(tool: Tool): string {
  const own = /(Alarms|Events|Occurrences|Skips|Tracks)$/u.exec(tool.name)?.[1]?.toLowerCase();
  if (own !== undefined) return own;
  const kind = kindOf(tool);
  return /^[\w ]+$/u.test(kind) ? kind : 'entries';
}

function oneOf(noun: string): string {
  return noun.replace(/ies$/u, 'y').replace(/s$/u, '');
}

function nameOf(row: Fields, { streamNames }: AnswerContext): string | undefined {
  const { type, livestreamId, kind, codec, message } = row;
  const livestream = typeof livestreamId === 'number' ? streamNames.get(livestreamId) : undefined;
  const own = plainName(row);
  // The message of an event does not name its Live stream, which a listener cannot see beside it.
  if (own !== undefined) return message !== undefined && livestream !== undefined ? `${livestream}, ${own}` : own;
  if (typeof row['execute_at'] === 'string' && typeof type === 'string') {
    const action = isActionType(type) ? ACTIONS[type].spoken : type;
    return livestream === undefined ? action : `${action} of ${livestream}`;
  }
  if (typeof kind === 'string' && typeof codec === 'string') return `${kind} in ${codec}`;
  return livestream;
}

function plainName(row: Fields): string | undefined {
  const { message = row['check'] === undefined ? undefined : row['detail'] } = row;
  if (typeof message === 'string') return message.replace(/\.$/u, '');
  const name = row['name'] ?? row['filename'] ?? row['username'];
  return typeof name === 'string' ? name : undefined;
}

/** The words about a row beside its name. */
function stateOf(row: Fields, context: AnswerContext): string | undefined {
  if (row['online'] === false) return 'offline';
  if (row['online'] === true) return slotsOf(row);
  const { status, state } = row;
  if (typeof status === 'number') return [STATUS_WORDS[status], ...conditionWords(row, context.nowMs)].join(', ');
  const when = timeOf(row, context);
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

function timeOf(row: Fields, { zone, nowMs }: AnswerContext): string | undefined {
  const at = row['occurrence_start'] ?? row['execute_at'] ?? row['start'];
  if (typeof at !== 'string') return undefined;
  const when = spokenTime(Date.parse(at), typeof row['timezone'] === 'string' ? row['timezone'] : zone, nowMs);
  const repeat = REPEATS[String((row['recurrence'] as Fields | undefined)?.['type'])];
  return repeat === undefined ? when : `${repeat} from ${when}`;
}

/** The summary of all Devices has counts in place of a name. */
function summaryOf(data: Fields): string | undefined {
  const { total, online } = data;
  if (typeof total !== 'number' || typeof online !== 'number') return undefined;
  const { by } = (data['held'] ?? {}) as Fields;
  const held = typeof by === 'string' ? ` Nothing is moved by itself: ${by} holds them.` : '';
  return `${online} of ${total} Devices online, ${slotsOf(data) ?? 'no slots known'}.${held}`;
}

function slotsOf({ slots }: Fields): string | undefined {
  const { used, total } = (slots ?? {}) as Fields;
  return typeof used === 'number' && typeof total === 'number' ? `${used} of ${total} slots taken` : undefined;
}
