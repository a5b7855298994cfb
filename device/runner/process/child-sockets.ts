/** Reads the state of a child's sockets from the kernel: /proc/<pid>/fd names them, /proc/net tells their state (proc(5)). */
import { readdir, readFile, readlink } from 'node:fs/promises';

interface SocketRow {
  localPort: number;
  inode: string;
}

/** Reads rows of /proc/net/{udp,udp6}: sl, local, remote, state, tx:rx, …, inode as the tenth field. */
function parseSockets(text: string): SocketRow[] {
  return text.split('\n').flatMap((line) => {
    const [, local, , , , , , , , inode] = line.trim().split(/\s+/u);
    if (local === undefined || inode === undefined || !local.includes(':')) return [];
    return [{ localPort: Number.parseInt(local.split(':')[1]!, 16), inode }];
  });
}

export async function hasUdpPort(pid: number, port: number): Promise<boolean> {
  const inodes = await inodesOf(pid);
  if (inodes.size === 0) return false;
  // A kernel without IPv6 has no table of it.
  const tables = ['udp', 'udp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(() => ''));
  const rows = (await Promise.all(tables)).flatMap(parseSockets);
  return rows.some(({ localPort, inode }) => localPort === port && inodes.has(inode));
}

async function inodesOf(pid: number): Promise<Set<string>> {
  const folder = `/proc/${pid}/fd`;
  // A process that has ended has no sockets, and a descriptor that was closed since the listing is none.
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/u.exec(target)?.[1] ?? []));
}
