/** Answers of generated operations as a sentence or two for the profile voice: no ids, no URLs, no JSON. */
import { kindOf } from '../toolkit/tags.ts';
import type { Tool } from '../toolkit/tool.ts';

type Fields = Record<string, unknown>;

const STATUS_WORDS = ['off air', 'starting', 'on air', 'failed'];
const DONE: Record<Tool['effect'], string> = {
  read: '',
  create: 'is created',
  update: 'is updated',
  delete: 'is deleted',
  control: 'is done',
};
/** More names than this are not listened to. */
const TOLD = 5;

export function spoken(tool: Tool, body: Fields): string {
  const { rows, pagination, data } = body;
  if (Array.isArray(rows)) return list(tool, rows as Fields[], (pagination as Fields | undefined)?.['total']);
  const summary = summaryOf((data ?? body) as Fields);
  if (summary !== undefined) return summary;
  if (tool.tag === 'Runtime options') return doneOnAir((data ?? body) as Fields);
  const name = nameOf((data ?? body) as Fields);
  const state = stateOf((data ?? body) as Fields);
  if (state !== undefined) return `${name ?? 'It'} is ${state}.`;
  if (tool.effect === 'read') return name === undefined ? 'Here is the answer.' : `Here is ${name}.`;
  return tool.effect === 'control' ? 'Done.' : `${name ?? 'It'} ${DONE[tool.effect]}.`;
}

/** What was asked is in force; what else there is to know was written to be heard. */
function doneOnAir(data: Fields): string {
  const notes = Array.isArray(data['notes']) ? (data['notes'] as string[]) : [];
  return [`Done, ${nameOf(data) ?? 'it'} is on air with it.`, ...notes].join(' ');
}

function list(tool: Tool, rows: readonly Fields[], total: unknown): string {
  const count = typeof total === 'number' ? total : rows.length;
  const noun = nounOf(tool);
  if (count === 0) return `There are no ${noun}.`;
  const names = rows.slice(0, TOLD).map((row) => {
    const state = stateOf(row);
    return `${nameOf(row) ?? 'one without a name'}${state === undefined ? '' : `, ${state}`}`;
  });
  const more = count > names.length ? `, and ${count - names.length} more` : '';
  return `${count} ${count === 1 ? noun.replace(/s$/u, '') : noun}: ${names.join('; ')}${more}.`;
}

/** Several lists share a tag; what tells them apart is the end of the operation's name. */
function nounOf(tool: Tool): string {
  if (tool.name.endsWith('Events')) return 'events';
  const kind = kindOf(tool);
  return /^[\w ]+$/u.test(kind) ? kind : 'entries';
}

function nameOf(row: Fields): string | undefined {
  const name = row['name'] ?? row['filename'] ?? row['username'] ?? row['message'];
  return typeof name === 'string' && !name.includes('://') ? name.replace(/\.$/u, '') : undefined;
}

function stateOf(row: Fields): string | undefined {
  if (row['online'] === false) return 'offline';
  if (row['online'] === true) return slotsOf(row);
  return typeof row['status'] === 'number' ? STATUS_WORDS[row['status']] : undefined;
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
