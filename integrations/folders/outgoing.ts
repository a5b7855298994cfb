import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutgoingFile } from '../../domain/integrations.ts';

/** Protocols send what lies on the disk: a text is put there for as long as `use` takes. */
export async function asFile<T>({ path, text }: OutgoingFile, use: (path: string) => Promise<T>): Promise<T> {
  if (path !== undefined) return use(path);
  const scratch = await mkdtemp(join(tmpdir(), 'onair-outgoing-'));
  try {
    const written = join(scratch, 'text');
    await writeFile(written, text, { mode: 0o600 });
    return await use(written);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
