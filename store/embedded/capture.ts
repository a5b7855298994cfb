/**
 * The files of a store as they are at one moment, while its owner goes on writing, without its lock. Three facts make that possible: a
 * snapshot has its name only once it is whole, a journal only grows and gets no line more once the next one exists, and of a history segment
 * the bytes that a snapshot counts never change. A write that was under way leaves a torn end, which the next start cuts off.
 */
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { HISTORY_NAMES } from '../../domain/ports/collections.ts';
import { AppError } from '../../domain/base/errors.ts';
import { numbersIn, pathOf } from '../files/files.ts';
import type { HistoryInSnapshot } from '../history/history.ts';
import { SEGMENT_FILES, segmentBytes, segmentPath } from '../history/segment-files.ts';
import { assertImported } from '../document/import-mark.ts';
import { linesOf, parseLine, type Line } from '../files/lines.ts';
import type { JournalHeader, SnapshotFooter, SnapshotHeader } from './recovery.ts';

/** Checkpoints are minutes apart, so that a second look nearly always finds the files that the first has named. */
const MAX_LOOKS = 5;
const PIECE_BYTES = 1 << 20;

export interface CapturedFile {
  readonly name: string;
  readonly bytes: number;
  /** Rejects when the file has fewer bytes by now. */
  content(): AsyncGenerator<Buffer>;
}

export interface StoreCapture {
  readonly schemaVersion: number;
  readonly files: readonly CapturedFile[];
  close(): Promise<void>;
}

/** The owner has replaced or deleted a file meanwhile: what is there now has to be looked at anew. */
export class ChangedMeanwhile extends Error {}

/** Throws AppError unavailable for a folder that holds no store, half an import, or files that change too fast. */
export async function captureStore(dir: string): Promise<StoreCapture> {
  await assertImported(dir);
  for (let look = 1; ; look += 1) {
    const opened: FileHandle[] = [];
    const close = async (): Promise<void> => {
      for (const handle of opened.splice(0)) await handle.close();
    };
    try {
      return { ...(await captured(dir, opened)), close };
    } catch (cause) {
      await close();
      if (!(cause instanceof ChangedMeanwhile)) throw cause;
      if (look === MAX_LOOKS) throw noCopy(`${dir} has changed ${MAX_LOOKS} times while it was read`, cause);
    }
  }
}

async function captured(dir: string, opened: FileHandle[]): Promise<Omit<StoreCapture, 'close'>> {
  const names = await readdir(dir);
  const snapshot = numbersIn(names, 'snapshot').at(-1);
  const journals = journalsIn(names, snapshot);
  if (journals.length === 0) throw noCopy(`${dir} has no journal`);
  // Open files stay readable, whatever the owner deletes.
  const handleOf = async (path: string): Promise<FileHandle> => {
    const handle = await open(path, 'r').catch(gone);
    opened.push(handle);
    return handle;
  };
  const files: CapturedFile[] = [];
  const add = async (path: string, handle: FileHandle): Promise<void> => {
    files.push(openedFile(dir, path, handle, (await handle.stat()).size));
  };
  const snapshotPath = snapshot === undefined ? undefined : pathOf(dir, 'snapshot', snapshot);
  const ends = snapshotPath === undefined ? undefined : await endsOf(snapshotPath);
  if (snapshotPath !== undefined) await add(snapshotPath, await handleOf(snapshotPath));
  const handles = new Map<string, FileHandle>();
  for (const number of journals) {
    const path = pathOf(dir, 'journal', number);
    handles.set(path, await handleOf(path));
  }
  // The moment of the copy: the last journal has this size, and no journal behind it exists yet.
  for (const [path, handle] of handles) await add(path, handle);
  if (journalsIn(await readdir(dir), snapshot).at(-1) !== journals.at(-1)) throw new ChangedMeanwhile();
  files.push(...historyFiles(dir, ends?.footer.history ?? {}));
  const schemaVersion =
    ends?.header.schemaVersion ?? (await firstLine<JournalHeader>(pathOf(dir, 'journal', journals[0]!))).schemaVersion;
  return { schemaVersion, files };
}

function journalsIn(names: readonly string[], snapshot = 1): number[] {
  return numbersIn(names, 'journal').filter((number) => number >= snapshot);
}

function openedFile(dir: string, path: string, handle: FileHandle, bytes: number): CapturedFile {
  return { name: nameIn(dir, path), bytes, content: () => piecesOf(handle, path, bytes) };
}

function nameIn(dir: string, path: string): string {
  return path.slice(join(dir, '/').length);
}

function historyFiles(dir: string, history: HistoryInSnapshot): CapturedFile[] {
  return HISTORY_NAMES.flatMap((name) =>
    (history[name] ?? []).flatMap((facts) => {
      const bytesOf = segmentBytes(name, facts);
      return SEGMENT_FILES.map((file) => {
        const path = segmentPath(dir, name, facts.number, file);
        return { name: nameIn(dir, path), bytes: bytesOf[file], content: () => contentOf(path, bytesOf[file]) };
      });
    }),
  );
}

/** A history file is opened when its turn comes, because there may be more of them than a process may have open. */
async function* contentOf(path: string, bytes: number): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r').catch(gone);
  try {
    yield* piecesOf(handle, path, bytes);
  } finally {
    await handle.close();
  }
}

async function* piecesOf(handle: FileHandle, path: string, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes;) {
    const length = Math.min(PIECE_BYTES, bytes - at);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new ChangedMeanwhile(`${path} has fewer bytes than a moment ago`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function noCopy(what: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The store was not copied: ${what}.`, {
    cause,
    remedy: 'Look into the log of the server, then try again.',
  });
}

function gone(cause: NodeJS.ErrnoException): never {
  throw cause.code === 'ENOENT' ? new ChangedMeanwhile(cause.message, { cause }) : cause;
}

async function endsOf(path: string): Promise<{ header: SnapshotHeader; footer: SnapshotFooter }> {
  let first: Line | undefined;
  let last: Line | undefined;
  try {
    for await (const line of linesOf(path)) {
      first ??= line;
      last = line;
    }
  } catch (cause) {
    gone(cause as NodeJS.ErrnoException);
  }
  return { header: valueOf(path, first), footer: valueOf(path, last) };
}

async function firstLine<T>(path: string): Promise<T> {
  for await (const line of linesOf(path)) return valueOf<T>(path, line);
  // A store that has just begun writes its first line a moment later.
  throw new ChangedMeanwhile(`${path} is empty`);
}

function valueOf<T>(path: string, line: Line | undefined): T {
  const value = line && parseLine(line);
  if (value === undefined)
    throw new AppError('unavailable', `${path}, line ${line?.number ?? 1}, is damaged.`, { facts: { file: path } });
  return value as T;
}
