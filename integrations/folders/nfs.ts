/** NFS version 4, spoken by ourselves: it needs no mount, and so no root. */
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RemoteFolder } from '../../domain/shapes/media/folder.ts';
import {
  FolderFault,
  forbiddenReason,
  FULL,
  missingFolder,
  folderLabel,
  type FolderProtocol,
  type Sending,
} from './folder.ts';
import { inOrder } from './transfer.ts';
import { closeNfsFile, handleOf, openNfsFile, readNfs, removeNfs, renameNfs, statNfs, writeNfs } from './nfs-calls.ts';
import { connectNfs, NfsFault, type NfsConnection } from './nfs-rpc.ts';

type Folder = Readonly<RemoteFolder>;
type Path = readonly string[];
export const NFS_PORT = 2049;
/** Every server takes as much in one call. */
const CHUNK = 65_536;
const AT_ONCE = 16;
/** A server may refuse to rename over an existing file, or over one that was read lately (RFC 7530 §16.27). */
const NOT_OVER = [17, 10_046];

export function nfsAddress(host: string): { host: string; port: number } {
  const [, name = host, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/u.exec(host) ?? [];
  return { host: name.replace(/^\[|\]$/gu, ''), port: port === undefined ? NFS_PORT : Number(port) };
}

export const nfs: FolderProtocol<Folder> = {
  resumes: true,
  whole: false,
  async open({ host, folder }, signal) {
    const connection = await connectNfs(nfsAddress(host), signal);
    const path = folder.split('/').filter(Boolean);
    try {
      const found = await statNfs(connection, path);
      if (found === undefined) throw new FolderFault(missingFolder(folder));
      if (!found.isFolder) throw new FolderFault(`${JSON.stringify(folder)} is a file, not a folder`);
    } catch (error) {
      connection.close();
      throw error;
    }
    return {
      send: (name, file) => send(connection, path, name, file),
      sizeOf: async (name) => (await statNfs(connection, [...path, name]))?.size,
      receive: (name, sink) => receive(connection, [...path, name], sink),
      rename: (from, to) => rename(connection, path, from, to),
      remove: (name) => removeNfs(connection, path, name),
      close: () => connection.close(),
    };
  },

  explain(error, step, { folder }) {
    if (!(error instanceof NfsFault)) return undefined;
    const upstream = STATUS[error.status] ?? error.message;
    if (upstream === 'NFS4ERR_NOSPC' || upstream === 'NFS4ERR_DQUOT') return { reason: FULL, upstream };
    if (upstream === 'NFS4ERR_NOENT' || upstream === 'NFS4ERR_NOTDIR' || upstream === 'NFS4ERR_STALE') {
      return { reason: missingFolder(folder), upstream };
    }
    if (upstream === 'NFS4ERR_DELAY' || upstream === 'NFS4ERR_GRACE') {
      return { reason: 'the server is not ready yet', upstream, passes: true };
    }
    if (FORBIDDEN.has(upstream)) return { reason: forbiddenReason(step, folderLabel(folder)), upstream };
    return undefined;
  },
};

/** Names of the statuses in RFC 7530 §13.1. */
const STATUS: Record<number, string> = {
  1: 'NFS4ERR_PERM',
  2: 'NFS4ERR_NOENT',
  5: 'NFS4ERR_IO',
  13: 'NFS4ERR_ACCESS',
  20: 'NFS4ERR_NOTDIR',
  27: 'NFS4ERR_FBIG',
  28: 'NFS4ERR_NOSPC',
  30: 'NFS4ERR_ROFS',
  69: 'NFS4ERR_DQUOT',
  70: 'NFS4ERR_STALE',
  10008: 'NFS4ERR_DELAY',
  10013: 'NFS4ERR_GRACE',
  10016: 'NFS4ERR_WRONGSEC',
  10021: 'NFS4ERR_MINOR_VERS_MISMATCH',
};
const FORBIDDEN = new Set(['NFS4ERR_ROFS', 'NFS4ERR_ACCESS', 'NFS4ERR_PERM', 'NFS4ERR_WRONGSEC']);

async function send(connection: NfsConnection, folder: Path, name: string, file: Sending): Promise<void> {
  // Writes under way when a connection ended may have left a hole, so as much is written once more.
  const from = Math.max(0, file.from - CHUNK * AT_ONCE);
  const source = await open(file.path, 'r');
  try {
    const target = await openNfsFile(connection, folder, name, from === 0);
    const chunks = inOrder(Math.ceil((file.size - from) / CHUNK), AT_ONCE, async (index) => {
      const at = from + index * CHUNK;
      const { buffer, bytesRead } = await source.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
      await writeNfs(connection, target, at, buffer.subarray(0, bytesRead));
      return at + bytesRead;
    });
    for await (const sent of chunks) file.progress(sent);
    await closeNfsFile(connection, target);
  } finally {
    await source.close();
  }
}

async function rename(connection: NfsConnection, folder: Path, from: string, to: string): Promise<void> {
  try {
    await renameNfs(connection, folder, from, to);
  } catch (error) {
    if (!(error instanceof NfsFault) || !NOT_OVER.includes(error.status)) throw error;
    await removeNfs(connection, folder, to);
    await renameNfs(connection, folder, from, to);
  }
}

async function receive(connection: NfsConnection, path: Path, sink: Writable): Promise<void> {
  const size = (await statNfs(connection, path))?.size ?? 0;
  const handle = await handleOf(connection, path);
  const chunks = inOrder(Math.ceil(size / CHUNK), AT_ONCE, async (index) => {
    const length = Math.min(CHUNK, size - index * CHUNK);
    const parts: Buffer[] = [];
    for (let read = 0; read < length;) {
      const part = await readNfs(connection, handle, index * CHUNK + read, length - read);
      if (part.length === 0) break;
      parts.push(part);
      read += part.length;
    }
    return Buffer.concat(parts);
  });
  await pipeline(chunks, sink);
}
