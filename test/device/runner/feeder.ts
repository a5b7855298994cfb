/** An ffmpeg that gives a clip to someone, as an encoder in the field would. */
import { spawn } from 'node:child_process';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

export interface Feeder {
  pid: number;
  kill(): void;
  signal(signal: NodeJS.Signals): void;
  /** Exit code, or null after a signal. */
  ended: Promise<number | null>;
  words(): string;
}

/** Plays `file` at its own pace, again and again, into what `to` says. Gone after the test. */
export function feed(t: TestScope, file: string, ...to: string[]): Feeder {
  const args = ['-v', 'error', '-re', '-stream_loop', '-1', '-i', file, '-c', 'copy', ...to];
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const kill = (): void => void child.kill('SIGKILL');
  cleanUp(t, kill);
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return {
    pid: child.pid!,
    kill,
    signal,
    words: () => words,
    ended: new Promise((resolve) => child.once('exit', (code) => resolve(code))),
  };
}

/** The same, begun anew whenever it ends: encoders in the field call again, and listen again. */
export function keepFeeding(t: TestScope, file: string, ...to: string[]): { kill(): void } {
  let feeder = feed(t, file, ...to);
  let over = false;
  const follow = (): void =>
    void feeder.ended.then(() => {
      if (over) return;
      setTimeout(() => {
        if (over) return;
        feeder = feed(t, file, ...to);
        follow();
      }, 200);
    });
  follow();
  const kill = (): void => {
    over = true;
    feeder.kill();
  };
  cleanUp(t, kill);
  return { kill };
}
