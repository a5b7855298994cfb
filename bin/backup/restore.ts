/**
 * `onair restore` fills an empty data folder. Everything is put into the folder `restoring` in it and checked there; the store comes to its
 * place last, so that a server never finds half of an installation.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { lchown, lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock, toIso } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { quiet, type Quieted } from '../../domain/rules/installation/restored.ts';
import { beginRestored } from '../../domain/rules/installation/store-eras.ts';
import { SCHEMA_VERSION, type Store } from '../../domain/ports/store.ts';
import { namesIn, syncFolder } from '../../linux/folder.ts';
import { isHeld } from '../../store/files/lock.ts';
import { openStore } from '../../store/open.ts';
import { entriesIn, MANIFEST, manifestOf, type ArchiveEntry, type Manifest } from '../../system/backup/archive.ts';
import { isSealed, opened } from '../../system/backup/sealing.ts';
import { loadConfig } from '../settings/config.ts';
import { VERSION } from '../version.ts';
import { ALL_KEPT } from '../store/history-kept.ts';
import type { BackupFlags } from './backup.ts';
import { givenPassphrase } from './passphrase.ts';
import { RESTORING } from './restoring.ts';

export type RestoreFlags = BackupFlags & { resume?: boolean };

const PLACES = /^(?:link\.key|store\/[\w.-]+|assets\/(?:logos|files|clips)\/[^/]+)$/u;
/** The root of a file system of its own has this folder. */
const NO_CONTENT = ['lost+found'];

export async function restore(file: string, { passphraseFile, resume = false, ...flags }: RestoreFlags): Promise<void> {
  const passphrase = givenPassphrase(passphraseFile, process.env);
  const { data } = loadConfig(flags, process.env, process.cwd());
  const source = await payloadOf(file, passphrase);
  const owner = await emptied(data);
  const staging = join(data, RESTORING);
  try {
    await mkdir(staging, { mode: 0o700 });
    const { manifest, isAsset } = await unpack(source, staging);
    const { quieted, missing } = await settled(join(staging, 'store'), isAsset, resume);
    if (owner !== undefined) await giveTo(staging, owner);
    for (const name of ['assets', 'link.key', 'store'])
      if (existsSync(join(staging, name))) await rename(join(staging, name), join(data, name));
    await syncFolder(data);
    await rm(staging, { recursive: true });
    report(file, data, manifest, quieted, missing);
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    // Only a folder that this command has made is empty now.
    if (owner === undefined) await rmdir(data).catch(() => undefined);
    throw cause instanceof AppError ? cause : notRestored(data, cause);
  }
}

/** The archive in the file. Throws AppError invalid_input for another kind of file, or without the passphrase that it needs. */
async function payloadOf(file: string, passphrase: string | undefined): Promise<AsyncIterable<Uint8Array>> {
  const notReadable = (cause: unknown): never => {
    throw new AppError('invalid_input', `${file} cannot be read: ${(cause as Error).message}`, {
      cause,
      remedy: 'Name the file of a backup.',
    });
  };
  const handle = await open(file, 'r').catch(notReadable);
  const { buffer, bytesRead } = await handle
    .read(Buffer.alloc(64), 0, 64, 0)
    .catch(notReadable)
    .finally(() => handle.close());
  const beginning = buffer.subarray(0, bytesRead);
  const source = createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
  if (isSealed(beginning)) {
    if (passphrase !== undefined) return opened(source, passphrase);
    const remedy = 'Give the passphrase with --passphrase-file, or in ONAIR_BACKUP_PASSPHRASE.';
    throw new AppError('invalid_input', `${file} is encrypted. Nothing was restored.`, { remedy });
  }
  if (beginning.toString('latin1').startsWith(`${MANIFEST}\0`)) return source;
  throw new AppError(
    'invalid_input',
    `${file} is no backup of onair, or its beginning was changed. Nothing was restored.`,
    {
      remedy: 'Name a file that onair backup has written; a document of onair export goes to onair import.',
    },
  );
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Makes the folder where there is none. Answers the owner of one that was there. Throws AppError conflict when it holds anything. */
async function emptied(data: string): Promise<Owner | undefined> {
  const found = await stat(data).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw notRestored(data, cause);
  });
  if (found === undefined) {
    await mkdir(data, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
      throw notRestored(data, cause);
    });
    return undefined;
  }
  const names = (
    await readdir(data).catch((cause: unknown) => {
      throw notRestored(data, cause);
    })
  ).filter((name) => !NO_CONTENT.includes(name));
  if (names.length === 0) return { uid: found.uid, gid: found.gid };
  const isInUse = await isHeld(join(data, 'store'));
  const what = isInUse ? 'is in use by a server that runs' : `is not empty: it holds ${names.slice(0, 8).join(', ')}`;
  const remedy = names.includes(RESTORING)
    ? `A restore into it was cut short: remove ${data}, then restore again.`
    : `Stop the server and move ${data} away first, or name an empty folder with --data or ONAIR_DATA.`;
  throw new AppError('conflict', `The data folder ${data} ${what}. Nothing was restored.`, { remedy, facts: { data } });
}

