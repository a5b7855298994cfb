/**
 * Rows as callers see them, made once for each version: a list that is asked for again presents, checks and writes out only the rows
 * that have changed since. A view is frozen all through, so what is remembered of it stays true.
 */
import type { ResidentName, CollectionRows } from '../../domain/collections.ts';
import type { Lookup, Resource } from '../../domain/resource.ts';

/** What is known of a view, under a symbol that neither JSON nor a copy of it carries on. */
interface Facts {
  /** The check that it has passed. */
  fit?: unknown;
  json?: string;
}
const FACTS = Symbol('facts');

interface Made {
  readonly resource: object;
  /** The rows that it was made of beside its own. */
  readonly related: readonly unknown[];
  readonly view: object;
}

/** Some 2 KB each: 40 MB at most, and less for a store that has fewer rows. */
const MAX_VIEWS = 20_000;
let views = new WeakMap<object, Made>();
let kept = 0;

/** What `resource.present` answers for rows of a list, which must name in `related` whatever it looks up. */
export function viewOf<C extends ResidentName>(
  resource: Resource<C>,
  row: Readonly<CollectionRows[C]>,
  lookup: Lookup,
): unknown {
  // A row that could still change would take its view with it.
  if (!Object.isFrozen(row)) return resource.present(row, lookup);
  const references = resource.related?.(row) ?? [];
  const made = views.get(row);
  if (made?.resource === resource && isMadeOf(made, references, lookup)) return made.view;
  const view = resource.present(row, onlyOf(references, lookup));
  if (typeof view !== 'object' || view === null || view === row) return view;
  Object.defineProperty(view, FACTS, { value: {} });
  freeze(view);
  kept += 1;
  if (kept > MAX_VIEWS) {
    views = new WeakMap();
    kept = 0;
  }
  views.set(row, { resource, related: references.map(([collection, id]) => lookup.get(collection, id)), view });
  return view;
}

/** Called for every row of every list: without a list or a closure of its own. */
function isMadeOf(
  { related }: Made,
  references: readonly (readonly [ResidentName, number])[],
  lookup: Lookup,
): boolean {
  if (related.length !== references.length) return false;
  for (let at = 0; at < related.length; at += 1) {
    const [collection, id] = references[at]!;
    if (related[at] !== lookup.get(collection, id)) return false;
  }
  return true;
}

/** Holds `present` to what `related` names: a view of anything else would outlive it. */
function onlyOf(references: readonly (readonly [ResidentName, number])[], lookup: Lookup): Lookup {
  return {
    get(collection, id) {
      if (references.some(([name, known]) => name === collection && known === id)) return lookup.get(collection, id);
      throw new Error(`present looks up ${collection} ${id}, which related does not name`);
    },
  };
}

/** undefined for whatever is no view. */
export function factsOf(value: object): Facts | undefined {
  return (value as { [FACTS]?: Facts })[FACTS];
}

/** As JSON.stringify; a row of a list that is a view is written out once. */
export function toJson(body: unknown): string {
  const { rows, ...rest } = (body ?? {}) as { rows?: unknown };
  if (!Array.isArray(rows) || rows.length === 0 || Object.keys(rest).length === 0) return JSON.stringify(body);
  return joined(rows, JSON.stringify(rest));
}

function joined(rows: readonly unknown[], tail: string): string {
  const parts = rows.map(rowJson);
  // Into the first and the last part, so that one join makes the whole text: a concatenation would have it copied once more.
  parts[0] = `{"rows":[${parts[0]}`;
  parts.push(`${parts.pop()}],${tail.slice(1)}`);
  return parts.join(',');
}

function rowJson(row: unknown): string {
  const facts = typeof row === 'object' && row !== null ? factsOf(row) : undefined;
  return facts === undefined ? JSON.stringify(row) : (facts.json ??= JSON.stringify(row));
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
