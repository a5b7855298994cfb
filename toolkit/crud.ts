/** Factories for plain create, read, update and delete, so that such a tool file is its declaration and little else. */
import { z } from 'zod/v3';
import { COLLECTIONS, type ResidentName, type CollectionRows } from '../domain/ports/collections.ts';
import type { Control } from '../domain/ports/control.ts';
import { AppError, inUse, notFound } from '../domain/base/errors.ts';
import { reachIssues } from '../domain/rules/sources/reachable.ts';
import type { Lookup, Resource } from '../domain/ports/resource.ts';
import { assertRules } from '../domain/rules/rows/references.ts';
import { idField, isPlain, mergePatch, toPartial } from '../domain/base/schema.ts';
import { called } from '../domain/base/sentence.ts';
import type { Condition, Store, Tx, Versioned, View } from '../domain/ports/store.ts';
import { parseInput } from './input/input.ts';
import { assertVisibleNames } from './input/new-name.ts';
import { laterFields, without, withLater, type LaterFields } from './output/later-fields.ts';
import { dataOf, foundBody, listOf, pageFields, pageQuery, type PageInput } from './output/page.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';
import { viewOf } from './output/views.ts';

/** The declaration in a tool file. The factory adds effect, input, output and handler. */
export type Declaration = Pick<
  Tool,
  'name' | 'summary' | 'description' | 'tag' | 'aliases' | 'rest' | 'access' | 'secretAnswer'
>;
type Plain = Record<string, unknown>;
type Row<C extends ResidentName> = CollectionRows[C];

export function listTool<C extends ResidentName>(declaration: Declaration, resource: Resource<C>): Tool {
  const { collection, shortFields, filters, output } = resource;
  return defineTool({
    ...declaration,
    effect: 'read',
    input: z.object({ ...pageFields, ...filters }).strict(),
    output: listOf(output.partial()),
    shortFields,
    async handle(ctx, input) {
      const page = input as PageInput & Plain;
      const where = Object.fromEntries(Object.keys(filters).map((name) => [name, page[name] as Condition | undefined]));
      const found = await ctx.store.find(collection, pageQuery(page, COLLECTIONS[collection].indexed, where));
      const lookup = await lookupOf(ctx.store, resource, found.rows);
      const { live } = resource;
      const viewed = (row: Readonly<Row<C>>): unknown => viewOf(resource, row, lookup);
      // What lives changes without the row: such a view is made anew each time.
      const shown =
        live === undefined
          ? viewed
          : (row: Readonly<Row<C>>) => ({ ...(viewed(row) as Plain), ...live(row, ctx.control) });
      return { body: foundBody(found, page, shown) as never };
    },
  });
}

export function getTool<C extends ResidentName>(declaration: Declaration, resource: Resource<C>): Tool {
  return defineTool({
    ...declaration,
    effect: 'read',
    input: z.object({ [resource.idParam]: idField.describe(`Id of the ${resource.noun}.`) }).strict(),
    output: dataOf(resource.output),
    async handle(ctx, input) {
      const { row, version } = await getRow(ctx.store, resource, input[resource.idParam] as number);
      const data = resource.present(row, await lookupOf(ctx.store, resource, [row])) as Plain;
      return { body: { data: { ...data, ...resource.live?.(row, ctx.control) } as never }, version };
    },
  });
}

/** `once` answers fields that only this answer shows. */
export function addTool<C extends ResidentName>(
  declaration: Declaration,
  resource: Resource<C>,
  own: (ctx: ToolContext) => Partial<Row<C>> = () => ({}),
  once: (ctx: ToolContext, row: Readonly<Row<C>>, sent: Plain) => object = () => ({}),
): Tool {
  return defineTool({
    ...declaration,
    effect: 'create',
    input: z.object(resource.shape).strict(),
    output: dataOf(resource.output),
    handle: (ctx, input) =>
      ctx.commit((tx, now) => {
        const sent = isPlain(ctx.request.sent) ? ctx.request.sent : {};
        const row = insertRow(ctx, tx, now, { resource, input: { ...input, ...own(ctx) }, sent });
        const answer = presentIn(tx, resource, row, ctx.control);
        return { ...answer, body: { data: { ...(answer.body.data as Plain), ...once(ctx, row, sent) } as never } };
      }),
  });
}

