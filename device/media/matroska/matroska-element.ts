/** Elements of EBML (RFC 8794 §4 to §7), of which Matroska is made: an id, a length, and what it holds. */

/** Eight bytes whose bits are all set: the element ends where the stream does. */
const UNKNOWN_LENGTH = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

export function element(id: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([opening(id, length), ...parts]);
}

/** The beginning of an element of so many bytes, or of one without an end. */
export function opening(id: number, length: number | 'unknown'): Buffer {
  return Buffer.concat([bytesOf(id), length === 'unknown' ? UNKNOWN_LENGTH : vint(length)]);
}

export function unsigned(id: number, value: number): Buffer {
  return element(id, bytesOf(value));
}

export function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
}

export function text(id: number, value: string): Buffer {
  return element(id, Buffer.from(value, 'utf8'));
}

/** A number behind a mark that says how many bytes it has. All bits set would mean that it is not known. */
export function vint(value: number): Buffer {
  let size = 1;
  while (value >= 2 ** (7 * size) - 1) size += 1;
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(2 ** (7 * size) + value, 0, size);
  return bytes;
}

function bytesOf(value: number): Buffer {
  let size = 1;
  while (value >= 2 ** (8 * size)) size += 1;
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}
