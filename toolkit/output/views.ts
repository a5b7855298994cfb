/**
 * Rows as callers see them, made once for each version: a repeated list presents, checks and serializes only the rows that have changed
 * since. A view is deeply frozen, so that its remembered facts stay true. The figures are in docs/decisions/output-caches.md.
 */
import type { ResidentName, CollectionRows } from '../../domain/ports/collections.ts';
import type { Lookup, Resource } from '../../domain/ports/resource.ts';

/** Facts about a view, under a symbol that neither JSON nor a copy of the view carries on. */
interface Facts {
  /** The check that it has passed. */
  fit?: unknown;
  json?: string;
}
const FACTS = Symbol('facts');

interface Made {
  readonly resource: object;
  /** The rows of other resources that the view was made of. */
  readonly related: readonly unknown[];
  readonly view: object;
}

/** A view has some 2 KB, so all have 40 MB at most, and less for a store with fewer rows. */
const MAX_VIEWS = 20_000;
let views = new WeakMap<object, Made>();
let viewCount = 0;

/** The answer of `resource.present` for a row of a list. The resource must name in `related` all that `present` looks up. */
export function viewOf<C extends ResidentName>(
  resource: Resource<C>,
  row: Readonly<CollectionRows[C]>,
  lookup: Lookup,
): unknown {
  // A row that can still change would make its view untrue.
  if (!Object.isFrozen(row)) return resource.present(row, lookup);
  const references = resource.related?.(row) ?? [];
  const made = views.get(row);
  if (made?.resource === resource && isMadeOf(made, references, lookup)) return made.view;
  const view = resource.present(row, onlyOf(references, lookup));
  if (typeof view !== 'object' || view === null || view === row) return view;
  Object.defineProperty(view, FACTS, { value: {} });
  freeze(view);
  viewCount += 1;
  if (viewCount > MAX_VIEWS) {
    views = new WeakMap();
    viewCount = 0;
  }
  views.set(row, { resource, related: references.map(([collection, id]) => lookup.get(collection, id)), view });
  return view;
}

/** It runs for every row of every list, and so makes neither a list nor a closure. */
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

/** Limits `present` to the rows that `related` names: a view of any other row would outlive that row. */
function onlyOf(references: readonly (readonly [ResidentName, number])[], lookup: Lookup): Lookup {
  return {
    get(collection, id) {
      if (references.some(([name, known]) => name === collection && known === id)) return lookup.get(collection, id);
      throw new Error(`present looks up ${collection} ${id}, which related does not name`);
    },
  };
}

/** The facts about a view; undefined for any other value. */
export function factsOf(value: object): Facts | undefined {
  return (value as { [FACTS]?: Facts })[FACTS];
}

/** Serializes as JSON.stringify does, but each view in a list only once. */
export function toJson(body: unknown): string {
  const { rows, ...rest } = (body ?? {}) as { rows?: unknown };
  if (!Array.isArray(rows) || rows.length === 0 || Object.keys(rest).length === 0) return JSON.stringify(body);
  return joined(rows, JSON.stringify(rest));
}

function joined(rows: readonly unknown[], tail: string): string {
  const parts = rows.map(rowJson);
  // Beginning and end go into the first and the last part, so that one join makes the whole text: a concatenation would copy it once more.
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
