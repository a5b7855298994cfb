/** The note about a segment that is not whole yet, for the runner that comes behind a killed one. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readCached } from '../../../atomic-file.ts';

const NAME = '.open.json';
/** A shorter note covers a longer one. */
const BYTES = 300;
const BYTES_A_FILE = 200;

export class OpenNote<T extends object> {
  private readonly path: string;
  private readonly length: number;
  private file: number | undefined;

  /** `files` is the number of files that a note is about. */
  constructor(dir: string, files: number) {
    this.path = join(dir, NAME);
    this.length = BYTES + BYTES_A_FILE * files;
  }

  /** It is replaced in place, which costs less than a new file: one that is torn is none. Throws the error of the filesystem. */
  write(note: T): void {
    this.file ??= openSync(this.path, 'w', 0o600);
    writeSync(this.file, JSON.stringify(note).padEnd(this.length), 0);
  }

  read(): T | undefined {
    return readCached(this.path) as T | undefined;
  }

  /** It stays as it is. */
  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}
