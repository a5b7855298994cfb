/** One step of a change on air: what the encoder is told, and what becomes of the run's row before it, after it and without it. */
import type { LivestreamStatusView } from '../../domain/livestream-status.ts';
import type { AssetUse, BoundAsset, InForce, PathChange, Run, RunChange } from '../../domain/run.ts';
import type { StartConfigEntry } from '../../domain/livestream.ts';

type OfRun = (run: Readonly<Run>) => Run;

export interface Step {
  change: RunChange;
  /** Before the encoder is asked: what the run is about to use is in use. */
  hold: OfRun;
  /** The encoder has confirmed it. */
  settle: OfRun;
  /** It has not. */
  release: OfRun;
}

export interface Plan {
  steps: Step[];
  notes: string[];
  /** What the run's row is to know, and the encoder need not: nobody sees it yet. */
  remember?: Partial<InForce>;
  /** What is to be said of the outcome. */
  tell?: (status: LivestreamStatusView) => string[];
}

const same: OfRun = (run) => ({ ...run });

/** Leaves nothing behind in the row. */
export function plainStep(change: RunChange): Step {
  return { change, hold: same, settle: same, release: same };
}

/** `before` is in force now: the row of a run of an earlier version does not say. */
export function inForceStep(change: RunChange, before: InForce, news: Partial<InForce>): Step {
  return { ...plainStep(change), settle: (run) => withInForce(run, before, news) };
}

export function withInForce(run: Readonly<Run>, before: InForce, news: Partial<InForce>): Run {
  return { ...run, inForce: { ...(run.inForce ?? before), ...news } };
}

/** The file that is used so from now on; undefined: none. */
export interface FileUse {
  use: AssetUse;
  asset: BoundAsset | undefined;
}

/** As `step`, with the files that it brings on air and those that it takes off. */
export function withFiles(step: Step, files: readonly FileUse[]): Step {
  const brought = files.flatMap(({ asset }) => asset ?? []);
  const freed = files.map(({ use }) => use);
  const bound = (run: Readonly<Run>): BoundAsset[] => run.boundAssets ?? [];
  return {
    change: step.change,
    hold: (run) => ({ ...step.hold(run), boundAssets: [...bound(run), ...brought] }),
    settle: (run) => ({
      ...step.settle(run),
      boundAssets: [...bound(run).filter(({ use }) => use === undefined || !freed.includes(use)), ...brought],
    }),
    release: (run) => ({ ...step.release(run), boundAssets: without(bound(run), brought) }),
  };
}

/** As `step`, with the Channel that it brings on air. */
export function withChannel(step: Step, channelId: number): Step {
  const bound = (run: Readonly<Run>): number[] => run.boundChannels ?? [];
  return {
    change: step.change,
    hold: (run) => ({ ...step.hold(run), boundChannels: [...bound(run), channelId] }),
    settle: (run) => ({ ...step.settle(run), boundChannels: [channelId] }),
    release: (run) => ({ ...step.release(run), boundChannels: bound(run).filter((id) => id !== channelId) }),
  };
}

/** Paths switched on count against the licences before they deliver, those switched off until they have ended. */
export function pathsStep(paths: PathChange[], before: readonly StartConfigEntry[]): Step {
  const on = paths.map(({ publishingId, primary, backup }) => ({
    publishingId,
    ...(primary === true && { primary }),
    ...(backup === true && { backup }),
  }));
  return {
    change: { type: 'paths', paths },
    hold: (run) => ({ ...run, startConfig: withPaths(run.startConfig, on) }),
    settle: (run) => ({ ...run, startConfig: withPaths(run.startConfig, paths) }),
    release: (run) => ({ ...run, startConfig: asBefore(run.startConfig, paths, before) }),
  };
}

export function withPaths(startConfig: readonly StartConfigEntry[], paths: readonly PathChange[]): StartConfigEntry[] {
  const known = new Set(startConfig.map(({ publishingId }) => publishingId));
  const added = paths
    .filter(({ publishingId }) => !known.has(publishingId))
    .map(({ publishingId }) => ({ publishingId, primary: false, backup: false }));
  return [...startConfig, ...added].map((entry) => {
    const { primary = entry.primary, backup = entry.backup } =
      paths.find(({ publishingId }) => publishingId === entry.publishingId) ?? {};
    return { ...entry, primary, backup };
  });
}

/** Others may have changed other Destinations meanwhile: only these go back. */
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

/** Each of the second list takes one of its like out of the first, the last one. */
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
