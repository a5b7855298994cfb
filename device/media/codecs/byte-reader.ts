/** Reads big-endian fields one after the other. Every read past the end throws RangeError, so that cut data is never half believed. */
export class ByteReader {
  private readonly data: Buffer;
  private readonly end: number;
  /** Offset of the next field in the buffer. */
  position: number;

  constructor(data: Buffer, from = 0, end = data.length) {
    this.data = data;
    this.position = from;
    this.end = Math.min(end, data.length);
  }

  get left(): number {
    return this.end - this.position;
  }

  /** Reads an unsigned field of up to 6 bytes. */
  unsigned(bytes: number): number {
    const at = this.skip(bytes);
    return bytes === 0 ? 0 : this.data.readUIntBE(at, bytes);
  }

  signed32(): number {
    return this.data.readInt32BE(this.skip(4));
  }

  /** Reads the 33 low bits of five bytes, as MPEG systems write PTS and durations. */
  ticks33(): number {
    return this.unsigned(5) % 2 ** 33;
  }

  /** Returns a copy of the next bytes. */
  take(bytes: number): Buffer {
    const at = this.skip(bytes);
    return Buffer.from(this.data.subarray(at, at + bytes));
  }

  rest(): Buffer {
    return this.take(this.left);
  }

  /** Passes over bytes and returns their offset. */
  skip(bytes: number): number {
    if (bytes < 0 || bytes > this.left)
      throw new RangeError(`${bytes} bytes are wanted at ${this.position}, ${this.left} are left.`);
    const at = this.position;
    this.position += bytes;
    return at;
  }
}

/** Writes an unsigned field. Throws RangeError, with its name, for a value that does not fit. */
export function fieldBytes(name: string, value: number, bits: number): Buffer {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** bits)
    throw new RangeError(`${name} must be a whole number of ${bits} bits, not ${value}.`);
  const field = Buffer.alloc(Math.ceil(bits / 8));
  field.writeUIntBE(value, 0, field.length);
  return field;
}

/** Writes 33 bits in five bytes; `high` fills the seven bits above them. */
export function ticks33Bytes(name: string, ticks: number, high: number): Buffer {
  const field = fieldBytes(name, ticks, 33);
  field[0] = (field[0]! & 1) | (high << 1);
  return field;
}