interface InsertRowOptions<C extends ResidentName> {
  resource: Resource<C>;
  input: object;
  sent: Plain;
}

/**
 * Makes the row as its operation would: completed, checked by its rules, stored. `input` has passed the schema, `sent` is what it was
 * before. Throws AppError as the operation does.
 */
export function insertRow<C extends ResidentName>(
  ctx: Pick<ToolContext, 'integrations'>,
  tx: Tx,
  now: string,
  { resource, input, sent }: InsertRowOptions<C>,
): Readonly<Row<C>> {
  const draft = { ...input, created_at: now, updated_at: now } as unknown as Row<C>;
  const row = resource.complete?.(draft, undefined, input as Plain, tx) ?? draft;
  resource.check?.(row, tx, undefined, sent);
  assertReach(ctx, resource, row);
  return tx.insert(resource.collection, row);
}

const notesField = {
  notes: z.array(z.string()).optional().describe('What to know beside it, a sentence each; mostly none.'),
};

/**
 * `cascade` changes the rows that depend on a changed row in the same commit. It is not called when nothing has changed. With `hasNotes`,
 * its notes stand beside the row in the answer. `flags` are inputs that are for the cascade alone.
 */
export function updateTool<C extends ResidentName>(
  declaration: Declaration,
  resource: Resource<C>,
  cascade: (
    tx: Tx,
    row: Readonly<Row<C>>,
    update: { before: Readonly<Row<C>>; ctx: ToolContext; now: string; flags: Plain },
  ) => readonly string[] | void = () => undefined,
  hasNotes = false,
  flags: z.ZodRawShape = {},
): Tool {
  const patchShape = toPartial(resource.shape).shape as z.ZodRawShape;
  return defineTool({
    ...declaration,
    effect: 'update',
    input: z
      .object({ [resource.idParam]: idField.describe(`Id of the ${resource.noun}.`), ...patchShape, ...flags })
      .strict(),
    output: dataOf(hasNotes ? resource.output.extend(notesField).strict() : resource.output),
    handle: (ctx, input) =>
      ctx.commit((tx, now) => {
        const { [resource.idParam]: id, ...sent } = input as Plain;
        const patch = Object.fromEntries(Object.entries(sent).filter(([name]) => !(name in flags)));
        const stored = assertRow(tx, resource, id as number, ctx.request.expectedVersions);
        resource.guard?.(stored, tx);
        const later = laterIn(resource, stored);
        const present = without(stored, later) as Readonly<Row<C>>;
        const changes = withoutEchoes(patch, resource.present(present, tx) as Plain);
        assertVisibleNames(changes);
        const patched = mergePatch(present, changes) as Plain;
        // A nested object that was null needs its required fields and defaults, so the full schema has the last word.
        const fields = parseInput(z.object(resource.shape).strict(), pick(patched, Object.keys(resource.shape)));
        const merged = { ...patched, ...fields, updated_at: now } as unknown as Row<C>;
        const row = resource.complete?.(merged, present, patch, tx) ?? merged;
        resource.check?.(row, tx, present, changes);
        assertReach(ctx, resource, row, present);
        const version = tx.version(resource.collection, row.id);
        tx.put(resource.collection, withLater(row, later));
        const isChanged = tx.version(resource.collection, row.id) !== version;
        const notes = isChanged ? cascade(tx, row, { before: present, ctx, now, flags: sent }) : undefined;
        const answer = presentIn(tx, resource, row, ctx.control);
        return notes?.length ? { ...answer, body: { data: { ...(answer.body.data as Plain), notes } } } : answer;
      }),
  });
}

/** Fields of a later version, inside of those that can be changed here. */
function laterIn<C extends ResidentName>({ shape }: Resource<C>, row: Readonly<Row<C>>): LaterFields[] {
  const fields = pick(row as Plain, Object.keys(shape));
  return laterFields(fields, z.object(shape).strict().safeParse(fields).error?.issues ?? []);
}

function assertReach<C extends ResidentName>(
  { integrations }: Pick<ToolContext, 'integrations'>,
  { collection }: Resource<C>,
  row: Row<C>,
  present?: Readonly<Row<C>>,
): void {
  assertRules(reachIssues(collection, row, present, integrations.hostRefusal));
}

export const deletedOutput = dataOf(z.object({ id: z.number().int(), deleted: z.literal(true) }).strict());

