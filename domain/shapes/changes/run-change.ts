/** Changes that a runner carries out, and what each makes of the run's spec. */
import type { Gate } from '../broadcasts/run-move.ts';
import type { RunReport } from '../broadcasts/run.ts';
import {
  withPeriodKeys,
  type OutputSpec,
  type PeriodKeys,
  type PictureSpec,
  type RunSpec,
  type SourceSpec,
} from '../broadcasts/run-spec.ts';
import type { CueSpec } from './change-bodies.ts';
import { isSetting } from './change-questions.ts';
import type { RunSettings, SettingKind } from './changes.ts';

/** Paths of a Destination to switch; a path that is left out stays as it is. */
export interface PathChange {
  publishingId: number;
  primary?: boolean | undefined;
  backup?: boolean | undefined;
}

/** New values of some fields of a setting of the run. */
export type SettingChange = { [K in SettingKind]: { type: K } & { [F in K]: Partial<RunSettings[F]> } }[SettingKind];

/**
 * A change of a run on air, handed to its runner. It is in force when the call is answered, and from then on in the runner's spec on disk;
 * a cue alone leaves nothing there. `by` is the user who wants it, for the event log.
 */
export type RunChange = { by?: string | undefined } & (
  | { type: 'picture'; picture: Partial<PictureSpec> }
  | { type: 'source'; source: SourceSpec }
  /** Switching a path on retries it at once, with a fresh budget. */
  | { type: 'paths'; paths: PathChange[] }
  /** New settings (a stream key, a URL) of one bound Destination; its enabled paths begin anew, the flags stay. */
  | { type: 'output'; output: OutputSpec }
  /** Outputs that join the run or leave it, by publishing id: Destinations join switched off, a Recording begins at once. */
  | { type: 'outputs'; add: OutputSpec[]; remove: number[] }
  | { type: 'cue'; cue: CueSpec }
  /** Content keys of a period to come, of one bound Destination. */
  | { type: 'keys'; publishingId: number; period: PeriodKeys }
  | SettingChange
  | {
      type: 'options';
      options: Partial<Pick<RunSpec, 'crop' | 'scteMarkers' | 'fallback' | 'failover' | 'sound' | 'detect'>>;
    }
  /** It alone is taken before the run is on air. */
  | { type: 'gate'; gate: Gate }
);

export function isSettingChange(change: RunChange): change is SettingChange {
  return isSetting(change.type);
}

export function settingChange(kind: SettingKind, values: object): SettingChange {
  return { type: kind, [kind]: values } as unknown as SettingChange;
}

export function valuesOf(change: SettingChange): object {
  return (change as unknown as Record<SettingKind, object>)[change.type];
}

/** The fields of the spec that are new; none for a cue. */
export function changedSpec(spec: RunSpec, change: RunChange): Partial<RunSpec> {
  if (isSettingChange(change)) return { [change.type]: { ...spec[change.type], ...valuesOf(change) } };
  switch (change.type) {
    case 'picture':
      return { picture: { ...spec.picture, ...change.picture } };
    case 'source':
      return { source: change.source };
    case 'paths':
      return { outputs: spec.outputs.map((output) => withPaths(output, change.paths)) };
    case 'output':
      return { outputs: spec.outputs.map((output) => withSettings(output, change.output)) };
    case 'outputs': {
      const others = [...change.remove, ...change.add.map(({ publishingId }) => publishingId)];
      return { outputs: [...spec.outputs.filter(({ publishingId }) => !others.includes(publishingId)), ...change.add] };
    }
    case 'keys': {
      const { publishingId, period } = change;
      const changed = (output: OutputSpec): OutputSpec =>
        output.publishingId === publishingId ? withPeriodKeys(output, period) : output;
      return { outputs: spec.outputs.map(changed) };
    }
    case 'options':
      return change.options;
    case 'gate':
      return { gate: change.gate };
    case 'cue':
      return {};
  }
}

function withPaths(output: OutputSpec, paths: readonly PathChange[]): OutputSpec {
  const change = paths.find(({ publishingId }) => publishingId === output.publishingId);
  if (change === undefined) return output;
  const { primary = output.primary, backup = output.backup } = change;
  // A type with a single path has no second one to be switched.
  return { ...output, primary, backup: output.backup === null ? null : backup };
}

function withSettings(output: OutputSpec, update: OutputSpec): OutputSpec {
  if (update.publishingId !== output.publishingId) return output;
  const withKeys = withKeysOf(update, output);
  return {
    ...withKeys,
    primary: output.primary,
    backup: output.backup === null ? null : (update.backup ?? output.backup),
  };
}

/** Content keys are those of the start as long as the run lasts: an output that began encrypted never goes on in the clear. */
export function withKeysOf(update: OutputSpec, { drm = update.drm }: OutputSpec): OutputSpec {
  return drm === undefined ? update : { ...update, drm };
}

/** The spec holds the settings in force: a change enters it when it has been carried out. */
export function runtimeOf({ picture, source }: RunSpec): RunReport['runtime'] {
  const { logo, blackout, text } = picture;
  return {
    logo: logo === null ? null : { filename: logo.filename, position: logo.position },
    blackout: blackout.mode,
    text: text?.text ?? null,
    source: source.channelId,
  };
}
