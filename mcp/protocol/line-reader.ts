/** Reads a stream as lines, none of which may fill the memory. */
import type { Readable } from 'node:stream';

/** An Asset of 8 MB in base64 with its frame. */
export const MAX_LINE_BYTES = 12 * 1024 ** 2;
/** Both ends of a longer line are kept, because the id stands in one of them. */
const END_BYTES = 1024;
const NEWLINE = 0x0a;

export interface LineReceiver {
  take(line: string): void;
  /** Gets only the ends of a line that is longer than the bound, so that the lines behind it are still read. */
  skip(begin: string, end: string): void;
}

export function readLines(input: Readable, { take, skip }: LineReceiver): void {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer): void => {
    size += part.length;
    parts.push(part);
    if (size > MAX_LINE_BYTES) parts = endsOf(Buffer.concat(parts));
  };
  input.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      if (size > MAX_LINE_BYTES) skip(String(parts[0]), String(parts[1]));
      else take(textOf(parts));
      parts = [];
      size = 0;
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  });
}

function textOf(parts: readonly Buffer[]): string {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first.toString() : Buffer.concat(parts).toString();
}

/** The ends are copies, because a view would keep the whole line in memory. */
function endsOf(line: Buffer): Buffer[] {
  return [Buffer.from(line.subarray(0, END_BYTES)), Buffer.from(line.subarray(-END_BYTES))];
}