/** `cascade` removes the rows that belong to this row alone, in the same commit. */
export function deleteTool<C extends ResidentName>(
  declaration: Declaration,
  resource: Resource<C>,
  cascade: (tx: Tx, id: number, now: string) => void = () => undefined,
): Tool {
  return defineTool({
    ...declaration,
    effect: 'delete',
    input: z.object({ [resource.idParam]: idField.describe(`Id of the ${resource.noun}.`) }).strict(),
    output: deletedOutput,
    handle: (ctx, input) =>
      ctx.commit((tx, now) => {
        const id = input[resource.idParam] as number;
        const present = assertRow(tx, resource, id, ctx.request.expectedVersions);
        resource.guard?.(present, tx);
        const users = resource.users?.(tx, id) ?? [];
        if (users.length > 0) throw inUse(resource.noun, present, users);
        cascade(tx, id, now);
        tx.delete(resource.collection, id);
        return { body: { data: { id, deleted: true as const } } };
      }),
  });
}

/** The row with its version. Throws AppError not_found. */
export async function getRow<C extends ResidentName>(
  store: Pick<Store, 'get'>,
  resource: Pick<Resource<C>, 'collection' | 'noun'>,
  id: number,
): Promise<Versioned<Row<C>>> {
  const found = await store.get(resource.collection, id);
  if (found === undefined) throw notFound(resource.noun, id);
  return found;
}

/** The row in one of the expected versions. Throws AppError not_found or version_mismatch. */
export function assertRow<C extends ResidentName>(
  view: View,
  resource: Pick<Resource<C>, 'collection' | 'noun'>,
  id: number,
  expectedVersions: readonly number[] | undefined,
): Readonly<Row<C>> {
  const row = view.get(resource.collection, id);
  if (row === undefined) throw notFound(resource.noun, id);
  const version = view.version(resource.collection, id);
  if (expectedVersions?.includes(version) === false) {
    throw new AppError(
      'version_mismatch',
      `${called(resource.noun, row)} has changed since it was read: its ETag is "${version}". Read it again and repeat the change.`,
      {
        facts: { etag: `"${version}"` },
      },
    );
  }
  return row;
}

/**
 * The answer of a write: the row as it is stored now and as callers see it, with its version. `control` is for a resource with fields that
 * live.
 */
export function presentIn<C extends ResidentName>(
  tx: Tx,
  resource: Resource<C>,
  row: Readonly<Row<C>>,
  control?: Pick<Control, 'ingest'>,
): { body: { data: never }; version: number } {
  const { collection } = resource;
  const stored = tx.get(collection, row.id) ?? row;
  const live = control && resource.live?.(stored, control);
  const data = { ...(resource.present(stored, tx) as Plain), ...live };
  return { body: { data: data as never }, version: tx.version(collection, row.id) };
}

/** Reads what `present` will look up, so that presenting stays synchronous. */
export async function lookupOf<C extends ResidentName>(
  store: Pick<Store, 'getMany'>,
  resource: Resource<C>,
  rows: readonly Readonly<Row<C>>[],
): Promise<Lookup> {
  // An id may be in it twice: a check would cost each list more than reading a row twice does.
  const wanted = new Map<ResidentName, number[]>();
  for (const row of rows) {
    for (const [collection, id] of resource.related?.(row) ?? []) {
      const ids = wanted.get(collection);
      if (ids === undefined) wanted.set(collection, [id]);
      else ids.push(id);
    }
  }
  const fetched = new Map<ResidentName, Map<number, unknown>>();
  for (const [collection, ids] of wanted) {
    const rowsById = new Map<number, unknown>();
    for (const row of await store.getMany(collection, ids)) rowsById.set(row.id, row);
    fetched.set(collection, rowsById);
  }
  return { get: (collection, id) => fetched.get(collection)?.get(id) as never };
}

/** Drops the fields of a patch that equal the row as the caller sees it: a masked secret that is sent back is no change. */
function withoutEchoes(patch: Plain, shown: Plain): Plain {
  const changes: Plain = {};
  for (const [key, value] of Object.entries(patch)) {
    const before = shown[key];
    if (isPlain(value) && isPlain(before)) changes[key] = withoutEchoes(value, before);
    else if (JSON.stringify(value) !== JSON.stringify(before)) changes[key] = value;
  }
  return changes;
}

function pick(from: Plain, names: readonly string[]): Plain {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}
