/** A program that is asked one thing and ends: bounded in time and in what it says. */
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { ChildProcesses } from './child-processes.ts';

export interface ProgramCall {
  /** For the log and for errors. */
  name: string;
  /** Left out: ffmpeg, which tells of drivers. It is run without a shell. */
  program?: string;
  args: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
}

/** More is no answer: an address has 2 KB, a list of inputs as much. */
const MAX_BYTES = 65_536;

/**
 * What it wrote to stdout; of ffmpeg, which lists to its log, and by a failed run, all that it said. Rejects with
 * SourceTrouble, what it complained of redacted.
 */
export async function askProgram(children: ChildProcesses, question: ProgramCall): Promise<string> {
  const { name, program, args, timeoutMs, signal } = question;
  const child = children.spawn(
    name,
    args,
    program === undefined ? { usesDrivers: true } : { program, hideAddresses: true },
  );
  let answer = '';
  let failure: string | undefined;
  const giveUp = (why: string): void => {
    failure ??= why;
    child.kill('SIGKILL');
  };
  child.output(1)?.on('data', (chunk: Buffer) => {
    answer += chunk.toString();
    if (answer.length > MAX_BYTES) giveUp(`has said more than ${MAX_BYTES} bytes`);
  });
  const timer = setTimeout(() => giveUp(`has not answered within ${timeoutMs / 1000} s`), timeoutMs);
  const abort = (): void => giveUp('was not waited for');
  signal.addEventListener('abort', abort);
  const { code } = await child.ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', abort);
  if (program === undefined && failure === undefined) return `${answer}\n${child.recentStderr}`;
  if (failure === undefined && code === 0) return answer;
  const what = `The ${name} ${failure ?? `ended with ${code ?? 'a signal'}`}`;
  const words = child.lastStderr;
  throw new SourceTrouble(`${what}.`, words, words === undefined ? `${what}.` : `${what}: ${words}`);
}
