/** What a call would do, without doing it: its plan is made in a transaction that is taken back, and nothing outside can be reached. */
import type { Control } from '../../domain/control.ts';
import { AppError } from '../../domain/errors.ts';
import { endingRecordings } from '../../domain/resources/recording.ts';
import type { Run } from '../../domain/run.ts';
import type { LiveChange } from '../../domain/runtime.ts';
import type { Tx, View } from '../../domain/store.ts';
import {
  asked,
  bearings,
  differences,
  measures,
  nameOf,
  nounOf,
  sayField,
  type PlannedField,
} from './planned-fields.ts';
import { PlannedRows, type PlannedRow } from './planned-rows.ts';
import { withoutIdlePuts } from './real-changes.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { say } from '../subjects/workflow.ts';

export interface PlannedChange {
  action: 'create' | 'change' | 'delete' | 'start' | 'stop';
  resource: string;
  id: number;
  /** Its name before the change. */
  name: string | null;
  /** What differs; of what is created or has no name, what it belongs to. */
  fields: PlannedField[];
}

export interface Preview {
  preview: true;
  operation: string;
  /** What the call would write, in its order. */
  changes: PlannedChange[];
  notes: string[];
  /** What it comes to, in one sentence. */
  effect: string;
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
  'checkStart', 'checkChange', 'orderStart', 'orderStop', 'status', 'watchAddresses', 'playbackLink', 'deviceState', 'startTargets', 'lastReport',
  'deviceCapacity', 'measured', 'timezone',
]); // prettier-ignore
const MAX_TOLD = 20;
/** More fields than this are not read. */
const MAX_SAID = 4;

export type Guarded = Pick<ToolContext, 'commit' | 'control' | 'integrations' | 'system'>;

/** `run` calls the handler with ports that cannot do anything. Throws what the call itself would throw, and rule_violated where it cannot be told. */
export async function previewOf(
  tool: Tool,
  { control, integrations }: Pick<ToolContext, 'control' | 'integrations'>,
  transact: <T>(plan: (tx: Tx) => T) => Promise<T>,
  now: string,
  run: (ports: Guarded) => Promise<unknown>,
): Promise<Preview> {
  const commit: ToolContext['commit'] = (plan) =>
    transact((tx): never => {
      const planned = new PlannedRows();
      plan(withoutIdlePuts(planned.watching(tx)), now);
      const rows = planned.all().slice(0, MAX_TOLD);
      throw new Planned(
        rows.map((row) => changeOf(tx, row)),
        notesOf(tx, rows),
      );
    });
  const services = wall(tool, { hostRefusal: integrations.hostRefusal });
  const ports = { commit, control: guarded(tool, control, transact), integrations: services, system: wall(tool) };
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
    const { notes, name, fields } = await transact((view) => ({
      notes: control.checkChange(view, livestreamId, change),
      name: nameOf(view.get('livestreams', livestreamId)),
      fields: liveFields(view, livestreamId, change).slice(0, MAX_TOLD),
    }));
    throw new Planned([{ action: 'change', resource: 'Live stream on air', id: livestreamId, name, fields }], notes);
  };
  return new Proxy(control, {
    get(target, key: keyof Control) {
      if (key === 'changeLive') return changeLive;
      if (key === 'recordings') return { open: wall(tool), remove: () => Promise.resolve() };
      return HARMLESS.has(key) ? target[key] : wall(tool);
    },
  });
}

/** Options come whole, whatever of them is new. */
function liveFields(view: View, livestreamId: number, { kind, body }: LiveChange): PlannedField[] {
  const present = view.get('livestreams', livestreamId) as Record<string, unknown> | undefined;
  if (kind !== 'options' || present === undefined) return asked(view, body);
  return differences(view, Object.fromEntries(Object.keys(body).map((name) => [name, present[name]])), body);
}

/** Throws where it is used in any way but that of `harmless`. */
function wall(tool: Tool, harmless: Record<string, unknown> = {}): object {
  const refuse = (): never => {
    const detail = `${tool.name} cannot be tried with dry_run: it asks another machine, or takes in a file, before it is known what would change. Nothing was done.`;
    throw new AppError('rule_violated', detail, { remedy: 'Call it without dry_run when it is to be done.' });
  };
  return new Proxy(refuse, { get: (_, key) => harmless[String(key)] ?? refuse(), apply: refuse });
}

function changeOf(view: View, { collection, id, before, after }: PlannedRow): PlannedChange {
  if (collection === 'runs') return runChange(view, id, before as Run | undefined, after as Run | undefined);
  const action = before === undefined ? 'create' : after === undefined ? 'delete' : 'change';
  const row = (before ?? after ?? {}) as Record<string, unknown>;
  const name = nameOf(row);
  const fields = [
    ...(name === null || action === 'create' ? bearings(view, row) : []),
    ...(action === 'change' ? differences(view, row, after as Record<string, unknown>) : []),
    ...(action === 'delete' ? measures(view, row) : []),
  ];
  return { action, resource: nounOf(collection), id, name, fields: fields.slice(0, MAX_TOLD) };
}

/** The row of a run tells what becomes of its Live stream. */
function runChange(view: View, id: number, before: Run | undefined, after: Run | undefined): PlannedChange {
  const action = after?.desired === 'on' ? 'start' : before?.desired === 'on' ? 'stop' : 'change';
  return { action, resource: 'Live stream', id, name: nameOf(view.get('livestreams', id)), fields: [] };
}

/** What ends with a run that is stopped. */
function notesOf(view: View, rows: readonly PlannedRow[]): string[] {
  return rows.flatMap(({ collection, id, before, after }) => {
    if (collection !== 'runs' || (after as Run | undefined)?.desired !== 'off') return [];
    const isFed = (run: object | undefined): boolean =>
      (run as Run | undefined)?.startConfig.some(({ primary, backup }) => primary || backup) ?? false;
    const off = isFed(before) && !isFed(after) ? ['Its Destinations stay off at the next start.'] : [];
    return [...endingRecordings(view, id), ...off];
  });
}

function told({ name: operation }: Tool, changes: readonly PlannedChange[], notes: readonly string[]): Preview {
  const effect = changes.length === 0 ? 'It would change nothing.' : `It would ${listed(changes.map(sayChange))}.`;
  const message = ['Nothing was done yet.', effect, ...notes].join(' ');
  return { preview: true, operation, changes: [...changes], notes: [...notes], effect, message };
}

function sayChange({ action, resource, id, name, fields }: PlannedChange): string {
  const which = `${action === 'create' ? '' : ` ${id}`}${name === null ? '' : ` "${say(name)}"`}`;
  const more = fields.length > MAX_SAID ? [`${fields.length - MAX_SAID} more`] : [];
  const details = [...fields.slice(0, MAX_SAID).map(sayField), ...more];
  return `${action} ${resource}${which}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

function listed(acts: readonly string[]): string {
  return acts.length < 2 ? acts.join('') : `${acts.slice(0, -1).join(', ')} and ${acts.at(-1)}`;
}
