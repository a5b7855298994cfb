/** The log of a run: one JSON object a line in its run directory. Callers redact. */
import { closeSync, writeSync } from 'node:fs';
import { systemClock, toIso } from '../../../domain/time/clock.ts';
import { boundLog, openLogFile } from '../../log-file.ts';

export interface RunLog {
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
}

/** A run has a log of its own, whoever else shares its process. Throws the error of the filesystem. */
export function openRunLog(path: string): RunLog & { close(): void } {
  const fd = openLogFile(path);
  const endBound = boundLog(path, fd);
  const write = (level: string, message: string, facts: Record<string, unknown> = {}): void => {
    try {
      writeSync(fd, `${JSON.stringify({ level, time: toIso(systemClock.now()), ...facts, msg: message })}\n`);
    } catch {
      // A full disk must not end a broadcast.
    }
  };
  return {
    info: (message, facts) => write('info', message, facts),
    warn: (message, facts) => write('warn', message, facts),
    close() {
      endBound();
      closeSync(fd);
    },
  };
}
