/** The questions of `onair new` on a terminal: only what the flags leave open is asked, and an empty answer takes what is usual. */
import { createInterface, type Interface } from 'node:readline/promises';
import { AppError } from '../../domain/errors.ts';
import { LADDERS } from '../../presets/ladders.ts';
import { TEMPLATES } from '../../presets/templates.ts';
import { oneLine } from '../output/terminal.ts';
import { typeHidden } from '../verbs/hidden-input.ts';
import { missingOf, templateOf, type NewAnswers, type NewFlags } from './answers.ts';
import { lookAt, sourceNamed } from './source.ts';

/** Whether somebody sits there who can answer. */
export function isTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Rejects with AppError invalid_input when the questions are broken off. */
export async function askFor(flags: NewFlags): Promise<NewAnswers> {
  const answers: NewAnswers = { ...flags };
  await asking(async (ask) => {
    answers.source ??= await ask('Source (file, URL, Channel, rtmp-push, srt-listen): ');
    await tell(answers.source);
    answers.to ??= await ask(`Where to (${TEMPLATES.map(({ id }) => id).join(', ')}, or an address): `);
    if (missingOf(answers).some(({ field }) => field === '--url')) answers.url = await ask('Address: ');
  });
  if (missingOf(answers).some(({ field }) => field === '--key'))
    answers.typedKey = (await typeHidden([`Stream key of ${templateOf(answers.to!)?.name}: `]))[0]!;
  await asking(async (ask) => {
    if (flags.quality === undefined) {
      const quality = await ask(
        `Quality (${LADDERS.map(({ id }) => id).join(', ')}; empty: no larger than the source): `,
      );
      if (quality !== '') answers.quality = quality as NonNullable<NewFlags['quality']>;
    }
    if (flags.record === undefined) answers.record = isYes(await ask('Record it as well? [y/N] '));
    if (flags.when === undefined) {
      const when = await ask('When ("tomorrow 20:00", +90m; empty: not by the clock): ');
      if (when !== '') answers.when = when;
    }
    if (flags.start === undefined && flags.dryRun !== true && answers.when === undefined)
      answers.start = isYes((await ask('Start it now? [Y/n] ')) || 'y');
  });
  return answers;
}

/** Asks whether the plan is right. */
export async function isConfirmed(plan: string): Promise<boolean> {
  process.stderr.write(`${plan}\n`);
  return asking(async (ask) => isYes((await ask('Set it up? [Y/n] ')) || 'y'));
}

/** A source that cannot be looked at now may come later, so that the questions go on. */
async function tell(source: string): Promise<void> {
  const report = await sourceNamed(source)
    .then(lookAt)
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code !== 'not_found') return error.message;
      throw error;
    });
  if (report !== undefined) process.stderr.write(`${oneLine(report)}\n`);
}

function isYes(answer: string): boolean {
  return /^y(?:es)?$/iu.test(answer);
}

async function asking<T>(task: (ask: (question: string) => Promise<string>) => Promise<T>): Promise<T> {
  const lines: Interface = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const interruption = new AbortController();
  lines.once('SIGINT', () => interruption.abort());
  lines.once('close', () => interruption.abort());
  try {
    return await task(async (question) => (await lines.question(question, { signal: interruption.signal })).trim());
  } catch (cause) {
    if (!interruption.signal.aborted) throw cause;
    process.stderr.write('\n');
    throw new AppError('invalid_input', 'The questions were broken off; nothing is set up.', { cause });
  } finally {
    lines.close();
  }
}
