import type { Writable } from 'node:stream';

/** Writes one line. Rejects when nobody reads. */
export type WriteLine = (line: string) => Promise<void>;

/** No line waits longer than this for those that are about to follow. */
const MAX_WAIT_MS = 1;

/**
 * All lines of one turn of the event loop go out in one write, because the way to the kernel costs more than a line does. While
 * `isMoreExpected`, the lines of the next turns join them.
 */
export function createLineWriter(output: Writable, isMoreExpected = (): boolean => false): WriteLine {
  let text = '';
  let beganMs = 0;
  let written: Promise<void> = Promise.resolve();
  const flush = (resolve: () => void, reject: (error: Error) => void): void => {
    if (isMoreExpected() && performance.now() - beganMs < MAX_WAIT_MS) return void setImmediate(flush, resolve, reject);
    const whole = text;
    text = '';
    output.write(whole, (error) => (error ? reject(error) : resolve()));
  };
  return (line) => {
    const isFirst = text === '';
    text += `${line}\n`;
    if (isFirst) {
      beganMs = performance.now();
      written = new Promise((resolve, reject) => process.nextTick(flush, resolve, reject));
    }
    return written;
  };
}
