/** Answers of generated operations as a sentence or two for the profile voice: no ids, no URLs, no JSON. */
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
  const name = nameOf((data ?? body) as Fields);
  const state = stateOf((data ?? body) as Fields);
  if (state !== undefined) return `${name ?? 'It'} is ${state}.`;
  if (tool.effect === 'read') return name === undefined ? 'Here is the answer.' : `Here is ${name}.`;
  return tool.effect === 'control' ? 'Done.' : `${name ?? 'It'} ${DONE[tool.effect]}.`;
}

function list(tool: Tool, rows: readonly Fields[], total: unknown): string {
  const count = typeof total === 'number' ? total : rows.length;
  const noun = /^[\w ]+$/u.test(tool.tag) ? tool.tag : 'entries';
  if (count === 0) return `There are no ${noun}.`;
  const names = rows.slice(0, TOLD).map((row) => {
    const state = stateOf(row);
    return `${nameOf(row) ?? 'one without a name'}${state === undefined ? '' : `, ${state}`}`;
  });
  const more = count > names.length ? `, and ${count - names.length} more` : '';
  return `${count} ${count === 1 ? noun.replace(/s$/u, '') : noun}: ${names.join('; ')}${more}.`;
}

function nameOf(row: Fields): string | undefined {
  const name = row['name'] ?? row['filename'] ?? row['username'];
  return typeof name === 'string' && !name.includes('://') ? name : undefined;
}

function stateOf(row: Fields): string | undefined {
  return typeof row['status'] === 'number' ? STATUS_WORDS[row['status']] : undefined;
}
