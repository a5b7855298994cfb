/** A runner without a run yet: its program is loaded, and it waits for the agent's word on standard input. */
import { readSync } from 'node:fs';
import { writeLogTo } from '../log-file.ts';
import { runFiles } from '../run-dir.ts';
import { runRunner } from './main.ts';

const STDIN = 0;

/** Resolves when the run that it was given is over, or at once when the agent ends before it gave one. */
export async function runStandby(deviceDir: string): Promise<void> {
  const runId = awaitRun();
  if (runId === undefined) return;
  assumeRun(deviceDir, runId);
  await runRunner(deviceDir, runId);
}

/** Blocks: there is nothing else to do, and any signal ends it. Undefined when the agent is gone. */
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

/** To people, to the process list and in its log it is the run's runner from here on. */
export function assumeRun(deviceDir: string, runId: string): void {
  process.title = `onair runner ${runId}`;
  writeLogTo(runFiles(deviceDir, runId).log);
}
