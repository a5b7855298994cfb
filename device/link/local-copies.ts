/** Files of Recordings that were brought to this machine to be read: readers share one transfer, and one that broke off goes on. */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import type { OpenRecording } from '../../domain/shapes/media/recording.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { IncomingRoom } from '../incoming-space.ts';

/** A player or a resumed download reads in ranges, and comes back within this time. */
const KEPT_MS = 10 * 60_000;

/** A file that is brought: its name here, and its size. */
export interface BroughtFile {
  name: string;
  bytes: number;
}

/** Writes a file to the path; what an earlier call has left there may be gone on with. `take` is called before so many bytes are written. */
type Fetch<F> = (file: F, target: string, signal: AbortSignal, take: (bytes: number) => Promise<void>) => Promise<void>;

export interface LocalCopiesOptions {
  /** A folder of this machine, large enough for the Recordings that are read at the same time. */
  dir: string;
  clock: Clock;
}

interface LocalCopy {
  files: string[];
  users: number;
  /** Cancels the removal that is due once nobody reads the copy. */
  cancel: () => void;
}

export interface Reader {
  signal: AbortSignal;
  progress?: ((done: number, total: number) => void) | undefined;
}

export class LocalCopies {
  private readonly options: LocalCopiesOptions;
  private readonly copies = new Map<string, Promise<LocalCopy>>();

  constructor(options: LocalCopiesOptions) {
    this.options = options;
  }

  /** `key` and `files` say together which content it is: another one is brought anew. */
  async open<F extends BroughtFile>(
    key: unknown,
    files: readonly F[],
    fetch: Fetch<F>,
    { signal, progress }: Reader,
  ): Promise<OpenRecording> {
    const name = nameOf(key, files);
    const total = bytesOf(files);
    let done = 0;
    const onBytes = (bytes: number): void => progress?.((done += bytes), total);
    const copy = await this.share(name, () => this.bring(name, files, fetch, { signal, onBytes }));
    copy.users += 1;
    copy.cancel();
    let isReleased = false;
    const release = async (): Promise<void> => {
      if (isReleased) return;
      isReleased = true;
      copy.users -= 1;
      if (copy.users === 0) copy.cancel = this.options.clock.after(KEPT_MS, () => void this.drop(name));
    };
    return { files: copy.files, release };
  }

  private async drop(name: string): Promise<void> {
    this.copies.delete(name);
    await rm(join(this.options.dir, name), { recursive: true, force: true });
  }

  /** Two readers of the same Recording wait for one transfer; when its reader gives up, the next one goes on with what has come. */
  private async share(name: string, fetchAll: () => Promise<LocalCopy>): Promise<LocalCopy> {
    for (let other = this.copies.get(name); other !== undefined; other = this.copies.get(name)) {
      // The reader of that transfer gets its error; this one tries by itself.
      const copy = await other.catch(() => undefined);
      if (copy !== undefined) return copy;
    }
    const own = fetchAll();
    this.copies.set(name, own);
    try {
      return await own;
    } catch (error) {
      this.copies.delete(name);
      throw error;
    }
  }

  private async bring<F extends BroughtFile>(
    name: string,
    files: readonly F[],
    fetch: Fetch<F>,
    { signal, onBytes }: { signal: AbortSignal; onBytes: (bytes: number) => void },
  ): Promise<LocalCopy> {
    const folder = join(this.options.dir, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const room = await IncomingRoom.of(folder, bytesOf(files));
    const take = async (bytes: number): Promise<void> => {
      await room.take(bytes);
      onBytes(bytes);
    };
    try {
      for (const file of files) await fetch(file, join(folder, file.name), signal, take);
    } catch (error) {
      // A part of a transfer is kept for the next attempt, but not on a disk that has no room.
      if (error instanceof AppError && error.extras.facts?.['reason'] === 'disk')
        await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return { files: files.map((file) => join(folder, file.name)), users: 0, cancel: () => undefined };
  }
}

function bytesOf(files: readonly BroughtFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The name changes as soon as the Recording has grown or was joined. */
function nameOf(key: unknown, files: readonly BroughtFile[]): string {
  return createHash('sha256')
    .update(JSON.stringify([key, files]))
    .digest('hex')
    .slice(0, 32);
}
