/** Carries out changes on air, each where it belongs, and writes it into the run's spec once it is in force. */
import { withDeadline } from '../../domain/time/deadline.ts';
import { AppError } from '../../domain/base/errors.ts';
import {
  withPeriodKeys,
  type OutputSpec,
  type PictureSpec,
  type RunSpec,
} from '../../domain/shapes/broadcasts/run-spec.ts';
import type { AdValues } from '../../domain/shapes/changes/change-bodies.ts';
import type { PathChange, RunChange } from '../../domain/shapes/changes/run-change.ts';
import { changedNames, sayChanged } from '../../domain/base/changed-names.ts';
import { isTake } from '../../domain/shapes/media/recording.ts';
import { changedSpec, withKeysOf } from '../../domain/shapes/changes/run-change.ts';
import { writeAtomic } from '../atomic-file.ts';
import type { Cues } from './stream/cues.ts';
import type { EventLog } from './process/event-log.ts';
import { pathsOf, type Output } from './outputs/outputs.ts';
import { sentenceOf } from './playout/overlay-rules.ts';
import type { Source } from './playout/source.ts';
import type { RunGate } from './run-gate.ts';

export interface ChangeDeps {
  /** The run's own spec, changed in place, so that all who hold it see what is in force. */
  spec: RunSpec;
  specFile: string;
  source: Source;
  cues: Cues;
  gate: Pick<RunGate, 'set'>;
  outputs: readonly Output[];
  /** Makes a new output a part of the run, and starts the paths that are switched on. */
  join(spec: OutputSpec): void;
  /** Takes the output out of the run; resolves when nothing of it is left. */
  leave(output: Output): Promise<void>;
  events: EventLog;
  /** Hides the secrets of a new spec; it is called before they can turn up anywhere. */
  hide(spec: RunSpec): void;
}

type ChangeOf<T extends RunChange['type']> = Extract<RunChange, { type: T }>;
type Outcome = string | { message: string; data?: Record<string, unknown> };

/** A path that was just turned on has so long to come up; a slower one is reported as it is. */
const SETTLE_MS = 1500;

/** A retry follows its call by seconds, and one broadcast gets far fewer changes in that time. */
const MAX_IDS = 100;

export class ChangeExecutor {
  private readonly deps: ChangeDeps;
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(deps: ChangeDeps) {
    this.deps = deps;
  }

  /** Rejects with AppError; nothing has changed then. A change that was carried out under this id before is in force already. */
  async apply(change: RunChange, id?: string): Promise<void> {
    if (id === undefined) return this.run(change);
    if (this.deps.spec.carriedOut?.includes(id) === true) return;
    // The first caller may be gone; a second one with the same id waits for the same task.
    const task = this.underWay.get(id) ?? this.run(change, id).finally(() => this.underWay.delete(id));
    this.underWay.set(id, task);
    return task;
  }

  private async run(change: RunChange, id?: string): Promise<void> {
    const { spec, specFile, hide } = this.deps;
    hide({ ...spec, ...changedSpec(spec, change) });
    const done = await this.carryOut[change.type](change as never);
    const { message, data = {} } = typeof done === 'string' ? { message: done } : done;
    // Others may have changed the spec meanwhile: this change is laid over what is there now.
    Object.assign(spec, changedSpec(spec, change));
    if (id !== undefined) spec.carriedOut = [...(spec.carriedOut ?? []), id].slice(-MAX_IDS);
    try {
      writeAtomic(specFile, JSON.stringify(spec));
    } catch (error) {
      // The change is in force; only a restart of this process would not know of it.
      this.report(
        `${message} It will not outlive a restart of the encoder: ${(error as Error).message}.`,
        change,
        'warning',
        data,
      );
      return;
    }
    this.report(message, change, 'info', data);
  }

  /** Each answers what happened as one sentence for a person, and facts for a program where there are some. */
  private readonly carryOut: { [T in RunChange['type']]: (change: ChangeOf<T>) => Outcome | Promise<Outcome> } = {
    picture: ({ picture }) => {
      const { spec, source } = this.deps;
      if (isAsBefore(spec.picture, picture)) return `${sentenceOf(picture)} It was so before.`;
      return source.show({ ...spec.picture, ...picture });
    },
    source: ({ source, by }) => this.deps.source.switchTo(source, by),
    options: ({ options }) => this.deps.source.setOptions(options),
    cue: ({ cue }) => this.deps.cues.insert(cue),
    adValues: ({ adValues }) => adValuesSentence(adValues),
    paths: ({ paths }) => this.setPaths(paths),
    outputs: ({ add, remove }) => this.setOutputs(add, remove),
    output: ({ output }) => this.renew(output),
    keys: ({ publishingId, period }) => {
      const output = this.outputOf(publishingId);
      output.spec = withPeriodKeys(output.spec, period);
      return 'Keys have come.';
    },
    gate: ({ gate }) => this.deps.gate.set(gate).then(() => 'The gate is set.'),
  };

