import type { RemoteFolder } from '../domain/folder.ts';
import type { Finding } from '../domain/validation.ts';
import { probeFolder } from './folders/probe.ts';

export function checkRemoteFolder(
  folder: Readonly<RemoteFolder>,
  signal: AbortSignal,
  boundMs?: number,
): Promise<Finding> {
  const probe = { folder, place: folder.host, secrets: [folder.password], signal, boundMs };
  if (folder.protocol === 'NFS') return probeFolder(async () => (await import('./folders/nfs.ts')).nfs, probe);
  return probeFolder(async () => (await import('./folders/webdav.ts')).webdav, probe);
}
