/** The media files that a run needs on its Device. */
import type { FileSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { RunChange } from '../../../domain/shapes/changes/run-change.ts';

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

export async function placeChange(change: RunChange, place: Place): Promise<RunChange> {
  if (change.type === 'source') return { ...change, source: await placePath(change.source, place) };
  if (change.type === 'options' && change.options.fallback !== undefined)
    return { ...change, options: { ...change.options, fallback: await placePath(change.options.fallback, place) } };
  if (change.type !== 'picture') return change;
  const { logo, blackout } = change.picture;
  const picture = {
    ...change.picture,
    ...(logo !== undefined && { logo: await placeFile(logo, place) }),
    ...(blackout !== undefined && { blackout: { ...blackout, file: await placeFile(blackout.file, place) } }),
  };
  return { ...change, picture };
}

async function placePath<T extends { path: string | null }>(at: T, place: Place): Promise<T> {
  return at.path === null ? at : { ...at, path: await place(at.path) };
}

async function placeFile<T extends FileSpec>(file: T | null, place: Place): Promise<T | null> {
  return file === null ? null : { ...file, path: await place(file.path) };
}
