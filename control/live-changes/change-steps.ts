/** One step of a change on air: what the encoder gets, and how the run's row changes before it, after it and when it fails. */
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { AssetUse, BoundAsset, InForce, Run } from '../../domain/shapes/broadcasts/run.ts';
import type { PathChange, RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { StartConfigEntry } from '../../domain/shapes/broadcasts/livestream.ts';

type ChangeRow = (run: Readonly<Run>) => Run;

export interface Step {
  change: RunChange;
  /** Files that the change hands to the encoder. */
  brought?: readonly BoundAsset[];
  /** The run's row before the encoder is called: files that the run is about to use count as used already. */
  reserved: ChangeRow;
  /** The run's row once the encoder has confirmed the step. */
  confirmed: ChangeRow;
  /** The run's row when the encoder has refused the step, or the change could not be committed. */
  refused: ChangeRow;
}

export interface Plan {
  steps: Step[];
  notes: string[];
  /** Facts for the run's row that the encoder does not need, because nothing of them is visible yet. */
  remember?: Partial<InForce>;
  /** Sentences about the outcome for the caller. */
  tell?: (status: LivestreamStatusView) => string[];
}

const same: ChangeRow = (run) => ({ ...run });

/** A step that changes nothing in the row. */
export function plainStep(change: RunChange): Step {
  return { change, reserved: same, confirmed: same, refused: same };
}

/** `before` is in force now; the row of a run of an earlier version does not say it. */
export function inForceStep(change: RunChange, before: InForce, news: Partial<InForce>): Step {
  return { ...plainStep(change), confirmed: (run) => withInForce(run, before, news) };
}

export function withInForce(run: Readonly<Run>, before: InForce, news: Partial<InForce>): Run {
  return { ...run, inForce: { ...(run.inForce ?? before), ...news } };
}

/** The file that has this use from now on; undefined when none has. */
export interface FileUse {
  use: AssetUse;
  asset: BoundAsset | undefined;
}

/** Adds to `step` the files that it brings on air and those that it takes off. */
export function withFiles(step: Step, files: readonly FileUse[]): Step {
  const brought = files.flatMap(({ asset }) => asset ?? []);
  const freed = files.map(({ use }) => use);
  const bound = (run: Readonly<Run>): BoundAsset[] => run.boundAssets ?? [];
  return {
    change: step.change,
    brought,
    reserved: (run) => ({ ...step.reserved(run), boundAssets: [...bound(run), ...brought] }),
    confirmed: (run) => ({
      ...step.confirmed(run),
      boundAssets: [...bound(run).filter(({ use }) => use === undefined || !freed.includes(use)), ...brought],
    }),
    refused: (run) => ({ ...step.refused(run), boundAssets: without(bound(run), brought) }),
  };
}

/** Adds to `step` the Channel that it brings on air; the run goes on using `others`. */
export function withChannel(step: Step, channelId: number, others: readonly number[]): Step {
  const bound = (run: Readonly<Run>): number[] => run.boundChannels ?? [];
  return {
    ...step,
    reserved: (run) => ({ ...step.reserved(run), boundChannels: [...bound(run), channelId] }),
    confirmed: (run) => ({ ...step.confirmed(run), boundChannels: [...new Set([channelId, ...others])] }),
    refused: (run) => ({ ...step.refused(run), boundChannels: bound(run).filter((id) => id !== channelId) }),
  };
}

/** Paths that are switched on count against the licences before they deliver; those that are switched off count until they have ended. */
export function pathsStep(paths: PathChange[], before: readonly StartConfigEntry[]): Step {
  const on = paths.map(({ publishingId, primary, backup }) => ({
    publishingId,
    ...(primary === true && { primary }),
    ...(backup === true && { backup }),
  }));
  return {
    change: { type: 'paths', paths },
    reserved: (run) => ({ ...run, startConfig: withPaths(run.startConfig, on) }),
    confirmed: (run) => ({ ...run, startConfig: withPaths(run.startConfig, paths) }),
    refused: (run) => ({ ...run, startConfig: asBefore(run.startConfig, paths, before) }),
  };
}

export function withPaths(startConfig: readonly StartConfigEntry[], paths: readonly PathChange[]): StartConfigEntry[] {
  const switchedIds = new Set(startConfig.map(({ publishingId }) => publishingId));
  const added = paths
    .filter(({ publishingId }) => !switchedIds.has(publishingId))
    .map(({ publishingId }) => ({ publishingId, primary: false, backup: false }));
  return [...startConfig, ...added].map((entry) => {
    const { primary = entry.primary, backup = entry.backup } =
      paths.find(({ publishingId }) => publishingId === entry.publishingId) ?? {};
    return { ...entry, primary, backup };
  });
}

/** Others may have changed other Destinations meanwhile, so only these paths go back. */
function asBefore(
  startConfig: readonly StartConfigEntry[],
  paths: readonly PathChange[],
  before: readonly StartConfigEntry[],
): StartConfigEntry[] {
  return startConfig.flatMap((entry) => {
    if (!paths.some(({ publishingId }) => publishingId === entry.publishingId)) return [entry];
    return before.find(({ publishingId }) => publishingId === entry.publishingId) ?? [];
  });
}

/** Removes from the first list, for each entry of the second, the last equal one. */
function without(assets: readonly BoundAsset[], released: readonly BoundAsset[]): BoundAsset[] {
  const left = [...assets];
  for (const { fileType, filename, use } of released) {
    const at = left.findLastIndex(
      (asset) => asset.fileType === fileType && asset.filename === filename && asset.use === use,
    );
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
