import { fstatSync, statSync } from 'node:fs';
import pino, { type Logger } from 'pino';

/** Keys whose values never reach a log, at any of the depths that our objects have. */
const SECRET_KEYS = [
  'token',
  'password',
  'passphrase',
  'stream_key',
  'authorization',
  'secret',
  'token_hash',
  'password_hash',
  'register_password',
  'link_key',
];
const redact = { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`, `*.*.*.${key}`]), censor: '****' };

/** One JSON object a line on stderr, readable lines on a terminal. stdout belongs to MCP and to CLI output. */
export async function createLog(level: string, name: string): Promise<Logger> {
  const options = { level, name, redact, base: { name } };
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss' }),
  );
}

/** Whether what this process writes to stderr goes to the file at `path`. */
export function isStderr(path: string): boolean {
  try {
    const [open, named] = [fstatSync(2, { bigint: true }), statSync(path, { bigint: true })];
    return open.dev === named.dev && open.ino === named.ino;
  } catch {
    // No such file: nobody writes to it.
    return false;
  }
}
