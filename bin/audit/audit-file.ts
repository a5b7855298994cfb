/** Audit entries as JSON lines in a file. When the file was moved away, as logrotate does, a new one is begun under its name. */
import { open, stat, type FileHandle } from 'node:fs/promises';
import { AppError } from '../../domain/base/errors.ts';
import type { AuditCopy } from './copy.ts';

export async function auditFile(path: string): Promise<AuditCopy> {
  let handle = await opened(path).catch((cause: unknown) => {
    throw new AppError('unavailable', `The audit file ${path} cannot be written: ${(cause as Error).message}`, {
      cause,
      remedy: 'Name a file in a folder that the user of the server may write, in ONAIR_AUDIT_FILE.',
    });
  });
  return {
    name: `The audit file ${path}`,
    async write(entries) {
      if (!(await isAt(path, handle))) {
        const fresh = await opened(path);
        await handle.close();
        handle = fresh;
      }
      await handle.appendFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    },
    close: () => handle.close(),
  };
}

function opened(path: string): Promise<FileHandle> {
  return open(path, 'a', 0o600);
}

async function isAt(path: string, handle: FileHandle): Promise<boolean> {
  // A file that is not there, or cannot be looked at, is not that of the handle.
  const [own, there] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
  return there?.ino === own.ino && there.dev === own.dev;
}
