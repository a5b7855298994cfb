/** AMF0 as RTMP commands use it (Adobe, Action Message Format AMF 0, 2007): values from a stranger are bounded in depth and number. */

export type Amf = number | boolean | string | null | undefined | { [key: string]: Amf };

const MAX_DEPTH = 8;
const MAX_VALUES = 1000;

/**
 * Reads all values of a message: a date as its milliseconds, XML as a text, a reference to an earlier value as none. Throws RangeError or
 * TypeError for values that are cut short, too deep or of a type whose length AMF0 does not tell.
 */
export function readAmf(bytes: Buffer): Amf[] {
  const reader = new AmfReader(bytes);
  const values: Amf[] = [];
  while (!reader.atEnd) values.push(reader.value(0));
  return values;
}

class AmfReader {
  private readonly bytes: Buffer;
  private at = 0;
  private count = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  value(depth: number): Amf {
    this.count += 1;
    if (depth > MAX_DEPTH || this.count > MAX_VALUES) throw new RangeError('An AMF0 value is too large.');
    const type = this.bytes.readUInt8(this.at++);
    if (type === 0) return this.bytes.readDoubleBE(this.skip(8));
    if (type === 1) return this.bytes.readUInt8(this.skip(1)) !== 0;
    if (type === 2) return this.text(this.bytes.readUInt16BE(this.skip(2)));
    if (type === 3) return this.object(depth);
    if (type === 5) return null;
    if (type === 6 || type === 13) return undefined;
    if (type === 7) return void this.bytes.readUInt16BE(this.skip(2));
    if (type === 8) {
      // The count of an ECMA array is a hint; its end is marked like an object's.
      this.skip(4);
      return this.object(depth);
    }
    if (type === 10) {
      const length = this.bytes.readUInt32BE(this.skip(4));
      if (length > MAX_VALUES) throw new RangeError('An AMF0 array is too long.');
      const entries = Array.from({ length }, (_, i) => [String(i), this.value(depth + 1)] as const);
      return Object.fromEntries(entries);
    }
    if (type === 11) {
      const at = this.skip(8);
      // Two bytes are for a time zone that is always 0.
      this.bytes.readInt16BE(this.skip(2));
      return this.bytes.readDoubleBE(at);
    }
    if (type === 12 || type === 15) return this.text(this.bytes.readUInt32BE(this.skip(4)));
    if (type === 16) {
      this.text(this.bytes.readUInt16BE(this.skip(2)));
      return this.object(depth);
    }
    throw new TypeError(`AMF0 type ${type} has no place in a command.`);
  }

  private object(depth: number): Amf {
    const entries: [string, Amf][] = [];
    for (;;) {
      const key = this.text(this.bytes.readUInt16BE(this.skip(2)));
      if (key === '' && this.bytes.readUInt8(this.at) === 9) {
        this.at += 1;
        // With fromEntries a key `__proto__` stays a key.
        return Object.fromEntries(entries);
      }
      entries.push([key, this.value(depth + 1)]);
    }
  }

  private text(length: number): string {
    const from = this.skip(length);
    if (this.at > this.bytes.length) throw new RangeError('An AMF0 string is cut short.');
    return this.bytes.toString('utf8', from, this.at);
  }

  private skip(length: number): number {
    const from = this.at;
    this.at += length;
    return from;
  }
}

export function writeAmf(...values: Amf[]): Buffer {
  return Buffer.concat(values.map(encoded));
}

function encoded(value: Amf): Buffer {
  if (value === null) return Buffer.from([5]);
  if (value === undefined) return Buffer.from([6]);
  if (typeof value === 'boolean') return Buffer.from([1, value ? 1 : 0]);
  if (typeof value === 'string') return Buffer.concat([Buffer.from([2]), sized(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  const pairs = Object.entries(value).flatMap(([key, one]) => [sized(key), encoded(one)]);
  return Buffer.concat([Buffer.from([3]), ...pairs, Buffer.from([0, 0, 9])]);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
