import type { TargetFinding, TargetFolder } from '../domain/folder.ts';
import { probeFolder } from './folders/probe.ts';

export async function checkTargetFolder(
  folder: Readonly<TargetFolder>,
  signal: AbortSignal,
  boundMs?: number,
): Promise<TargetFinding> {
  const { type, host, port, endpoint, password, secret_key } = folder;
  const server = `${host ?? ''}${port === null ? '' : `:${port}`}`;
  const place = type === 'S3' ? (endpoint ?? 'AWS') : server;
  const probe = { folder, place, secrets: [password, secret_key], signal, boundMs };
  if (type === 'FTP') return probeFolder(async () => (await import('./folders/ftp.ts')).ftp, probe);
  if (type === 'S3') return probeFolder(async () => (await import('./folders/s3.ts')).s3, probe);
  let hostFingerprint: string | undefined;
  const onHostKey = (found: string): void => {
    hostFingerprint = found;
  };
  const keyed = { ...probe, folder: { ...folder, onHostKey } };
  const finding = await probeFolder(async () => (await import('./folders/sftp.ts')).sftp, keyed);
  return hostFingerprint === undefined ? finding : { ...finding, hostFingerprint };
}
