/** Output at a terminal, shared by the commands that go on until they are interrupted. */

/** Puts text of others on one line: its control characters could move the cursor or set colours. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/**
 * Runs the task until it ends, or until Ctrl-C, SIGTERM or the end of the reader of our output aborts its signal; that is no failure. A
 * second signal ends the process at once.
 */
export async function untilInterrupted(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  const stop = (): void => {
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort();
  };
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    interruption.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  process.stdout.on('error', onError);
  try {
    await task(interruption.signal);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
