/** Destinations of files outside of this machine: Remote Folders back Recordings up, Target Folders receive clips. */
import { z } from 'zod/v3';
import type { FieldIssue } from '../../base/errors.ts';
import { percentDecoded } from '../../base/percent-encoding.ts';
import { nameField, secretField, stampFields } from '../../base/schema.ts';
import {
  sameSettings,
  validationFields,
  withValidation,
  type Finding,
  type Validation,
} from '../../base/validation.ts';

export const REMOTE_PROTOCOLS = ['NFS', 'WEBDAV'] as const;
export const TARGET_TYPES = ['FTP', 'SFTP', 'S3'] as const;
const FTP_TLS = ['required', 'offered', 'none'] as const;

const text = z.string().min(1).max(1024).nullable().default(null);
const secret = secretField(1, 1024).nullable().default(null);

const remoteWritable = {
  name: nameField,
  protocol: z.enum(REMOTE_PROTOCOLS).describe('NFS (version 4) or WEBDAV.'),
  host: z
    .string()
    .trim()
    .min(1)
    .max(1024)
    .describe('NFS: host or host:port. WEBDAV: http(s) URL, or a host (with :port), which means https.'),
  folder: z.string().min(1).max(1024).describe('NFS: exported path. WEBDAV: path on the server. It must exist.'),
  user: text.describe('WEBDAV: user name. NFS: kept, never sent.'),
};
export const remoteFolderCreate = {
  ...remoteWritable,
  user: secret.describe('WEBDAV: user name. NFS: kept, never sent.'),
  password: secret.describe('WEBDAV: password. NFS: kept, never sent. Write-only.'),
};
export const remoteFolderOutput = z
  .object({
    ...stampFields,
    ...remoteWritable,
    has_password: z.boolean().describe('Whether a password is stored.'),
    ...validationFields,
  })
  .strict()
  .describe('Remote Folder: network share to which Recordings are backed up.');
export const storedRemoteFolder = remoteFolderOutput
  .omit({ has_password: true })
  .extend({ password: remoteFolderCreate.password });
export type RemoteFolder = Omit<z.infer<typeof remoteFolderOutput>, 'has_password'> &
  Validation & { password: string | null };

const targetWritable = {
  name: nameField,
  type: z.enum(TARGET_TYPES).describe('Protocol.'),
  tls: z
    .enum(FTP_TLS)
    .nullable()
    .default(null)
    .describe(
      'FTP: required (the default) sends nothing in the clear; offered: TLS where the server has it, and always once it had; none.',
    ),
  host: text.describe('FTP, SFTP: host name or IP address.'),
  port: z.number().int().min(1).max(65535).nullable().default(null).describe('FTP, SFTP: port; null: 21, 22.'),
  folder: text.describe('FTP, SFTP: existing path, null: where the user arrives. S3: key prefix.'),
  user: text.describe('FTP, SFTP: user name.'),
  host_fingerprint: text.describe(
    "SFTP: SHA256:… of the server's host key; null: the next validation trusts and stores what it finds.",
  ),
  bucket: text.describe('S3: bucket.'),
  region: text.describe('S3: region; null: us-east-1.'),
  endpoint: text.describe('S3: http(s) URL of an S3-compatible server; null: AWS.'),
  access_key: text.describe('S3: access key id.'),
};
export const targetFolderCreate = {
  ...targetWritable,
  user: secret.describe('FTP, SFTP: user name.'),
  access_key: secret.describe('S3: access key id.'),
  password: secret.describe('FTP, SFTP: password. Write-only.'),
  secret_key: secret.describe('S3: secret access key. Write-only.'),
};
export const targetFolderOutput = z
  .object({
    ...stampFields,
    ...targetWritable,
    has_password: z.boolean().describe('Whether a password is stored.'),
    has_secret_key: z.boolean().describe('Whether a secret access key is stored.'),
    secure: z
      .boolean()
      .nullable()
      .describe('Whether the last validation that succeeded was encrypted; null: there was none with these settings.'),
    ...validationFields,
  })
  .strict()
  .describe('Target Folder: where exported clips go.');
