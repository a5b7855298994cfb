/** Asks the kernel how much of a connection's bytes its peer has not acknowledged (proc(5), /proc/net/tcp). */
import { readFile } from 'node:fs/promises';
import { isIPv4, type Socket } from 'node:net';

type Ends = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>;

/** Undefined where there is no such connection. The kernel walks through all its connections for it, which takes some 4 ms of a core. */
export async function unacknowledgedBytes(ends: Ends): Promise<number | undefined> {
  const { remoteAddress = '' } = ends;
  const table = isIPv4(remoteAddress) ? 'tcp' : 'tcp6';
  const text = await readFile(`/proc/net/${table}`, 'utf8').catch(() => '');
  return queueIn(text, ends);
}

/** Reads rows of the table: sl, local, remote, state, tx:rx. */
export function queueIn(
  table: string,
  { localPort = 0, remotePort = 0, remoteAddress = '' }: Ends,
): number | undefined {
  const local = `:${hex(localPort, 4)}`;
  // Of IPv6 the ports have to do: a port of this machine may have several peers, but hardly at the same port of theirs.
  const remote = `${isIPv4(remoteAddress) ? littleEndian(remoteAddress) : ''}:${hex(remotePort, 4)}`;
  for (const line of table.split('\n')) {
    const [, from, to, , queues] = line.trim().split(/\s+/u);
    if (from?.endsWith(local) === true && to?.endsWith(remote) === true && queues !== undefined)
      return Number.parseInt(queues.split(':')[0]!, 16);
  }
  return undefined;
}

function littleEndian(address: string): string {
  const bytes = address.split('.').map(Number).toReversed();
  return bytes.map((byte) => hex(byte, 2)).join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
