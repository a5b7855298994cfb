/** A program on a terminal of its own: a pseudo-terminal, which `script` of Debian's bsdutils makes. */
import { spawn, type ChildProcess } from 'node:child_process';

export interface OnTerminal {
  process: ChildProcess;
  /** All that was shown so far. */
  screen(): string;
  /** Resolves with what was shown when the program has ended. */
  ended: Promise<string>;
}

/** `stdout`: a file that gets the program's stdout, which is then no terminal; `columns`: the width of the terminal. */
export function onTerminal(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  stdout?: string,
  columns?: number,
): OnTerminal {
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  // exec: signals and the end are the program's own.
  const width = columns === undefined ? '' : `stty cols ${columns}; `;
  const line = `${width}exec ${quoted}${stdout === undefined ? '' : ` > '${stdout}'`}`;
  const process = spawn('script', ['-qefc', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  let shown = '';
  process.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const ended = new Promise<string>((resolve, reject) => {
    process.once('error', reject);
    process.once('close', () => resolve(shown));
  });
  return { process, screen: () => shown, ended };
}