export const storedTargetFolder = targetFolderOutput.omit({ has_password: true, has_secret_key: true }).extend({
  password: targetFolderCreate.password,
  secret_key: targetFolderCreate.secret_key,
  // Rows from before it was kept whether a server speaks TLS have neither.
  tls: targetFolderOutput.shape.tls.optional(),
  secure: targetFolderOutput.shape.secure.optional(),
});
export type TargetFolder = Omit<z.infer<typeof targetFolderOutput>, 'has_password' | 'has_secret_key'> &
  Validation & { password: string | null; secret_key: string | null };

/** `hostFingerprint` is the host key that an SFTP server proved to have; `secure` says whether nothing went in the clear. */
export type TargetFinding = Finding & { hostFingerprint?: string; secure?: boolean };

type RemoteSetting = Exclude<keyof typeof remoteFolderCreate, 'name'>;
type TargetSetting = Exclude<keyof typeof targetFolderCreate, 'name'>;
export const REMOTE_SETTINGS = settingsOf<RemoteSetting>(remoteFolderCreate);
const TARGET_SETTINGS = settingsOf<TargetSetting>(targetFolderCreate);

interface Fields<F> {
  required: readonly F[];
  optional: readonly F[];
}
export const TARGET_FIELDS: Record<TargetFolder['type'], Fields<TargetSetting>> = {
  FTP: { required: ['type', 'host', 'user'], optional: ['port', 'folder', 'password', 'tls'] },
  SFTP: { required: ['type', 'host', 'user'], optional: ['port', 'folder', 'password', 'host_fingerprint'] },
  S3: { required: ['type', 'bucket', 'access_key', 'secret_key'], optional: ['folder', 'region', 'endpoint'] },
};

