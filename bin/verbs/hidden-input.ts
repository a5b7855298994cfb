/** Secrets are typed without echo: what stands on a screen is read by others, and stays in its history. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { AppError } from '../../domain/base/errors.ts';

/** readline edits the line as a terminal does; its echo is dropped. */
export async function typeHidden(
  questions: readonly string[],
  brokenOff = 'No password was given; nothing is changed.',
): Promise<string[]> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const interruption = new AbortController();
  lines.once('SIGINT', () => interruption.abort());
  lines.once('close', () => interruption.abort());
  try {
    const answers: string[] = [];
    for (const question of questions) {
      process.stderr.write(question);
      answers.push(await lines.question('', { signal: interruption.signal }));
      process.stderr.write('\n');
    }
    return answers;
  } catch (cause) {
    if (!interruption.signal.aborted) throw cause;
    process.stderr.write('\n');
    throw new AppError('invalid_input', brokenOff, { cause });
  } finally {
    lines.close();
  }
}