interface Unpacked {
  readonly manifest: Manifest;
  isAsset(path: string, bytes: number): boolean;
}

async function unpack(source: AsyncIterable<Uint8Array>, staging: string): Promise<Unpacked> {
  let manifest: Manifest | undefined;
  const assets = new Map<string, number>();
  for await (const entry of entriesIn(source)) {
    if (manifest === undefined) {
      manifest = readable(manifestOf(await textOf(entry)));
      continue;
    }
    const { name, bytes } = entry;
    if (!PLACES.test(name) || /(?:^|\/)\.{1,2}$/u.test(name))
      throw new AppError(
        'invalid_input',
        `The backup holds ${JSON.stringify(name)}, which this onair has no place for. Nothing was restored.`,
      );
    await place(entry, join(staging, name));
    if (name.startsWith('assets/')) assets.set(name, bytes);
  }
  if (manifest === undefined || !existsSync(join(staging, 'store')))
    throw new AppError('invalid_input', 'The backup holds no store. Nothing was restored.');
  for (const folder of [...new Set([...assets.keys()].map(dirname)), 'store']) await syncFolder(join(staging, folder));
  return { manifest, isAsset: (path, bytes) => assets.get(path) === bytes };
}

function readable(manifest: Manifest): Manifest {
  const { version, program, schemaVersion } = manifest;
  if (version === 1 && schemaVersion <= SCHEMA_VERSION) return manifest;
  const form = version === 1 ? `schema version ${schemaVersion}` : `version ${String(version)} of the form of backups`;
  throw new AppError(
    'invalid_input',
    `The backup was written by onair ${program} with ${form}; this is onair ${VERSION} with schema version ${SCHEMA_VERSION}. Nothing was restored.`,
    { remedy: `Restore it with onair ${program} or a later one.` },
  );
}

async function textOf({ content }: ArchiveEntry): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** A later entry of the same name is of an Asset that took the name of an earlier one. */
async function place({ content }: ArchiveEntry, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'w', 0o600);
  try {
    for await (const piece of content()) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Opens the store, which checks it and brings it to the present schema. Answers the names of Assets whose files are not there. */
async function settled(
  dir: string,
  isAsset: Unpacked['isAsset'],
  resume: boolean,
): Promise<{ quieted: Quieted | undefined; missing: string[] }> {
  const store: Store = await openStore({
    kind: 'lowdb',
    dir,
    clock: systemClock,
    keptMs: ALL_KEPT,
    warn: () => undefined,
  });
  try {
    const quieted = await store.tx((tx) => {
      // What Devices bring later that the backup does not know is taken over, and nothing waits: this command says what goes on.
      beginRestored(tx, toIso(systemClock.now()), randomUUID(), `onair restore${resume ? ' --resume' : ''}`);
      return resume ? undefined : quiet(tx, systemClock.now());
    });
    const { rows } = await store.find('assets', {});
    const missing = rows.filter(
      ({ fileType, filename, size_bytes }) => !isAsset(`assets/${fileType}/${filename}`, size_bytes),
    );
    return { quieted, missing: missing.map(({ filename }) => filename) };
  } finally {
    await store.close();
  }
}

/** Files that root restores belong to the user whose folder it is. */
async function giveTo(path: string, { uid, gid }: Owner): Promise<void> {
  if (process.getuid?.() !== 0) return;
  // That user may put a link to a file of root there meanwhile.
  await lchown(path, uid, gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await namesIn(path)) await giveTo(join(path, name), { uid, gid });
}

function report(
  file: string,
  data: string,
  { program, begun_at }: Manifest,
  quieted: Quieted | undefined,
  missing: readonly string[],
): void {
  const lines = [`${file} of ${begun_at}, written by onair ${program}, is restored to ${data}.`];
  if (quieted === undefined)
    lines.push('What was on air goes on air again once the server starts, and Schedules go on.');
  else {
    const { off, paused, kept, devices, accounts } = quieted;
    lines.push(
      `Nothing goes on air by itself: ${off} Live streams are off, ${paused} Schedules paused, ${kept} planned actions disabled.`,
    );
    if (devices.length > 0)
      lines.push(`Devices to pair again (onair device unpair there, then updateDevice): ${devices.join(', ')}.`);
    if (accounts.length > 0) lines.push(`Cloud accounts to validate again: ${accounts.join(', ')}.`);
  }
  if (missing.length > 0)
    lines.push(
      `Assets that were deleted while the backup was made, so that their files are missing: ${missing.join(', ')}.`,
    );
  process.stderr.write(lines.map((line) => `onair: ${line}\n`).join(''));
}

function notRestored(data: string, cause: unknown): AppError {
  return new AppError(
    'unavailable',
    `The data folder ${data} was not filled: ${(cause as Error).message}. Nothing was restored.`,
    {
      cause,
      remedy: 'Make room or give access, then restore again.',
    },
  );
}
