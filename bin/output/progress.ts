/** The progress of a call goes to stderr: stdout has the answer and nothing else. */
import { oneLine } from './terminal.ts';

export interface ProgressLines {
  show(message: string, seconds: number): void;
  /** Is called before anything else is written. */
  end(): void;
}

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

/** A terminal has one line, written anew each time and gone at the end; a log has a line for each new message. */
export function progressLines(stream: Stream = process.stderr): ProgressLines {
  let last = '';
  if (!stream.isTTY)
    return {
      show(message) {
        if (message !== last) stream.write(`onair: ${oneLine(message)}\n`);
        last = message;
      },
      end: () => undefined,
    };
  return {
    show(message, seconds) {
      last = `${oneLine(message)} (${seconds} s)`;
      // A line that wraps could not be written over. A terminal that does not know its size reports 0 columns.
      stream.write(`\r${[...last].slice(0, (stream.columns || 80) - 1).join('')}\x1b[K`);
    },
    end: () => void (last !== '' && stream.write('\r\x1b[K')),
  };
}
