/** Values of RTMP commands: refused, or bounded; what we write of them is read as the same. */
import assert from 'node:assert/strict';
import { readAmf, writeAmf, type Amf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { refusing, type FuzzTarget } from '../target.ts';

export const target: FuzzTarget = {
  seeds: [
    writeAmf('connect', 1, { app: 'live', tcUrl: 'rtmp://127.0.0.1/live', objectEncoding: 0, fpad: false }),
    writeAmf('publish', 5, null, 'key', 'live', undefined),
    Buffer.from('0a000000020101010008000000010001610500000900000009', 'hex'),
    Buffer.from('0c00000003616263', 'hex'),
  ],
  run(bytes) {
    const values = refusing([RangeError, TypeError], () => readAmf(bytes));
    if (values === undefined || !values.every(isWritable)) return;
    assert.deepEqual(readAmf(writeAmf(...values)), values);
  },
};

/** Keys and texts of 16 bits of length, not too deep: an array becomes an object, with two bytes more an entry. */
function isWritable(value: Amf): boolean {
  if (typeof value === 'string') return Buffer.byteLength(value) <= 0xffff;
  if (typeof value !== 'object' || value === null) return true;
  // An empty key is not told from the end of an object.
  return Object.entries(value).every(([key, inner]) => key !== '' && isWritable(key) && isWritable(inner));
}