  private async renew(update: OutputSpec): Promise<string> {
    const output = this.outputOf(update.publishingId);
    const message = settingsSentence(output.spec, update);
    const { primary, backup } = output.spec;
    output.spec = { ...withKeysOf(update, output.spec), primary, backup };
    await settle(pathsOf(output).map((path) => path.renew()));
    return message;
  }

  private async setPaths(changes: readonly PathChange[]): Promise<string> {
    const steps = changes.flatMap(({ publishingId, primary, backup }) => {
      const output = this.outputOf(publishingId);
      return [
        { path: output.primary, on: primary },
        { path: output.backup, on: backup },
      ].flatMap(({ path, on }) => (path === undefined || on === undefined ? [] : [{ path, on, output }]));
    });
    await settle(steps.map(({ path, on }) => path.turn(on)));
    const names = steps.map(({ path, on, output }) => {
      const which = path === output.backup ? ' backup' : '';
      return `"${output.spec.name}"${which} ${on ? 'on' : 'off'}`;
    });
    return names.length === 0 ? 'No path was changed.' : `Destinations: ${names.join(', ')}.`;
  }

  /** Outputs that joined or left before, by an order whose answer was lost, are left alone. */
  private async setOutputs(add: readonly OutputSpec[], remove: readonly number[]): Promise<string> {
    const { outputs, join, leave } = this.deps;
    const leaving = outputs.filter(({ spec }) => remove.includes(spec.publishingId));
    const joining = add.filter((spec) => !outputs.some((output) => output.spec.publishingId === spec.publishingId));
    await Promise.all(leaving.map(leave));
    for (const spec of joining) join(spec);
    const sentences = [
      ...leaving.map(({ spec }) =>
        isTake(spec) ? 'The recording has ended.' : `Destination "${spec.name}" has left.`,
      ),
      ...joining.map((spec) =>
        isTake(spec) ? 'A recording begins.' : `Destination "${spec.name}" has joined; it is off.`,
      ),
    ];
    return sentences.length === 0 ? 'Nothing joined and nothing left.' : sentences.join(' ');
  }

  private outputOf(publishingId: number): Output {
    const output = this.deps.outputs.find(({ spec }) => spec.publishingId === publishingId);
    if (output === undefined)
      throw new AppError('rule_violated', `Publishing ${publishingId} is not part of this run.`);
    return output;
  }

  private report(
    message: string,
    change: RunChange,
    severity: 'info' | 'warning',
    data: Record<string, unknown>,
  ): void {
    // The source writes the event of its switch itself, the output that of its keys, and the server that of a move.
    if (change.type === 'source' || change.type === 'gate' || change.type === 'keys') return;
    const { by } = change;
    this.deps.events.add('runtime_changed', severity, by === undefined ? message : `${by}: ${message}`, {
      change: change.type,
      ...(change.type === 'cue' && { type: change.cue.type }),
      ...(change.type === 'picture' && change.picture.blackout && { blackout: change.picture.blackout.mode }),
      ...(change.type === 'paths' && { paths: change.paths }),
      ...(by !== undefined && { user: by }),
      ...data,
    });
  }
}

/** It is true for parts that are taken away and were not there. */
function isAsBefore(previous: PictureSpec, change: Partial<PictureSpec>): boolean {
  return (Object.keys(change) as (keyof PictureSpec)[]).every((part) => change[part] === previous[part]);
}

async function settle(steps: Promise<void>[]): Promise<void> {
  await withDeadline(Promise.all(steps), SETTLE_MS, () => undefined);
}

export function settingsSentence(previous: OutputSpec, changed: OutputSpec): string {
  const retry = changedNames(previous.retry, changed.retry).length > 0 ? ['retry'] : [];
  const changes = sayChanged([...changedNames(previous.settings, changed.settings), ...retry]);
  return `Destination "${changed.name}" ${changes === undefined ? 'begins anew with the settings that it had' : `has ${changes}`}.`;
}

const AD_VALUES: Record<keyof AdValues, string> = {
  default_ad_duration: 'by default',
  max_ad_duration: 'at most',
  next_ad_duration: 'the next one',
};

function adValuesSentence(values: Partial<AdValues>): string {
  const durations = (Object.keys(AD_VALUES) as (keyof AdValues)[])
    .filter((field) => values[field] !== undefined)
    .map((field) => `${AD_VALUES[field]} ${values[field] === null ? 'none' : `${values[field]} s`}`);
  return `Ad durations are set: ${durations.join(', ')}.`;
}
