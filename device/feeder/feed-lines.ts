/** A feeder tells of its source by lines of JSON on its stdout; its media go out elsewhere, so that neither waits for the other. */
import { writeSync } from 'node:fs';

export type FeedLine =
  /** Media comes from here on. */
  | { format: string }
  /** Nothing comes any more, or it comes again. */
  | { signal: boolean }
  /** It ends. `isFinal`: this Device lacks something, and another try would not help. */
  | { error: string; isFinal?: true };

const STDOUT = 1;

export function say(line: FeedLine): void {
  writeSync(STDOUT, `${JSON.stringify(line)}\n`);
}

/** Undefined for a line that is none of a feeder, such as one of a library that it has loaded. */
export function feedLine(line: string): FeedLine | undefined {
  try {
    const parsed = JSON.parse(line) as FeedLine | null;
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    // A library writes what it likes.
    return undefined;
  }
}
