import { Writable } from 'node:stream';
import { FolderFault, OTHER_CONTENT } from './folder.ts';

/** A probe has some hundred bytes; a server that answers without end must not fill the memory. */
export const MAX_SMALL_FILE_BYTES = 65_536;

/** Collects a small file in memory. */
export class SmallFile extends Writable {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private readonly tooLong: string;

  /** `tooLong` is the reason when the file is not small. */
  constructor(tooLong = OTHER_CONTENT) {
    super();
    this.tooLong = tooLong;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.size += chunk.length;
    if (this.size > MAX_SMALL_FILE_BYTES) {
      done(new FolderFault(this.tooLong));
      return;
    }
    this.chunks.push(chunk);
    done();
  }

  content(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
