/** Reads a zip by its central directory (APPNOTE 4.3.12): it checks what an archive holds by other code than wrote it. */
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;

export interface ZipEntry {
  content: Buffer;
  mode: number;
}

export function readZip(zip: Buffer): Map<string, ZipEntry> {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) throw new Error('no end of central directory');
  const entries = new Map<string, ZipEntry>();
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (zip.readUInt32LE(at) !== CENTRAL) throw new Error(`no entry at ${at}`);
    const method = zip.readUInt16LE(at + 10);
    const [packed, size] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const raw = zip.subarray(start, start + packed);
    const content = method === 0 ? raw : inflateRawSync(raw);
    if (content.length !== size) throw new Error(`${name} has ${content.length} bytes, not ${size}`);
    entries.set(name, { content, mode: zip.readUInt32LE(at + 38) >>> 16 });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}
