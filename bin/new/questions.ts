/** Questions at a terminal, on stderr, that are asked again until the answer can be taken. */
import { createInterface, type Interface } from 'node:readline/promises';
import { AppError } from '../../domain/base/errors.ts';
import { oneLine } from '../output/terminal.ts';
import { typeHidden } from '../verbs/hidden-input.ts';

/** Whether somebody sits there who can answer. */
export function isTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Puts a line of text before the person. */
export function tell(text: string): void {
  process.stderr.write(`${oneLine(text)}\n`);
}

/**
 * Answers what `take` makes of the answer. A refusal of it is shown, and the question is asked again. Rejects with AppError invalid_input
 * when it is broken off, and with any refusal that another answer would not mend.
 */
export async function ask<T>(question: string, take: (answer: string) => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await take(await answerOf(question));
    } catch (error) {
      if (!isMendable(error)) throw error;
      // The names of the flags are nothing that the person has typed.
      const issues = error.extras.errors?.map(({ message }) => `The answer ${message}.`);
      (issues ?? [error.message]).forEach(tell);
      if (error.extras.remedy !== undefined) tell(error.extras.remedy);
    }
  }
}

/** `y`, `yes`, `n`, `no`, or nothing for the usual one. */
export function askYesNo(question: string, usual: boolean): Promise<boolean> {
  return ask(`${question} [${usual ? 'Y/n' : 'y/N'}] `, (answer) => {
    if (answer === '') return usual;
    if (/^(?:y(?:es)?|no?)$/iu.test(answer)) return /^y/iu.test(answer);
    throw new AppError('invalid_input', 'Answer y or n.');
  });
}

/** One of the rows of a list that stands before the question: its number or its id; nothing: the usual one. */
export function choose<Id extends string, T>(
  rows: readonly { id: Id; name: string }[],
  question: string,
  take: (answer: string) => T,
): Promise<T> {
  const width = Math.max(...rows.map(({ id }) => id.length));
  rows.forEach(({ id, name }, at) => tell(`  ${String(at + 1).padStart(2)}  ${id.padEnd(width)}  ${name}`));
  return ask(question, (answer) => take(/^\d+$/u.test(answer) ? (rows[Number(answer) - 1]?.id ?? answer) : answer));
}

/** A key is not shown while it is typed or pasted. */
export async function askHidden(question: string): Promise<string> {
  for (;;) {
    const [answer = ''] = await typeHidden([question], BROKEN_OFF);
    if (answer.trim() !== '') return answer.trim();
    tell('Nothing was typed.');
  }
}

const BROKEN_OFF = 'The questions were broken off; nothing is set up.';

function isMendable(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    ['conflict', 'invalid_input', 'not_found', 'rule_violated'].includes(error.code) &&
    !wasBrokenOff(error)
  );
}

function wasBrokenOff({ message }: AppError): boolean {
  return message === BROKEN_OFF;
}

async function answerOf(question: string): Promise<string> {
  const lines: Interface = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const interruption = new AbortController();
  lines.once('SIGINT', () => interruption.abort());
  lines.once('close', () => interruption.abort());
  try {
    return (await lines.question(question, { signal: interruption.signal })).trim();
  } catch (cause) {
    if (!interruption.signal.aborted) throw cause;
    process.stderr.write('\n');
    throw new AppError('invalid_input', BROKEN_OFF, { cause });
  } finally {
    lines.close();
  }
}
