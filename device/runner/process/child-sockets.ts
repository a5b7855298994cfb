/** Reads the state of a child's sockets from the kernel: /proc/<pid>/fd names them, /proc/net tells their state (proc(5)). */
import { readdir, readFile, readlink } from 'node:fs/promises';

interface SocketRow {
  localPort: number;
  /** Bytes that the peer has not acknowledged; for UDP, bytes that the card has not taken. */
  unsent: number;
  inode: string;
}

/** Reads rows of /proc/net/{tcp,tcp6,udp,udp6}: sl, local, remote, state, tx:rx, …, inode as the tenth field. */
function parseSockets(text: string): SocketRow[] {
  return text.split('\n').flatMap((line) => {
    const [, local, , , queues, , , , , inode] = line.trim().split(/\s+/u);
    if (local === undefined || queues === undefined || inode === undefined || !local.includes(':')) return [];
    return [
      {
        localPort: Number.parseInt(local.split(':')[1]!, 16),
        unsent: Number.parseInt(queues.split(':')[0]!, 16),
        inode,
      },
    ];
  });
}

/** Bytes on their way in all TCP connections of the process; undefined when it has none, or cannot be looked at. */
export async function unacknowledgedBytes(pid: number): Promise<number | undefined> {
  const rows = await socketsOf(pid, 'tcp');
  return rows.length === 0 ? undefined : rows.reduce((sum, { unsent }) => sum + unsent, 0);
}

export async function hasUdpPort(pid: number, port: number): Promise<boolean> {
  return (await socketsOf(pid, 'udp')).some(({ localPort }) => localPort === port);
}

async function socketsOf(pid: number, protocol: 'tcp' | 'udp'): Promise<SocketRow[]> {
  const inodes = await inodesOf(pid);
  if (inodes.size === 0) return [];
  // A kernel without IPv6 has no table of it.
  const tables = [protocol, `${protocol}6`].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(() => ''));
  return (await Promise.all(tables)).flatMap(parseSockets).filter(({ inode }) => inodes.has(inode));
}

async function inodesOf(pid: number): Promise<Set<string>> {
  const folder = `/proc/${pid}/fd`;
  // A process that has ended has no sockets, and a descriptor that was closed since the listing is none.
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/u.exec(target)?.[1] ?? []));
}
