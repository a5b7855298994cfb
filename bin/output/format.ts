/** The forms in which a command answers: a table for people, JSON and YAML for programs. */
import { invalidInput } from '../../domain/base/errors.ts';
import { screenOf } from './screen.ts';
import { table, type Cell } from './table.ts';

export const FORMATS = ['table', 'json', 'yaml'] as const;
type Format = (typeof FORMATS)[number];

/** The flags of every command that answers. */
export interface FormatFlags {
  output?: Format;
  /** The fields to answer as JSON, separated by commas. */
  json?: string;
}

export interface Column<Row> {
  head: string;
  cell: (row: Row) => Cell;
}

/** The text that stands for rows on a terminal. */
export interface ListText<Row> {
  columns: readonly Column<Row>[];
  /** The sentence where there is none. */
  empty: string;
}

/** Whether the answer is for people: neither -o nor --json asks for another form. */
export function isTable({ output = 'table', json }: FormatFlags): boolean {
  return output === 'table' && json === undefined;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints rows: a table, or an array of them. Rejects with AppError invalid_input for a field that they do not have. */
export async function printRows<Row extends object>(
  rows: readonly Row[],
  text: ListText<Row>,
  flags: FormatFlags,
): Promise<void> {
  print(isTable(flags) ? listText(rows, text) : await documentText(rows, flags));
}

export function listText<Row>(rows: readonly Row[], { columns, empty }: ListText<Row>): string {
  if (rows.length === 0) return empty;
  return table(
    columns.map(({ head }) => head),
    rows.map((row) => columns.map(({ cell }) => cell(row))),
    screenOf(),
  );
}

/** Prints one thing: the text that `say` makes of it, or its object. Rejects as printRows does. */
export async function printOne<T extends object>(
  value: T,
  say: (value: T) => string,
  flags: FormatFlags,
): Promise<void> {
  print(isTable(flags) ? say(value) : await documentText(value, flags));
}

/** `isLine`: JSON of one line, for answers that follow each other. */
export async function documentText(value: object, flags: FormatFlags, isLine = false): Promise<string> {
  const chosen = flags.json === undefined ? value : withFields(value, flags.json);
  if (flags.output !== 'yaml') return JSON.stringify(chosen, null, isLine ? 0 : 2);
  return (await import('./yaml.ts')).yamlText(chosen);
}

function withFields(value: object, list: string): object {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const rows = (Array.isArray(value) ? value : [value]) as Record<string, unknown>[];
  const known = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const unknown = rows.length === 0 ? [] : names.filter((name) => !known.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    const what = unknown.length > 0 ? `has no ${unknown.join(', ')}` : 'needs the names of fields';
    const message = `${what}; the fields are ${known.join(', ')}`;
    throw invalidInput([{ field: '--json', code: 'invalid_value', message, allowed: known }]);
  }
  const chosen = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
  return Array.isArray(value) ? chosen : (chosen[0] ?? {});
}
