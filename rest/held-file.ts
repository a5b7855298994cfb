/**
 * A file of the program that keeps its content, whatever a build or an upgrade puts in its place: it is open from the start. It is in memory
 * only while somebody is answered with it, and then once for all of them, so that a client that does not read holds no copy.
 */
import { fstatSync, openSync, readSync } from 'node:fs';

type Bytes = Uint8Array<ArrayBuffer>;

export class HeldFile {
  private readonly file: number;
  private readonly decode: (bytes: Bytes) => Bytes;
  private present: WeakRef<Bytes> | undefined;

  /** `decode` makes what is answered of what the file holds. Throws the error of the filesystem. */
  constructor(path: string, decode: (bytes: Bytes) => Bytes = (bytes) => bytes) {
    this.file = openSync(path, 'r');
    this.decode = decode;
  }

  read(): Bytes {
    const present = this.present?.deref();
    if (present !== undefined) return present;
    const bytes = new Uint8Array(fstatSync(this.file).size);
    for (let at = 0; at < bytes.length;) {
      const count = readSync(this.file, bytes, at, bytes.length - at, at);
      if (count === 0) throw new Error('A file of the program has become shorter while it was open.');
      at += count;
    }
    const decoded = this.decode(bytes);
    this.present = new WeakRef(decoded);
    return decoded;
  }
}
