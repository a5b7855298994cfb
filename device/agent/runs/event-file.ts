/** Reads events.jsonl, to which the runner appends. A runner that is killed in the middle of a line leaves that line torn. */
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';

/** A line is about 300 bytes; a piece without a line end is read again with twice the size, up to the limit below. */
const FIRST_PIECE_BYTES = 64 << 10;
const MAX_LINE_BYTES = 4 << 20;

export interface EventPiece {
  events: RunEvent[];
  /** The position of the next read, behind the last complete line. */
  position: number;
}

/**
 * Bytes in the file; 0 when there is none yet: the runner makes it with its first event. It takes some microseconds, where a call that waits
 * in the thread pool takes forty of the processor.
 */
export function eventBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The complete lines from `position` on, about 64 KB of them; no events and the same position when there are none. */
export async function readEvents(path: string, position: number): Promise<EventPiece> {
  let file;
  try {
    file = await open(path, 'r');
  } catch {
    // The runner makes the file with its first event; the next read finds it.
    return { events: [], position };
  }
  try {
    for (let bytes = FIRST_PIECE_BYTES; ; bytes *= 2) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position);
      const end = buffer.subarray(0, bytesRead).lastIndexOf('\n');
      if (end >= 0) return { events: parseEvents(buffer.toString('utf8', 0, end)), position: position + end + 1 };
      // A torn or unfinished line is read once its line end is there; a line beyond the limit is skipped.
      if (bytesRead < bytes) return { events: [], position };
      if (bytes >= MAX_LINE_BYTES) return { events: [], position: position + bytesRead };
    }
  } finally {
    await file.close();
  }
}

function parseEvents(text: string): RunEvent[] {
  return text
    .split('\n')
    .map(parseEvent)
    .filter((event) => event !== undefined);
}

/** A killed runner's half line and its successor's first whole one may share a line: the whole one is saved. */
export function parseEvent(line: string): RunEvent | undefined {
  for (const from of [0, line.lastIndexOf('{"runId"')]) {
    try {
      const event = JSON.parse(line.slice(Math.max(from, 0))) as Partial<RunEvent> | null;
      if (Number.isSafeInteger(event?.seq) && typeof event?.kind === 'string') return event as RunEvent;
    } catch {
      // The line is torn here; the next place may be whole.
    }
  }
  return undefined;
}
