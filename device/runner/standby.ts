/** A runner without a run yet: its program is loaded, and it waits on standard input for the id of a run. */
import { readSync } from 'node:fs';
import { writeLogTo } from '../log-file.ts';
import { runFiles } from '../run-dir.ts';
import { runRunner } from './main.ts';

const STDIN = 0;

/** Resolves when its run is over, or at once when the agent ends before it has given a run. */
export async function runStandby(deviceDir: string): Promise<void> {
  const runId = awaitRun();
  if (runId === undefined) return;
  assumeRun(deviceDir, runId);
  await runRunner(deviceDir, runId);
}

/** Blocks, since there is nothing else to do and any signal ends it. Returns undefined when the agent is gone. */
export function awaitRun(): string | undefined {
  const buffer = Buffer.alloc(200);
  let line = '';
  while (!line.endsWith('\n')) {
    const bytes = readSync(STDIN, buffer);
    if (bytes === 0) return undefined;
    line += buffer.toString('utf8', 0, bytes);
  }
  return line.trim();
}

/** From here on this process is the runner of that run: by its title in the process list, and in its log. */
export function assumeRun(deviceDir: string, runId: string): void {
  process.title = `onair runner ${runId}`;
  writeLogTo(runFiles(deviceDir, runId).log);
}
