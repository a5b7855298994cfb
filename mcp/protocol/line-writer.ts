import type { Writable } from 'node:stream';

/** Writes one line. Rejects when nobody reads. */
export type WriteLine = (line: string) => Promise<void>;

/** All lines of one turn of the event loop go out in one write, because the way to the kernel costs more than a line does. */
export function createLineWriter(output: Writable): WriteLine {
  let text = '';
  let written: Promise<void> = Promise.resolve();
  const flush = (resolve: () => void, reject: (error: Error) => void): void => {
    const whole = text;
    text = '';
    output.write(whole, (error) => (error ? reject(error) : resolve()));
  };
  return (line) => {
    const isFirst = text === '';
    text += `${line}\n`;
    if (isFirst) written = new Promise((resolve, reject) => process.nextTick(flush, resolve, reject));
    return written;
  };
}
