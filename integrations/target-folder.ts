import { AppError, ruleViolated } from '../domain/base/errors.ts';
import type { TargetFinding, TargetFolder } from '../domain/shapes/media/folder.ts';
import type { OutgoingFile, SentFile, TransferProgress } from '../domain/shapes/installation/integrations.ts';
import type { FolderProtocol } from './folders/folder.ts';
import { probeFolder } from './folders/probe.ts';
import type { FtpFolder } from './folders/ftp.ts';
import type { SftpFolder } from './folders/sftp.ts';
import { asFile, transferFile, type Transfer } from './folders/transfer.ts';

type Folder = Readonly<TargetFolder>;

/** Two transfers to one name would write into each other. */
const underWay = new Set<string>();

export async function checkTargetFolder(folder: Folder, signal: AbortSignal, boundMs?: number): Promise<TargetFinding> {
  const known: { hostFingerprint?: string; secure?: boolean } =
    folder.type === 'FTP' ? {} : { secure: isSecure(folder) };
  const onHostKey = (found: string): void => {
    known.hostFingerprint = found;
  };
  const onSecure = (found: boolean): void => {
    known.secure = found;
  };
  const probe = { ...addressOf(folder), folder: { ...folder, onHostKey, onSecure }, signal, boundMs };
  const finding = await probeFolder(() => protocolOf(folder), probe);
  return { ...finding, ...known };
}

export async function exportTo(
  folder: Folder,
  file: OutgoingFile & { replace: boolean },
  signal: AbortSignal,
  progress: TransferProgress = () => undefined,
  limits: Pick<Transfer<Folder>, 'retry' | 'stallMs'> = {},
): Promise<SentFile & { location: string }> {
  if (folder.type === 'SFTP' && folder.host_fingerprint === null) throw unknownHostKey(folder);
  const { name, replace } = file;
  const location = locationOf(folder, name);
  if (underWay.has(location)) throw isUnderWay(name, location);
  underWay.add(location);
  try {
    const keyed = { ...addressOf(folder), folder: { ...folder, onHostKey: () => undefined } };
    const sent = await asFile(file, (path) =>
      transferFile(() => protocolOf(folder), { ...keyed, name, path, replace, signal, progress, ...limits }),
    );
    return { ...sent, location };
  } finally {
    underWay.delete(location);
  }
}

function isSecure({ type, endpoint }: Folder): boolean {
  return type === 'SFTP' || endpoint === null || /^https:/iu.test(endpoint);
}

function addressOf({ type, host, port, endpoint, password, secret_key }: Folder): {
  place: string;
  secrets: (string | null)[];
} {
  const server = `${host ?? ''}${port === null ? '' : `:${port}`}`;
  return { place: type === 'S3' ? (endpoint ?? 'AWS') : server, secrets: [password, secret_key] };
}

async function protocolOf({ type }: Folder): Promise<FolderProtocol<SftpFolder & FtpFolder>> {
  if (type === 'FTP') return (await import('./folders/ftp.ts')).ftp;
  return type === 'S3' ? (await import('./folders/s3.ts')).s3 : (await import('./folders/sftp.ts')).sftp;
}

/** The location in the form that users of the protocol write, without credentials. */
function locationOf({ type, host, port, folder, bucket }: Folder, name: string): string {
  const path = [...(folder ?? '').split('/').filter(Boolean), name].map(encodeURIComponent).join('/');
  if (type === 'S3') return `s3://${bucket ?? ''}/${path}`;
  const server = host?.includes(':') ? `[${host}]` : (host ?? '');
  return `${type.toLowerCase()}://${server}${port === null ? '' : `:${port}`}/${path}`;
}

function isUnderWay(name: string, location: string): AppError {
  const detail = `Another export is writing ${location} now. Wait for its end, or choose another name.`;
  return new AppError('conflict', detail, { facts: { field: 'name', value: name } });
}

function unknownHostKey({ id }: Folder): AppError {
  return ruleViolated(
    `The host key of the server of Target Folder ${id} is not known, and no password is sent to a stranger. ` +
      'Validate the folder first with validateTargetFolder.',
    [{ field: 'targetFolderId', code: 'not_validated', message: 'has no host_fingerprint yet; validate it' }],
  );
}
