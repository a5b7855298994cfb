/** Lists: the query fields that every list takes, the pagination object, and the projection to named fields. */
import { z } from 'zod/v3';
import { toIso } from '../../domain/time/clock.ts';
import { invalidInput } from '../../domain/base/errors.ts';
import type { Condition, Found, Query } from '../../domain/ports/store.ts';

/** Over REST and the CLI a page has 100 rows with all fields; a model gets 20 rows with the short ones. */
export const PAGE_SIZE = { rest: 100, mcp: 20 } as const;

export const pageFields = {
  page: z.number().int().min(1).default(1).describe('Page, from 1.'),
  pageSize: z.number().int().min(1).max(500).default(PAGE_SIZE.rest).describe('Rows a page, 1-500.'),
  sort: z.string().min(1).max(64).optional().describe('Field to sort by; a leading - means descending.'),
  search: z.string().max(100).optional().describe('Substring of the name.'),
  fields: z.string().max(1000).optional().describe('Names of the fields to answer, comma-separated; * for all.'),
};

const pagination = z
  .object({
    page: z.number().int(),
    pageSize: z.number().int(),
    total: z.number().int().describe('Rows that match.'),
    totalPages: z.number().int(),
  })
  .strict();

export function listOf<S extends z.ZodTypeAny>(
  row: S,
): z.ZodObject<{ rows: z.ZodArray<S>; pagination: typeof pagination }, 'strict'> {
  return z.object({ rows: z.array(row), pagination }).strict();
}

export function dataOf<S extends z.ZodTypeAny>(schema: S): z.ZodObject<{ data: S }, 'strict'> {
  return z.object({ data: schema }).strict();
}

export interface PageInput {
  page: number;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
}

/** The store's query of a page. `sortable` are the fields a caller may sort by; another one is invalid_input. */
export function pageQuery(
  input: PageInput,
  sortable: readonly string[],
  where: Record<string, Condition | undefined> = {},
): Query {
  const query: Query = { where, offset: (input.page - 1) * input.pageSize, limit: input.pageSize };
  if (input.search !== undefined && input.search !== '') query.search = input.search;
  if (input.sort !== undefined) {
    const field = input.sort.replace(/^-/u, '');
    if (field !== 'id' && !sortable.includes(field)) {
      const allowed = ['id', ...sortable];
      throw invalidInput([
        {
          field: 'sort',
          code: 'invalid_value',
          message: `cannot sort by ${field}; use one of ${allowed.join(', ')}`,
          allowed,
        },
      ]);
    }
    query.sort = { field, descending: input.sort.startsWith('-') };
  }
  return query;
}

/**
 * The condition of an instant at or after `from` and before `to`; undefined where both are left out. Stored instants have milliseconds, and
 * text without them would sort after those that have.
 */
export function instantRange(from: string | undefined, to: string | undefined): Condition | undefined {
  if (from === undefined && to === undefined) return undefined;
  const normal = (instant: string): string => toIso(Date.parse(instant));
  return { ...(from !== undefined && { gte: normal(from) }), ...(to !== undefined && { lt: normal(to) }) };
}

export function pageBody<T>(
  rows: readonly T[],
  total: number,
  input: PageInput,
): { rows: T[]; pagination: z.infer<typeof pagination> } {
  const { page, pageSize } = input;
  return { rows: [...rows], pagination: { page, pageSize, total, totalPages: Math.ceil(total / pageSize) } };
}

export function foundBody<T, V>(
  found: Found<T>,
  input: PageInput,
  present: (row: Readonly<T>) => V,
): { rows: V[]; pagination: z.infer<typeof pagination> } {
  return pageBody(found.rows.map(present), found.total, input);
}

/** The `fields` of a call with the fields of its `include…` flags: a caller who wants them embedded wants them answered. */
export function withEmbedded(input: Readonly<Record<string, unknown>>): unknown {
  const { fields } = input;
  if (typeof fields !== 'string' || fields.trim() === '') return fields;
  const includes = Object.keys(input)
    .filter((name) => /^include[A-Z]/u.test(name) && input[name] === true)
    .map((name) => name.charAt('include'.length).toLowerCase() + name.slice('include'.length + 1));
  return [fields, ...includes].join(',');
}

/** Keeps the named fields of each row, and always the id. Throws AppError invalid_input for unknown names. */
export function projectRows(
  rows: Record<string, unknown>[],
  fields: string,
  known: readonly string[],
): Record<string, unknown>[] {
  const names = fields
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.includes('*')) return rows;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0 || names.length === 0) {
    const what = names.length === 0 ? 'names no field' : `${unknown.join(', ')} cannot be answered`;
    const message = `${what}; known are ${known.join(', ')}`;
    throw invalidInput([{ field: 'fields', code: 'invalid_value', message, allowed: known }]);
  }
  // A row without an id of its own is about another resource, and has that one's id in its first field.
  const key = known.includes('id') ? 'id' : known[0];
  const wanted = known.filter((name) => name === key || names.includes(name));
  return rows.map((row) => Object.fromEntries(wanted.map((name) => [name, row[name]])));
}
