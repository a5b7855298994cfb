/**
 * Media that a control plane on another machine has sent for its runs, or had fetched: `<device>/assets/<tag>/<filename>`. The tag is that
 * server's name for one content and begins with its size. A file gets its name under the tag once it is complete.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filenameField } from '../../../domain/shapes/media/asset.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { AppError } from '../../../domain/base/errors.ts';
import { guardedChunks, StallGuard } from '../../../domain/network/stall-guard.ts';
import { namesIn } from '../../../linux/folder.ts';
import { IncomingRoom } from '../../incoming-space.ts';

const TAG = /^(\d{1,15})-[0-9a-f]{16}$/u;
/** No tag begins with a dot. */
const INCOMING = '.incoming';
/** Media that no run has used for so long is removed, and brought again for a run that needs it. */
const KEPT_UNUSED_MS = 7 * 86_400_000;
/** A storage of which no byte comes for so long is away. */
const FETCH_SILENCE_MS = 60_000;

export interface AssetCacheOptions {
  deviceDir: string;
  clock: Clock;
  /** Paths of files that runs on this Device need. */
  held: () => ReadonlySet<string>;
}

export class AssetCache {
  private readonly dir: string;
  private readonly clock: Clock;
  private readonly held: () => ReadonlySet<string>;

  constructor({ deviceDir, clock, held }: AssetCacheOptions) {
    this.dir = join(deviceDir, 'assets');
    this.clock = clock;
    this.held = held;
  }

  /** Removes files that a crash has left half received. */
  async open(): Promise<void> {
    await rm(join(this.dir, INCOMING), { recursive: true, force: true });
  }

  /** The absolute path; undefined when the content is not here, or was changed from outside and no longer has the size of its tag. */
  async find(tag: string, filename: string): Promise<string | undefined> {
    const { path, bytes } = this.place(tag, filename);
    // Content that cannot be looked at is brought once more.
    const found = await stat(path).catch(() => undefined);
    if (found?.size !== bytes) return undefined;
    const now = new Date(this.clock.now());
    await utimes(dirname(path), now, now);
    return path;
  }

  /**
   * Writes the content to the disk and resolves with its path. Rejects with AppError invalid_input when its size is not that of the tag,
   * unavailable on a full disk, and upstream_failed when the disk fails otherwise; nothing is left under the tag then.
   */
  async receive(tag: string, filename: string, content: AsyncIterable<Buffer>): Promise<string> {
    const { path, bytes } = this.place(tag, filename);
    const temporary = join(this.dir, INCOMING, randomUUID());
    try {
      await this.dropUnused();
      await mkdir(dirname(temporary), { recursive: true, mode: 0o700 });
      await write(temporary, content, bytes, await IncomingRoom.of(this.dir, bytes));
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(temporary, path);
      return path;
    } catch (error) {
      // The first error is the one to report; `open` removes what is left here.
      await rm(temporary, { force: true }).catch(() => undefined);
      if (error instanceof AppError) throw error;
      const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC';
      if (isFull)
        throw new AppError('unavailable', `The Device has no room for ${filename}. Make room there.`, { cause: error });
      throw new AppError('upstream_failed', `The Device could not store ${filename}.`, { cause: error });
    }
  }

  /** Like `receive`, with what is at the address. Rejects with upstream_failed, too, when it cannot be fetched; no error shows the address. */
  async fetch(tag: string, filename: string, url: string): Promise<string> {
    const stall = new StallGuard(FETCH_SILENCE_MS, new Error(`no byte in ${FETCH_SILENCE_MS / 1000} s`));
    const refusal = (why: string, cause?: unknown): AppError =>
      new AppError('upstream_failed', `The Device could not fetch ${filename} from ${new URL(url).host}: ${why}.`, {
        cause,
      });
    try {
      const response = await fetch(url, { signal: stall.signal, redirect: 'error' });
      if (response.status !== 200 || response.body === null) throw refusal(`HTTP ${response.status}`);
      return await this.receive(
        tag,
        filename,
        guardedChunks(response.body, stall, (error) => refusal(reasonOf(error), error)),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw refusal(reasonOf(error), error);
      throw error.code === 'invalid_input' ? refusal('another size than was said', error) : error;
    } finally {
      stall.end();
    }
  }

  private place(tag: string, filename: string): { path: string; bytes: number } {
    const size = TAG.exec(tag)?.[1];
    // A name of 255 characters may have more bytes than a filesystem takes; the filesystem's own refusal is as good as one of ours.
    if (size === undefined || !filenameField.safeParse(filename).success)
      throw new AppError('invalid_input', 'That is no place for media: a tag and a plain file name.');
    return { path: join(this.dir, tag, filename), bytes: Number(size) };
  }

  private async dropUnused(): Promise<void> {
    const held = new Set([...this.held()].map((path) => dirname(path)));
    for (const name of await namesIn(this.dir)) {
      const dir = join(this.dir, name);
      if (name === INCOMING || held.has(dir)) continue;
      // A folder that cannot be looked at has no use that could be known.
      const usedAt = (await stat(dir).catch(() => undefined))?.mtimeMs ?? 0;
      if (usedAt < this.clock.now() - KEPT_UNUSED_MS) await rm(dir, { recursive: true, force: true });
    }
  }
}

/** The error of fetch names the address in none of its texts, but its cause says what is wrong. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

async function write(path: string, content: AsyncIterable<Buffer>, bytes: number, room: IncomingRoom): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of content) {
      if ((size += chunk.length) > bytes) break;
      await room.take(chunk.length);
      await file.write(chunk);
    }
    if (size !== bytes)
      throw new AppError('invalid_input', `The content has not the ${bytes} bytes that its tag says.`);
    // A run that names the file must find it after a power cut.
    await file.sync();
  } finally {
    await file.close();
  }
}
