/** A file that is in the folder while an import fills it, which takes many commits: a crash leaves an incomplete store. */
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import { syncFolder } from '../../linux/folder.ts';

/** Throws AppError unavailable. Changes nothing. */
export async function assertImported(dir: string): Promise<void> {
  const isCutShort = await stat(markPath(dir)).then(
    () => true,
    () => false,
  );
  if (!isCutShort) return;
  throw new AppError(
    'unavailable',
    `The import into ${dir} was cut short: what is there is not whole. Remove that folder, then import the document again.`,
    { facts: { dir } },
  );
}

export async function markImport(dir: string): Promise<void> {
  await writeFile(markPath(dir), 'An import into this folder has begun and has not ended.\n', {
    mode: 0o600,
    flush: true,
  });
  await syncFolder(dir);
}

export async function unmarkImport(dir: string): Promise<void> {
  await rm(markPath(dir));
  await syncFolder(dir);
}

function markPath(dir: string): string {
  return join(dir, 'importing');
}