export function remoteFolderIssues(folder: RemoteFolder): FieldIssue[] {
  const { protocol, host, user, password } = folder;
  const issues: FieldIssue[] = [];
  const add = adder(issues);
  if (protocol === 'WEBDAV' && password !== null && user === null) {
    add('user', 'required', 'is required with a password');
  }
  if (protocol === 'WEBDAV' && /^[a-z][a-z0-9+.-]*:\/\//iu.test(host)) add('host', 'invalid_url', httpUrlIssue(host));
  else add('host', 'invalid_format', hostIssue(host, true));
  add('folder', 'invalid_format', pathIssue(folder.folder));
  if (protocol === 'NFS') add('folder', 'invalid_format', exportIssue(folder.folder));
  return issues;
}

export function targetFolderIssues(folder: TargetFolder): FieldIssue[] {
  const issues = fieldIssues(folder, TARGET_SETTINGS, TARGET_FIELDS[folder.type], `type ${folder.type}`);
  const add = adder(issues);
  if (folder.host !== null) add('host', 'invalid_format', hostIssue(folder.host, false));
  if (folder.folder !== null) add('folder', 'invalid_format', pathIssue(folder.folder));
  if (folder.endpoint !== null) add('endpoint', 'invalid_url', httpUrlIssue(folder.endpoint));
  if (folder.user !== null) add('user', 'invalid_format', controlIssue(folder.user));
  if (folder.password !== null) add('password', 'invalid_format', controlIssue(folder.password));
  if (folder.access_key !== null && /[^\u0021-\u007e]/u.test(folder.access_key)) {
    add('access_key', 'invalid_format', 'must be printable ASCII without spaces');
  }
  // The naming rules of S3, with the capitals and underscores that older buckets have.
  if (folder.bucket !== null && !/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/iu.test(folder.bucket)) {
    add('bucket', 'invalid_format', 'must be 3-63 letters, digits, dots, hyphens');
  }
  if (folder.region !== null && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/iu.test(folder.region)) {
    add('region', 'invalid_format', 'must be letters, digits, hyphens, like eu-central-1');
  }
  // The form that ssh-keygen -l prints: 32 bytes in base64 without padding.
  if (folder.host_fingerprint !== null && !/^SHA256:[A-Za-z0-9+/]{43}$/u.test(folder.host_fingerprint)) {
    add('host_fingerprint', 'invalid_format', 'must be SHA256: and 43 characters, as ssh-keygen -l prints it');
  }
  return issues;
}

export function completeTargetFolder(row: TargetFolder, present?: Readonly<TargetFolder>): TargetFolder {
  if (present === undefined) return withValidation(withTls(row), present, TARGET_SETTINGS);
  const { required, optional } = TARGET_FIELDS[row.type];
  let next = row.type === present.type ? row : carriedOver(row, present, TARGET_SETTINGS, [...required, ...optional]);
  // Another server has another host key, unless the caller names one.
  const moved = next.host !== present.host || next.port !== present.port;
  if (moved && next.host_fingerprint === present.host_fingerprint) next = { ...next, host_fingerprint: null };
  const checked = withValidation(withTls(next), present, TARGET_SETTINGS);
  return checked.validation_status === 'UNKNOWN' ? { ...checked, secure: null } : checked;
}

/** Rows from before there was a choice have no value; they go on as they were, until a validation has found TLS. */
export function tlsOf({ type, tls }: Pick<TargetFolder, 'type'> & { tls?: TargetFolder['tls'] }): TargetFolder['tls'] {
  if (type !== 'FTP') return null;
  return tls === undefined ? 'offered' : (tls ?? 'required');
}

function withTls(row: TargetFolder): TargetFolder {
  // A value that was sent for another type stays and is checked.
  return row.type === 'FTP'
    ? { ...row, tls: tlsOf(row), secure: row.secure ?? null }
    : { ...row, secure: row.secure ?? null };
}

export function sameTargetSettings(one: Readonly<TargetFolder>, other: Readonly<TargetFolder>): boolean {
  return sameSettings(one, other, TARGET_SETTINGS);
}

/** Another type has other fields: stored values go unless the new type knows the field too; sent ones stay and are checked. */
function carriedOver<R, F extends keyof R>(
  row: R,
  present: Readonly<R>,
  settings: readonly F[],
  knownFields: readonly F[],
): R {
  const staleFields = settings.filter((field) => !knownFields.includes(field) && row[field] === present[field]);
  return { ...row, ...Object.fromEntries(staleFields.map((field) => [field, null])) };
}

function fieldIssues<R, F extends keyof R & string>(
  row: R,
  settings: readonly F[],
  { required, optional }: Fields<F>,
  kind: string,
): FieldIssue[] {
  const missing = required.filter((field) => row[field] === null);
  const foreign = settings.filter(
    (field) => row[field] !== null && !required.includes(field) && !optional.includes(field),
  );
  return [
    ...missing.map((field) => ({ field, code: 'required', message: `is required for ${kind}` })),
    ...foreign.map((field) => ({
      field,
      code: 'unknown_field',
      message: `does not belong to ${kind}; leave it out or send null`,
    })),
  ];
}

function settingsOf<F extends string>(shape: Record<F | 'name', unknown>): readonly F[] {
  return Object.keys(shape).filter((field) => field !== 'name') as F[];
}

function adder(issues: FieldIssue[]): (field: string, code: string, message: string | undefined) => void {
  return (field, code, message) => {
    if (message !== undefined) issues.push({ field, code, message });
  };
}

/** Accepts ASCII names (punycode for others), IPv4, or IPv6, in brackets where a port may follow. */
function hostIssue(host: string, mayNamePort: boolean): string | undefined {
  const [, bare = host, port] = (mayNamePort && /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/u.exec(host)) || [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return `names port ${port}; 1-65535 exist`;
  const isName = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?$/iu.test(bare);
  const isAddress = mayNamePort ? /^\[[0-9a-f:.]*:[0-9a-f:.]*\]$/iu.test(bare) : /^[0-9a-f]*:[0-9a-f:.]*$/iu.test(bare);
  if (isName || isAddress) return undefined;
  const accepted = mayNamePort ? 'a host name or IP address, with :port where needed' : 'a host name or IP address';
  return `must be ${accepted}, without spaces, user or path`;
}

function httpUrlIssue(value: string): string | undefined {
  if (/[\s\u0000-\u001f\u007f]/u.test(value)) return 'must not contain spaces or control characters';
  if (!URL.canParse(value)) return 'is not a URL';
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must hold no credentials; they have fields of their own';
  if (/[?#]/u.test(value)) return 'must hold no query and no fragment';
  return pathIssue(percentDecoded(url.pathname));
}

function pathIssue(path: string): string | undefined {
  if (path.split(/[/\\]/u).includes('..')) return 'must not climb up by ".."';
  return controlIssue(path);
}

/** No export has such a name; a person who writes it means a URL with options. */
function exportIssue(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must begin with / (the exported path)';
  return /[?%]/u.test(path) ? 'must not contain ? or %' : undefined;
}

function controlIssue(value: string): string | undefined {
  return /[\u0000-\u001f\u007f]/u.test(value) ? 'must not contain control characters' : undefined;
}
