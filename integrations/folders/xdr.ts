/** XDR (RFC 4506): big-endian words, and bytes with their length before them, filled up to a multiple of four. */

export function u32(...values: number[]): Buffer {
  const words = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => words.writeUInt32BE(value >>> 0, index * 4));
  return words;
}

export function u64(value: number): Buffer {
  const word = Buffer.alloc(8);
  word.writeBigUInt64BE(BigInt(value));
  return word;
}

export function opaque(bytes: Buffer | string): Buffer {
  const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return Buffer.concat([u32(content.length), content, Buffer.alloc((4 - (content.length % 4)) % 4)]);
}

/** Bytes of an opaque value that begins at `at`. Throws RangeError when it is longer than the data around it. */
export function opaqueAt(data: Buffer, at: number): Buffer {
  const length = data.readUInt32BE(at);
  if (at + 4 + length > data.length) throw new RangeError('a value is longer than what holds it');
  return data.subarray(at + 4, at + 4 + length);
}
