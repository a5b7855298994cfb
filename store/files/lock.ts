/**
 * One process uses a data folder. The kernel's lock on a file in it decides: only a process that may write the folder can have it, the
 * kernel frees it with its holder, even after SIGKILL, and keeps it while the holder is only stopped. Machines that share a volume may not
 * see each other's locks, so a second file names the holder; its time is renewed, for holders that cannot be looked up.
 */
import { randomUUID } from 'node:crypto';
import { constants, open, readFile, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ifAbsent } from '../../domain/base/absent.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { jsonOf } from '../../domain/base/json.ts';
import { lockFile } from '../../linux/file-lock.ts';
import { isFull } from './disk-full.ts';
import { lookFor, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const HEARTBEAT_MS = 1_000;
/**
 * A holder that cannot be looked up is gone when its file is not renewed for this long; it is above two heartbeats plus the delay of a busy
 * loop or NFS.
 */
const SILENCE_MS = 3_000;

/** `token` distinguishes two holders in one process. */
type Holder = ProcessIdentity & { readonly token: string };

export interface FolderLock {
  /**
   * Answers why this process must not write any more; undefined while the lock is valid. A process that was stopped for longer than the
   * silence looks at the file first, because another may have taken over.
   */
  lost(): Promise<string | undefined> | undefined;
  release(): Promise<void>;
}

/** Throws AppError unavailable, naming the pid of the holder. */
export async function lockFolder(dir: string): Promise<FolderLock> {
  const path = join(dir, 'lock.json');
  const own: Holder = { ...(await ownIdentity()), token: randomUUID() };
  const unlock = lockFile(join(dir, 'lock'));
  if (unlock === undefined) throw folderInUse(dir, await read(path));
  try {
    await assertFree(dir, path, own);
    await write(path, own);
  } catch (error) {
    unlock();
    throw error;
  }
  return beating(path, own, unlock);
}

/** Whether a process that can be looked up holds the folder now. */
export async function isHeld(dir: string): Promise<boolean> {
  const holder = await read(join(dir, 'lock.json'));
  return holder !== undefined && (await lookFor(holder, await ownIdentity())) === 'running';
}

function beating(path: string, own: Holder, unlock: () => void): FolderLock {
  let heartbeatAt = performance.now();
  let problem: string | undefined;

  async function heartbeat(): Promise<string | undefined> {
    const holder = await read(path);
    if (holder !== undefined && holder.token !== own.token) {
      problem = `process ${holder.pid} on ${holder.host} took over the data folder while this one was silent`;
    } else {
      if (holder === undefined) await write(path, own);
      else await renewHeartbeat(path);
      heartbeatAt = performance.now();
    }
    return problem;
  }

  let heartbeatUnderWay: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A heartbeat that fails shows as silence: the next write then looks for itself and reports the error.
    heartbeatUnderWay = heartbeat().catch(() => undefined);
  }, HEARTBEAT_MS);
  timer.unref();
  return {
    lost: () => (problem === undefined && performance.now() - heartbeatAt < SILENCE_MS ? undefined : heartbeat()),
    async release() {
      clearInterval(timer);
      // Otherwise the heartbeat would write the file anew.
      await heartbeatUnderWay;
      if ((await read(path))?.token === own.token) await rename(path, spareOf(path));
      unlock();
    },
  };
}

async function assertFree(dir: string, path: string, own: Holder): Promise<void> {
  const holder = await read(path);
  if (holder === undefined) return;
  const seen = await lookFor(holder, own);
  if (seen === 'running') throw folderInUse(dir, holder);
  if (seen === 'gone') return;
  const before = await heartbeatOf(path);
  for (let waited = 0; waited < SILENCE_MS; waited += HEARTBEAT_MS / 2) {
    await wait(HEARTBEAT_MS / 2);
    if ((await heartbeatOf(path)) !== before) throw folderInUse(dir, holder);
  }
}

/** The file's time is the real one, whatever clock the store uses, because other processes compare it. */
async function renewHeartbeat(path: string): Promise<void> {
  const now = systemClock.now() / 1000;
  await utimes(path, now, now);
}

/** Time of the last heartbeat; it is only compared with itself, so clocks that differ do no harm. */
async function heartbeatOf(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(({ mtimeNs }) => mtimeNs, ifAbsent(undefined));
}

/** The file is replaced by a rename, so that nobody reads half of it. */
async function write(path: string, holder: Holder): Promise<void> {
  const spare = spareOf(path);
  await fill(spare, holder).catch(async (error: unknown) => {
    if (!isFull(error)) throw error;
    // The file of a holder that was killed has a block of its own.
    await rename(path, spare).catch(() => Promise.reject(error as Error));
    await fill(spare, holder);
  });
  await rename(spare, path);
}

/** Keeps the blocks of the file, because a full disk gives no others. */
async function fill(path: string, holder: Holder): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { bytesWritten } = await file.write(`${JSON.stringify(holder)}\n`, 0);
    await file.truncate(bytesWritten);
  } finally {
    await file.close();
  }
}

/** A holder leaves this file to the next one, so that it can start on a full disk. */
function spareOf(path: string): string {
  return `${path}.tmp`;
}

/** undefined when there is no file, or none that says who holds it. */
async function read(path: string): Promise<Holder | undefined> {
  // One that is cut short was so by a power failure, which its holder did not outlive.
  return jsonOf(await readFile(path, 'utf8').catch(ifAbsent(''))) as Holder | undefined;
}

function folderInUse(dir: string, holder: Holder | undefined): AppError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new AppError(
    'unavailable',
    `The data folder ${dir} is in use by ${who}. Stop that one first, or give this one another folder.`,
    {
      facts: { dir, pid: holder?.pid ?? null },
    },
  );
}
