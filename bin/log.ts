import { writeSync } from 'node:fs';
import pino, { type Logger, type LoggerOptions } from 'pino';

/** The values of these keys never reach a log, at any of the depths that our objects have. */
const SECRET_KEYS = [
  'token',
  'password',
  'passphrase',
  'stream_key',
  'access_key',
  'secret_key',
  'authorization',
  'secret',
  'token_hash',
  'password_hash',
  'register_password',
  'link_key',
];
const redact = { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`, `*.*.*.${key}`]), censor: '****' };

const PIPE_WAIT_MS = 20;

/** Logs one JSON object a line on stderr, and readable lines on a terminal. stdout belongs to MCP and to CLI output. */
export async function createLog(level: string, name: string): Promise<Logger> {
  const options = { level, name, redact, base: { name }, timestamp: pino.stdTimeFunctions.isoTime };
  // A line that cannot be written must not end the process that wrote it: its disk is full, or its reader has gone.
  process.stderr.on('error', ignore);
  if (!process.stderr.isTTY) return jsonLog(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss' }),
  );
}

/** A line that cannot be written is dropped and counted; the first that is written again says how many were. */
function jsonLog(options: LoggerOptions): Logger {
  let dropped = 0;
  /** The last line found no room for its end. */
  let isCut = false;
  const write = (line: string): void => {
    const bytes = Buffer.from(isCut ? `\n${line}` : line);
    const written = writeToStderr(bytes);
    if (written > 0) isCut = written < bytes.length;
    if (written < bytes.length) dropped += 1;
    else if (dropped > 0) {
      const lines = dropped;
      dropped = 0;
      log.warn({ lines }, 'Lines before this one are missing: the log could not be written.');
    }
  };
  const log = pino(options, { write });
  return log;
}

/** Answers how many bytes went out. A full pipe is waited for, also one that its reader has made non-blocking. */
function writeToStderr(bytes: Buffer): number {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(2, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_WAIT_MS);
    }
  }
  return done;
}

function ignore(): void {
  // The writer counts lines that are lost; the event says nothing more.
}
