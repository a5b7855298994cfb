/** Boxes of an ISO base media file, ISO/IEC 14496-12 §4.2. */
import { MAX_BUFFERED_BYTES } from '../ladder/ladder-plan.ts';

export interface Box {
  /** Four characters. */
  type: string;
  /** The whole box, header included. */
  bytes: Buffer;
  /** Bytes behind size and type; in a full box they begin with version and flags. */
  body: Buffer;
}

interface Header {
  type: string;
  size: number;
  headerBytes: number;
}

/** Returns undefined while the header is not complete. Throws RangeError for a size that no box in a stream can have. */
function readHeader(data: Buffer, at: number): Header | undefined {
  if (at + 8 > data.length) return undefined;
  const type = data.toString('latin1', at + 4, at + 8);
  let size = data.readUInt32BE(at);
  let headerBytes = 8;
  if (size === 1) {
    if (at + 16 > data.length) return undefined;
    size = Number(data.readBigUInt64BE(at + 8));
    headerBytes = 16;
  }
  // Size 0 means up to the end of the file, which a stream does not have. A box that is too long to wait for is no media but damage.
  if (size < headerBytes || size > MAX_BUFFERED_BYTES) throw new RangeError(`A box "${type}" of ${size} bytes.`);
  return { type, size, headerBytes };
}

/** Yields the boxes inside of a body. Throws RangeError when one is longer than the body. */
export function* boxesIn(data: Buffer, from = 0): Generator<Box> {
  let at = from;
  while (at < data.length) {
    const header = readHeader(data, at);
    if (header === undefined || at + header.size > data.length)
      throw new RangeError('A box is longer than what holds it.');
    const bytes = data.subarray(at, at + header.size);
    yield { type: header.type, bytes, body: bytes.subarray(header.headerBytes) };
    at += header.size;
  }
}

/** Returns the body of the first box at the end of the path, as `findBox(moov, 'trak', 'mdia')`; undefined when there is none. */
export function findBox(body: Buffer, ...path: string[]): Buffer | undefined {
  let inside: Buffer | undefined = body;
  for (const type of path) {
    if (inside === undefined) return undefined;
    inside = [...boxesIn(inside)].find((box) => box.type === type)?.body;
  }
  return inside;
}

/** Works like findBox, but throws RangeError, with the path, when there is none. */
export function getBox(body: Buffer, ...path: string[]): Buffer {
  const found = findBox(body, ...path);
  if (found === undefined) throw new RangeError(`There is no box ${path.join('/')}.`);
  return found;
}

/** Returns a box around its parts. */
export function box(type: string, ...parts: Buffer[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, 8);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...parts], size);
}

export function fullBox(type: string, version: number, flags: number, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(version * 2 ** 24 + flags);
  return box(type, head, ...parts);
}

/** Cuts a byte stream into top-level boxes. */
export class BoxSplitter {
  private parts: Buffer[] = [];
  private length = 0;
  /** Bytes up to the end of the box that has begun, or of its header. */
  private neededBytes = 8;

  /** Returns the boxes that the bytes complete. Throws RangeError for bytes that are no box; the stream cannot be read any further then. */
  push(chunk: Buffer): Box[] {
    this.parts.push(chunk);
    this.length += chunk.length;
    const boxes: Box[] = [];
    if (this.length < this.neededBytes) return boxes;
    let data = Buffer.concat(this.parts);
    for (;;) {
      const header = readHeader(data, 0);
      this.neededBytes = header?.size ?? 16;
      if (header === undefined || data.length < header.size) break;
      const bytes = data.subarray(0, header.size);
      boxes.push({ type: header.type, bytes, body: bytes.subarray(header.headerBytes) });
      data = data.subarray(header.size);
    }
    if (data.length < 8) this.neededBytes = 8;
    this.parts = data.length === 0 ? [] : [data];
    this.length = data.length;
    return boxes;
  }
}
