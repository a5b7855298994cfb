/** A program that is asked one thing and ends: bounded in time and in what it says. */
import { withDeadline } from '../../../domain/deadline.ts';
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
export async function askProgram(children: ChildProcesses, call: ProgramCall): Promise<string> {
  const { name, program, args, timeoutMs, signal } = call;
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
  const onAbort = (): void => giveUp('was not waited for');
  signal.addEventListener('abort', onAbort);
  const { code } = await withDeadline(child.ended, timeoutMs, () => {
    giveUp(`has not answered within ${timeoutMs / 1000} s`);
    return child.ended;
  });
  signal.removeEventListener('abort', onAbort);
  if (program === undefined && failure === undefined) return `${answer}\n${child.recentStderr}`;
  if (failure === undefined && code === 0) return answer;
  const what = `The ${name} ${failure ?? `ended with ${code ?? 'a signal'}`}`;
  const { lastStderr } = child;
  throw new SourceTrouble(`${what}.`, lastStderr, lastStderr === undefined ? `${what}.` : `${what}: ${lastStderr}`);
}
