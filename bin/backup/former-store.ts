/**
 * Before a newer version changes the form of the store, the store is copied as it is, beside it: an older version refuses what the newer one
 * has written, and with that copy it starts again.
 */
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import { diskSpaceOf, megabytes } from '../../linux/disk-space.ts';
import { syncFolder } from '../../linux/folder.ts';
import { captureStore, type CapturedFile } from '../../store/embedded/capture.ts';

const NAME = 'store-schema-';

function formerStorePath(data: string, schemaVersion: number): string {
  return join(data, `${NAME}${schemaVersion}`);
}

/** Rejects with AppError unavailable when there is no room for it. A copy that is there is of a start that was cut short, and stays. */
export async function keepFormerStore(
  data: string,
  found: number,
  tell: (message: string) => void = () => undefined,
): Promise<void> {
  const path = formerStorePath(data, found);
  if (existsSync(path)) return;
  const capture = await captureStore(join(data, 'store'));
  const bytes = capture.files.reduce((sum, file) => sum + file.bytes, 0);
  const unfinished = `${path}.tmp`;
  try {
    const { free_bytes } = await diskSpaceOf(data);
    if (free_bytes < bytes) throw noRoom(data, found, bytes, free_bytes);
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    for (const file of capture.files) await copy(file, join(unfinished, file.name));
    await syncFolder(unfinished);
    await rename(unfinished, path);
    await syncFolder(data);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    throw cause;
  } finally {
    await capture.close();
  }
  tell(
    `The store is brought from schema version ${found} to ${SCHEMA_VERSION}; as it was, it is kept in ${path}, for a way back to the version before. Remove that folder when nobody wants to go back any more.`,
  );
}

async function copy({ content }: CapturedFile, path: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const piece of content()) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function noRoom(data: string, found: number, bytes: number, free: number): AppError {
  const detail = `The store in ${data} has schema version ${found} and is to be brought to ${SCHEMA_VERSION}, but there is no room for the copy of it that is kept for a way back: it takes ${megabytes(bytes)}, and ${megabytes(free)} are free. Nothing was changed.`;
  return new AppError('unavailable', detail, { remedy: 'Make room on the disk of the data folder, then start again.' });
}

/** A store that a newer version has written is refused with the way back that there is. */
export function withWayBack(error: unknown, data: string): unknown {
  const { found, supported } = (error instanceof AppError ? error.extras.facts : undefined) ?? {};
  if (!(error instanceof AppError) || typeof found !== 'number' || typeof supported !== 'number' || found <= supported)
    return error;
  const kept = formerStorePath(data, supported);
  const remedy = existsSync(kept)
    ? `Start the newer onair. To go back to this one for good, rename ${join(data, 'store')} to ${formerStorePath(data, found)} and ${kept} to ${join(data, 'store')}; what was changed since the update is not in it.`
    : 'Start the newer onair, or restore a backup that this version or an earlier one has written into an empty data folder (onair restore).';
  return new AppError(error.code, error.message, { ...error.extras, remedy });
}
