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
  const options = { level, name, redact, base: { name }, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss' }),
  );
}
