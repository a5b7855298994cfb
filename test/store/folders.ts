/** Data folders as crashes, copies and damage leave them. */
import { cp, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import { livestream, openedStore, temporaryFolder } from './support.ts';

export async function addOne(store: Store, name: string): Promise<number> {
  return (await store.tx((tx) => tx.insert('livestreams', livestream({ name })))).id;
}

export async function namesIn(store: Store): Promise<string[]> {
  return (await store.find('livestreams', {})).rows.map(({ name }) => name);
}

/** Copies the files that a crash at this moment would leave, without the lock file: its holder is this very process. */
export async function crashedCopy(t: TestContext, dir: string): Promise<string> {
  const copy = await temporaryFolder(t);
  await cp(dir, copy, { recursive: true, filter: (path) => !path.includes('lock.json') });
  return copy;
}

export async function journalsOf(dir: string): Promise<string[]> {
  const names = (await readdir(dir)).filter((name) => name.startsWith('journal-'));
  return names.sort().map((name) => join(dir, name));
}

/** Without what each process that holds the folder, or tries to, leaves to the next. */
export async function contentsOf(dir: string): Promise<Record<string, string>> {
  const names = (await readdir(dir)).filter((name) => name !== 'lock.json.tmp').sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), 'base64')])),
  );
}

/** A folder with `count` commits in one journal, one batch each, as a crash leaves it. */
export async function crashedFolder(t: TestContext, count: number): Promise<{ dir: string; journal: string }> {
  const dir = await temporaryFolder(t);
  const store = await openedStore({ dir });
  for (let commit = 1; commit <= count; commit += 1) await addOne(store, `name ${commit}`);
  const copy = await crashedCopy(t, dir);
  return { dir: copy, journal: (await journalsOf(copy))[0]! };
}

export async function folderWith(t: TestContext, files: Record<string, Buffer | string>): Promise<string> {
  const dir = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
  return dir;
}

export async function overwrite(path: string, position: number, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.length, position);
  await handle.close();
}

export async function lineStarts(path: string): Promise<number[]> {
  const text = await readFile(path, 'latin1');
  return [...text.matchAll(/[^\n]+\n/gu)].map(({ index }) => index);
}
