/** Whether a time service keeps the clock of this machine. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const QUESTION_MS = 5000;

/** undefined where nothing here tells, as in a container. */
export async function isClockKept(): Promise<boolean | undefined> {
  try {
    const words = ['show', '--property=NTPSynchronized', '--value'];
    const { stdout } = await promisify(execFile)('timedatectl', words, { timeout: QUESTION_MS, encoding: 'utf8' });
    const answer = stdout.trim();
    return answer === 'yes' ? true : answer === 'no' ? false : undefined;
  } catch {
    // There is no systemd here.
    return undefined;
  }
}
