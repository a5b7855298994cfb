/** An encoder that calls again whenever it is sent away. */
import { spawn, type ChildProcess } from 'node:child_process';

const AGAIN_MS = 500;

/** `args` of ffmpeg. The function that is returned ends it. */
export function startCaller(args: readonly string[]): () => void {
  let child: ChildProcess | undefined;
  let hasEnded = false;
  const call = (): void => {
    if (hasEnded) return;
    child = spawn('ffmpeg', ['-v', 'error', '-nostdin', ...args], { stdio: 'ignore' });
    child.once('exit', () => void setTimeout(call, AGAIN_MS));
  };
  call();
  return () => {
    hasEnded = true;
    child?.kill('SIGKILL');
  };
}

/** A clip that is sent again and again, as fast as it is played. */
export function live(clip: string): string[] {
  return ['-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy'];
}
