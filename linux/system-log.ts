/** The log of this machine, a datagram socket such as /dev/log. Node has no call for those, so the program `logger` writes to it. */
import { spawnPiped } from './piped-child.ts';

/** Lines longer than this are cut; logger's own bound is 1 KiB. */
const MAX_SIZE = '16KiB';
const BOUND_MS = 5000;

/**
 * Sends each line as a message of its own (RFC 5424). `priority` is facility and severity in one number (RFC 5424
 * §6.2.1), `tag` the name of the program and `id` the kind of message. Rejects when nobody listens at the socket.
 */
export async function sendToSystemLog(
  socket: string,
  lines: readonly string[],
  { priority, tag, id }: { priority: number; tag: string; id: string },
): Promise<void> {
  const words = ['--socket', socket, '--socket-errors=on', '--rfc5424=notq', '--size', MAX_SIZE];
  const child = spawnPiped('logger', [...words, '--prio-prefix', '--tag', tag, `--id=${process.pid}`, '--msgid', id], {
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: BOUND_MS,
  });
  let problem = '';
  child.stderr!.on('data', (chunk: Buffer) => (problem += chunk.toString()));
  // It has said why on stderr when it reads no more.
  child.stdin!.on('error', () => undefined);
  child.stdin!.end(lines.map((line) => `<${priority}>${line}\n`).join(''));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0 || problem !== '') throw new Error(problem.trim() || `logger ended with ${code ?? 'a signal'}`);
}
