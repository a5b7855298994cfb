/** The media files that a run needs on its Device. */
import type { FileSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { SettingKind } from '../../../domain/shapes/changes/changes.ts';
import { isSettingChange, type RunChange } from '../../../domain/shapes/changes/run-change.ts';

type Place = (path: string) => Promise<string>;

export function filesOf({ source, fallback, picture }: RunSpec): string[] {
  const paths = [source.path, fallback.path, picture.logo?.path, picture.blackout.file?.path];
  return paths.filter((path) => path != null);
}

/** The spec with each file's path replaced by the one that `place` resolves with. */
export async function placeFiles(spec: RunSpec, place: Place): Promise<RunSpec> {
  const [source, fallback, logo, file] = await Promise.all([
    placePath(spec.source, place),
    placePath(spec.fallback, place),
    placeFile(spec.picture.logo, place),
    placeFile(spec.picture.blackout.file, place),
  ]);
  return {
    ...spec,
    source,
    fallback,
    picture: { ...spec.picture, logo, blackout: { ...spec.picture.blackout, file } },
  };
}

type ChangeOf<T extends RunChange['type']> = Extract<RunChange, { type: T }>;
/** Each type of change that has files gets their paths replaced; null has none. */
const PLACED: {
  [T in Exclude<RunChange['type'], SettingKind>]: ((change: ChangeOf<T>, place: Place) => Promise<ChangeOf<T>>) | null;
} = {
  async picture(change, place) {
    const { logo, blackout } = change.picture;
    const picture = {
      ...change.picture,
      ...(logo !== undefined && { logo: await placeFile(logo, place) }),
      ...(blackout !== undefined && { blackout: { ...blackout, file: await placeFile(blackout.file, place) } }),
    };
    return { ...change, picture };
  },
  source: async (change, place) => ({ ...change, source: await placePath(change.source, place) }),
  async options(change, place) {
    const { fallback } = change.options;
    if (fallback === undefined) return change;
    return { ...change, options: { ...change.options, fallback: await placePath(fallback, place) } };
  },
  paths: null,
  output: null,
  outputs: null,
  cue: null,
  keys: null,
  gate: null,
};

export async function placeChange(change: RunChange, place: Place): Promise<RunChange> {
  const placed = isSettingChange(change) ? null : PLACED[change.type];
  return placed === null ? change : placed(change as never, place);
}

async function placePath<T extends { path: string | null }>(at: T, place: Place): Promise<T> {
  return at.path === null ? at : { ...at, path: await place(at.path) };
}

async function placeFile<T extends FileSpec>(file: T | null, place: Place): Promise<T | null> {
  return file === null ? null : { ...file, path: await place(file.path) };
}
