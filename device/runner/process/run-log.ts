/** The runner's log: one JSON object a line on stderr, which the agent has put into the run directory. Callers redact. */
import { writeSync } from 'node:fs';
import { systemClock, toIso } from '../../../domain/clock.ts';

export interface RunLog {
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
}

function write(level: string, message: string, facts: Record<string, unknown> = {}): void {
  try {
    writeSync(2, `${JSON.stringify({ level, time: toIso(systemClock.now()), ...facts, msg: message })}\n`);
  } catch {
    // A closed stderr or a full disk must not end a broadcast.
  }
}

export const stderrLog: RunLog = {
  info: (message, facts) => write('info', message, facts),
  warn: (message, facts) => write('warn', message, facts),
};
