/**
 * The line format of journals and snapshots: CRC-32 of the JSON in eight hex digits, a space, the JSON, a newline.
 * JSON.stringify escapes control characters, so a newline ends a line and a NUL byte was never written by us.
 */
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const PREFIX = 9;
const NEWLINE = 0x0a;
const CHUNK = 1 << 20;

export interface Line {
  /** Line number, from 1. */
  readonly number: number;
  /** Byte offsets of the line and of what follows its newline. */
  readonly start: number;
  readonly end: number;
  /** The line without its newline. */
  readonly bytes: Buffer;
  /** False for what stands after the last newline of the file. */
  readonly terminated: boolean;
}

export function lineOf(json: string): string {
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

/** The JSON value of a line; undefined when the line is not as it was written. */
export function parseLine({ bytes, terminated }: Line): unknown {
  if (!terminated || bytes.length <= PREFIX || bytes[PREFIX - 1] !== 0x20) return undefined;
  const json = bytes.subarray(PREFIX);
  if (crc32(json).toString(16).padStart(8, '0') !== bytes.toString('latin1', 0, PREFIX - 1)) return undefined;
  return JSON.parse(json.toString('utf8'));
}

/**
 * True for a bad line that a power cut leaves of a write under way: cut short, or with blocks that never reached the disk and read as NUL.
 * A whole line with a wrong checksum was whole once, and damaged later.
 */
export function looksTorn({ bytes, terminated }: Line): boolean {
  return !terminated || bytes.includes(0);
}

/** Yields the lines of a file, read in pieces, because a journal may be larger than one buffer should be. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  const handle = await open(path, 'r');
  try {
    let number = 1;
    let start = 0;
    let parts: Buffer[] = [];
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        const piece = chunk.subarray(from, at);
        const bytes = parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
        const end = start + bytes.length + 1;
        yield { number, start, end, bytes, terminated: true };
        parts = [];
        from = at + 1;
        start = end;
        number += 1;
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
    }
    if (parts.length > 0) {
      const bytes = Buffer.concat(parts);
      yield { number, start, end: start + bytes.length, bytes, terminated: false };
    }
  } finally {
    await handle.close();
  }
}
