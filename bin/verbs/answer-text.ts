/** Any answer of an operation as a table: its own fields are the columns, for no command knows it. */
import { table } from '../output/table.ts';

const MAX_COLUMNS = 8;

export function answerText(value: object): string {
  if (!Array.isArray(value))
    return table(
      ['FIELD', 'VALUE'],
      Object.entries(value).map(([name, field]) => [name, textOf(field)]),
    );
  const rows = value as Record<string, unknown>[];
  if (rows.length === 0) return 'There are none.';
  // Fields that hold other objects would take a line of their own.
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((name) => rows.every((row) => typeof row[name] !== 'object' || row[name] === null))
    .slice(0, MAX_COLUMNS);
  return table(
    names.map((name) => name.toUpperCase()),
    rows.map((row) => names.map((name) => textOf(row[name]))),
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
