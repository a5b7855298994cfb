import type { RemoteFolder } from '../domain/folder.ts';
import type { Finding } from '../domain/validation.ts';
import { probeFolder } from './folders/probe.ts';

export function checkRemoteFolder(
  folder: Readonly<RemoteFolder>,
  signal: AbortSignal,
  boundMs?: number,
): Promise<Finding> {
  const { user, password } = folder;
  // A server that repeats a request's header repeats both in one word.
  const pair = user === null ? null : Buffer.from(`${user}:${password ?? ''}`).toString('base64');
  const probe = { folder, place: folder.host, secrets: [pair, password], signal, boundMs };
  if (folder.protocol === 'NFS') return probeFolder(async () => (await import('./folders/nfs.ts')).nfs, probe);
  return probeFolder(async () => (await import('./folders/webdav.ts')).webdav, probe);
}
