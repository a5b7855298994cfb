/** What a call would do, without doing it: its plan is made in a transaction that is taken back, and nothing outside can be reached. */
import type { CollectionName } from '../domain/collections.ts';
import type { Control } from '../domain/control.ts';
import { ruleViolated } from '../domain/errors.ts';
import type { Tx, View } from '../domain/store.ts';
import type { Tool, ToolContext } from './tool.ts';
import { stripInvisible } from './visible.ts';

export interface PlannedChange {
  action: 'create' | 'change' | 'delete' | 'start' | 'stop';
  resource: string;
  id: number;
  name: string | null;
}

export interface Preview {
  preview: true;
  operation: string;
  /** What the call would write, in its order. */
  changes: PlannedChange[];
  notes: string[];
  message: string;
}

/** Thrown once the plan is made: the transaction is taken back, and the handler comes no further. */
class Planned extends Error {
  readonly changes: readonly PlannedChange[];
  readonly notes: readonly string[];

  constructor(changes: readonly PlannedChange[], notes: readonly string[] = []) {
    super('planned');
    this.changes = changes;
    this.notes = notes;
  }
}

/** Looks and orders inside a transaction: they do nothing by themselves. */
const HARMLESS = new Set<keyof Control>([
  'checkStart', 'checkChange', 'orderStart', 'orderStop', 'status', 'watchAddresses', 'deviceState', 'startTargets', 'lastReport',
  'deviceCapacity', 'measured', 'timezone',
]); // prettier-ignore
/** Their rows are how a change is remembered, not what it is. */
const UNTOLD = new Set<CollectionName>(['audit', 'idempotency', 'events']);
const MOST_TOLD = 20;

export type Guarded = Pick<ToolContext, 'commit' | 'control' | 'integrations' | 'system'>;

/** `run` calls the handler with ports that cannot do anything. Throws what the call itself would throw, and rule_violated where it cannot be told. */
export async function previewOf(
  tool: Tool,
  { control }: Pick<ToolContext, 'control'>,
  transact: <T>(plan: (tx: Tx) => T) => Promise<T>,
  now: string,
  run: (ports: Guarded) => Promise<unknown>,
): Promise<Preview> {
  const commit: ToolContext['commit'] = (plan) =>
    transact((tx): never => {
      const changes: PlannedChange[] = [];
      plan(watched(tx, changes), now);
      throw new Planned(changes);
    });
  const ports = { commit, control: guarded(tool, control, transact), integrations: wall(tool), system: wall(tool) };
  try {
    await run(ports as unknown as Guarded);
    return told(tool, [], []);
  } catch (error) {
    if (error instanceof Planned) return told(tool, error.changes, error.notes);
    throw error;
  }
}

function guarded(tool: Tool, control: Control, transact: <T>(look: (view: View) => T) => Promise<T>): Control {
  const changeLive: Control['changeLive'] = async (livestreamId, change) => {
    const { notes, name } = await transact((view) => ({
      notes: control.checkChange(view, livestreamId, change),
      name: view.get('livestreams', livestreamId)?.name ?? null,
    }));
    throw new Planned([{ action: 'change', resource: 'Live stream on air', id: livestreamId, name }], notes);
  };
  return new Proxy(control, {
    get(target, key: keyof Control) {
      if (key === 'changeLive') return changeLive;
      return HARMLESS.has(key) ? target[key] : wall(tool);
    },
  });
}

/** Throws where it is used in any way. */
function wall(tool: Tool): object {
  const refuse = (): never => {
    throw ruleViolated(
      `${tool.name} cannot be tried with dry_run: it reaches outside of the service before it changes anything.`,
    );
  };
  return new Proxy(refuse, { get: refuse, apply: refuse });
}

/** A class of the store may hide its state from a stranger, so its own methods are called on itself. */
function watched(tx: Tx, changes: PlannedChange[]): Tx {
  const note = (
    collection: CollectionName,
    id: number,
    row: object | undefined,
    action: PlannedChange['action'],
  ): void => {
    if (!UNTOLD.has(collection) && changes.length < MOST_TOLD) changes.push(changeOf(tx, collection, id, row, action));
  };
  return {
    get: (collection, id) => tx.get(collection, id),
    version: (collection, id) => tx.version(collection, id),
    find: (collection, query) => tx.find(collection, query),
    insert(collection, row) {
      const inserted = tx.insert(collection, row);
      note(collection, inserted.id, inserted, 'create');
      return inserted;
    },
    put(collection, row) {
      tx.put(collection, row);
      note(collection, row.id, row, 'change');
    },
    delete(collection, id) {
      // Only what is off can be deleted: the row of its last run goes with it, and nothing is stopped.
      if (collection !== 'runs') note(collection, id, tx.get(collection, id), 'delete');
      tx.delete(collection, id);
    },
  };
}

/** The row of a run tells what becomes of its Live stream. */
function changeOf(
  view: View,
  collection: CollectionName,
  id: number,
  row: object | undefined,
  action: PlannedChange['action'],
): PlannedChange {
  if (collection === 'runs') {
    const { desired } = (row ?? {}) as { desired?: string };
    const name = view.get('livestreams', id)?.name ?? null;
    return { action: desired === 'on' ? 'start' : 'stop', resource: 'Live stream', id, name };
  }
  const { name, filename, username } = (row ?? {}) as Record<string, string | undefined>;
  return { action, resource: nounOf(collection), id, name: name ?? filename ?? username ?? null };
}

/** `publishingGroups` → `Publishing group`. */
function nounOf(collection: CollectionName): string {
  const words = collection
    .replace(/ies$/u, 'y')
    .replace(/s$/u, '')
    .replace(/([a-z])([A-Z])/gu, (_both, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/^Livestream/u, 'Live stream');
}

function told({ name: operation }: Tool, changes: readonly PlannedChange[], notes: readonly string[]): Preview {
  const acts = changes.map(({ action, resource, id, name }) => {
    const which = action === 'create' ? '' : ` ${id}`;
    return `${action} ${resource}${which}${name === null ? '' : ` "${stripInvisible(name)}"`}`;
  });
  const what = acts.length === 0 ? 'It would change nothing.' : `It would ${[...new Set(acts)].join(', ')}.`;
  const message = [`Nothing was done yet.`, what, ...notes].join(' ');
  return { preview: true, operation, changes: [...changes], notes: [...notes], message };
}
