/**
 * The preview of a call: its plan is made in a transaction that is taken back, and the handler reaches nothing outside, so that nothing
 * is done.
 */
import type { Control } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import { endingRecordings } from '../../domain/rules/media/recording.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { LiveChange } from '../../domain/shapes/changes/live-change.ts';
import type { Tx, View } from '../../domain/ports/store.ts';
import {
  bearings,
  differences,
  measures,
  nameOf,
  nounOf,
  plainField,
  requestedFields,
  sayField,
  type FieldWords,
  type PlannedField,
} from './planned-fields.ts';
import { PlannedRows, type PlannedRow } from './planned-rows.ts';
import { withoutIdlePuts } from './real-changes.ts';
import { joinSentences, say, sentence, type Sentence } from '../sentence.ts';
import type { Answer, Tool, ToolContext } from '../tool.ts';

export interface PlannedChange {
  action: 'create' | 'change' | 'delete' | 'start' | 'stop';
  resource: string;
  id: number;
  /** Its name before the change. */
  name: string | null;
  /** The differences; for a row that is created or has no name, what it belongs to. */
  fields: PlannedField[];
}

interface ChangeWords extends Omit<PlannedChange, 'fields'> {
  fields: FieldWords[];
}

export interface Preview {
  preview: true;
  operation: string;
  /** The rows that the call would write, in its order. */
  changes: PlannedChange[];
  notes: string[];
  /** The whole change in one sentence. */
  effect: string;
  message: string;
}

/** Ends the handler once its plan is made, and has the transaction taken back. */
class Planned extends Error {
  readonly changes: readonly ChangeWords[];
  readonly notes: readonly string[];

  constructor(changes: readonly ChangeWords[], notes: readonly string[] = []) {
    super('planned');
    this.changes = changes;
    this.notes = notes;
  }
}

/** These members look, or write orders inside the transaction: they do nothing outside it. */
const HARMLESS = new Set<keyof Control>([
  'checkStart',
  'checkChange',
  'orderStart',
  'orderStop',
  'orderMove',
  'status',
  'watchAddresses',
  'deliveryPlace',
  'playbackLink',
  'deviceState',
  'startTargets',
  'lastReport',
  'deviceCapacity',
  'measured',
  'timezone',
]);
const MAX_CHANGES = 20;
const MAX_FIELDS = 20;
/** A sentence with more fields than this is not read. */
const MAX_FIELDS_IN_SENTENCE = 4;

export type Guarded = Pick<ToolContext, 'commit' | 'control' | 'integrations' | 'system'>;

/**
 * The preview of one call. `run` calls the handler with ports that cannot do anything. Throws AppError as the call itself would, and
 * AppError rule_violated where the effect is not known before the call is made.
 */
export async function previewOf(
  tool: Tool,
  { control, integrations }: Pick<ToolContext, 'control' | 'integrations'>,
  transact: <T>(plan: (tx: Tx) => T) => Promise<T>,
  now: string,
  run: (ports: Guarded) => Promise<unknown>,
): Promise<Answer<Preview>> {
  const commit: ToolContext['commit'] = (plan) =>
    transact((tx): never => {
      const planned = new PlannedRows();
      plan(withoutIdlePuts(planned.watching(tx)), now);
      const rows = planned.all().slice(0, MAX_CHANGES);
      throw new Planned(
        rows.map((row) => changeOf(tx, row)),
        notesOf(tx, rows),
      );
    });
  const services = wall(tool, { hostRefusal: integrations.hostRefusal });
  const ports = { commit, control: guarded(tool, control, transact), integrations: services, system: wall(tool) };
  try {
    await run(ports as unknown as Guarded);
    return answerOf(tool, [], []);
  } catch (error) {
    if (error instanceof Planned) return answerOf(tool, error.changes, error.notes);
    throw error;
  }
}

