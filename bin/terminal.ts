/** What commands that go on until they are interrupted share. */

/** Text of others on one line: control characters could move the cursor or set colours. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/**
 * Runs the task until it ends or Ctrl-C (SIGTERM, a reader of our output that has gone) asks it to; that is no failure. A second signal
 * ends at once.
 */
export async function untilInterrupted(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const asked = new AbortController();
  const stop = (): void => {
    if (asked.signal.aborted) process.exit(130);
    asked.abort();
  };
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    asked.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  process.stdout.on('error', onError);
  try {
    await task(asked.signal);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
