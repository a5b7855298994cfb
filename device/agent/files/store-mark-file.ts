/** The mark of the store, kept for the servers of it: a store that was put back is noticed by it. */
import { join } from 'node:path';
import { AppError } from '../../../domain/base/errors.ts';
import { readJson, writeJson } from '../../atomic-file.ts';

/** A mark has some 30 numbers. */
const MAX_MARK = 8192;

export class StoreMarkFile {
  private readonly path: string;
  private kept: string | undefined;
  /** Writes of the file, one after the other. */
  private writing: Promise<void> = Promise.resolve();

  constructor(deviceDir: string) {
    this.path = join(deviceDir, 'store-mark.json');
    const { mark } = (readJson(this.path) ?? {}) as { mark?: unknown };
    this.kept = isMark(mark) ? mark : undefined;
  }

  get mark(): string | undefined {
    return this.kept;
  }

  /** Resolves when the mark is on the disk. Rejects with AppError invalid_input or unavailable. */
  async keep(mark: unknown): Promise<void> {
    if (!isMark(mark)) throw new AppError('invalid_input', `mark must be a text of at most ${MAX_MARK} characters.`);
    const written = this.writing.then(() => writeJson(this.path, { mark }));
    this.writing = written.catch(() => undefined);
    try {
      await written;
    } catch (error) {
      throw new AppError('unavailable', 'The Device cannot write to its directory; see its log.', { cause: error });
    }
    this.kept = mark;
  }
}

function isMark(mark: unknown): mark is string {
  return typeof mark === 'string' && mark.length <= MAX_MARK;
}