function guarded(tool: Tool, control: Control, transact: <T>(look: (view: View) => T) => Promise<T>): Control {
  const changeLive: Control['changeLive'] = async (livestreamId, change) => {
    const { notes, name, fields } = await transact((view) => ({
      notes: control.checkChange(view, livestreamId, change),
      name: nameOf(view.get('livestreams', livestreamId)),
      fields: liveFields(view, livestreamId, change).slice(0, MAX_FIELDS),
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

/** A caller sends all options of a kind, so only those that differ from the stored ones are a change. */
function liveFields(view: View, livestreamId: number, { kind, body }: LiveChange): FieldWords[] {
  const present = view.get('livestreams', livestreamId) as Record<string, unknown> | undefined;
  if (kind !== 'options' || present === undefined) return requestedFields(view, body);
  return differences(view, Object.fromEntries(Object.keys(body).map((name) => [name, present[name]])), body);
}

/** A port that throws AppError rule_violated at any use but that of the members of `harmless`. */
function wall(tool: Tool, harmless: Record<string, unknown> = {}): object {
  const refuse = (): never => {
    const detail = `${tool.name} cannot be tried with dry_run: it asks another machine, or takes in a file, before it is known what would change. Nothing was done.`;
    throw new AppError('rule_violated', detail, { remedy: 'Call it without dry_run when it is to be done.' });
  };
  return new Proxy(refuse, { get: (_, key) => harmless[String(key)] ?? refuse(), apply: refuse });
}

function changeOf(view: View, { collection, id, before, after }: PlannedRow): ChangeWords {
  if (collection === 'runs') return runChange(view, id, before as Run | undefined, after as Run | undefined);
  const action = before === undefined ? 'create' : after === undefined ? 'delete' : 'change';
  const row = (before ?? after ?? {}) as Record<string, unknown>;
  const name = nameOf(row);
  const fields = [
    ...(name === null || action === 'create' ? bearings(view, row) : []),
    ...(action === 'change' ? differences(view, row, after as Record<string, unknown>) : []),
    ...(action === 'delete' ? measures(view, row) : []),
  ];
  return { action, resource: nounOf(collection), id, name, fields: fields.slice(0, MAX_FIELDS) };
}

/** A run's row says what happens to its Live stream. */
function runChange(view: View, id: number, before: Run | undefined, after: Run | undefined): ChangeWords {
  const action = after?.desired === 'on' ? 'start' : before?.desired === 'on' ? 'stop' : 'change';
  return { action, resource: 'Live stream', id, name: nameOf(view.get('livestreams', id)), fields: [] };
}

/** Everything else that ends with a run that is stopped. */
function notesOf(view: View, rows: readonly PlannedRow[]): string[] {
  return rows.flatMap(({ collection, id, before, after }) => {
    if (collection !== 'runs' || (after as Run | undefined)?.desired !== 'off') return [];
    const isFed = (run: object | undefined): boolean =>
      (run as Run | undefined)?.startConfig.some(({ primary, backup }) => primary || backup) ?? false;
    const off = isFed(before) && !isFed(after) ? ['Its Destinations stay off at the next start.'] : [];
    return [...endingRecordings(view, id), ...off];
  });
}

function answerOf(
  { name: operation }: Tool,
  changes: readonly ChangeWords[],
  notes: readonly string[],
): Answer<Preview> {
  const { text: effect, names } = effectOf(changes);
  const message = ['Nothing was done yet.', effect, ...notes].join(' ');
  const plain = changes.map((change) => ({ ...change, fields: change.fields.map(plainField) }));
  return { body: { preview: true, operation, changes: plain, notes: [...notes], effect, message }, names };
}

function effectOf(changes: readonly ChangeWords[]): Sentence {
  if (changes.length === 0) return sentence`It would change nothing.`;
  const acts = changes.map(sayChange);
  const last = joinSentences(acts.slice(-1), '');
  if (acts.length === 1) return sentence`It would ${last}.`;
  return sentence`It would ${joinSentences(acts.slice(0, -1), ', ')} and ${last}.`;
}

function sayChange({ action, resource, id, name, fields }: ChangeWords): Sentence {
  const number = action === 'create' ? '' : ` ${id}`;
  const which = name === null ? number : sentence`${number} ${say(name)}`;
  const more = fields.length > MAX_FIELDS_IN_SENTENCE ? [`${fields.length - MAX_FIELDS_IN_SENTENCE} more`] : [];
  const details = [...fields.slice(0, MAX_FIELDS_IN_SENTENCE).map(sayField), ...more];
  return sentence`${action} ${resource}${which}${details.length === 0 ? '' : sentence` (${joinSentences(details, ', ')})`}`;
}
