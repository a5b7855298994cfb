import type { RemoteFolder } from '../domain/shapes/media/folder.ts';
import type { OutgoingFile, SentFile, TransferProgress } from '../domain/shapes/installation/integrations.ts';
import type { Finding } from '../domain/base/validation.ts';
import type { FolderProtocol } from './folders/folder.ts';
import { probeFolder } from './folders/probe.ts';
import { asFile, transferFile, type Transfer } from './folders/transfer.ts';

type Folder = Readonly<RemoteFolder>;

export function checkRemoteFolder(folder: Folder, signal: AbortSignal, boundMs?: number): Promise<Finding> {
  return probeFolder(() => protocolOf(folder), { ...addressOf(folder), signal, boundMs });
}

/**
 * Backups of one name contain the same Recording: an existing one is of an attempt whose end was not stored. Rejects as `transferFile`
 * does.
 */
export function backUp(
  folder: Folder,
  file: OutgoingFile,
  signal: AbortSignal,
  progress: TransferProgress = () => undefined,
  limits: Pick<Transfer<Folder>, 'retry' | 'stallMs'> = {},
): Promise<SentFile> {
  return asFile(file, (path) => {
    const transfer = { ...addressOf(folder), name: file.name, path, replace: true, signal, progress, ...limits };
    return transferFile(() => protocolOf(folder), transfer);
  });
}

function addressOf(folder: Folder): Pick<Transfer<Folder>, 'folder' | 'place' | 'secrets'> {
  const { user, password } = folder;
  // A server that repeats a request's header repeats both in one word.
  const pair = user === null ? null : Buffer.from(`${user}:${password ?? ''}`).toString('base64');
  return { folder, place: folder.host, secrets: [pair, password] };
}

async function protocolOf({ protocol }: Folder): Promise<FolderProtocol<Folder>> {
  return protocol === 'NFS' ? (await import('./folders/nfs.ts')).nfs : (await import('./folders/webdav.ts')).webdav;
}
