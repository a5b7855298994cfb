/** Runs a program that answers one question and ends, bounded in time and in bytes. */
import { withDeadline } from '../../../domain/time/deadline.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { ChildProcesses } from './child-processes.ts';

export interface ProgramCall {
  /** It stands in the log and in errors. */
  name: string;
  /** ffmpeg, which lists drivers, when it is left out. It is run without a shell. */
  program?: string;
  args: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
}

/** More is no answer: an address has 2 KB, a list of inputs as much. */
const MAX_BYTES = 65_536;

/**
 * Resolves with the program's stdout; for ffmpeg, which writes its lists to the log, also after a failed run and with its stderr. Rejects
 * with SourceTrouble, which quotes stderr without secrets.
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
