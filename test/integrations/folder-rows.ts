/** Rows as the store holds them, and a check that leaks nothing. */
import assert from 'node:assert/strict';
import type { RemoteFolder, TargetFinding, TargetFolder } from '../../domain/shapes/media/folder.ts';
import { NOT_VALIDATED, type Finding } from '../../domain/base/validation.ts';
import { checkRemoteFolder } from '../../integrations/remote-folder.ts';
import { checkTargetFolder } from '../../integrations/target-folder.ts';

export const USER = 'clips';
/** Wherever it is seen, a secret has leaked. */
export const CANARY = 'canary-Zk4w9vQ2';
const AT = '2026-01-01T00:00:00.000Z';
const stamps = { id: 1, name: 'Folder', created_at: AT, updated_at: AT, ...NOT_VALIDATED };
/** Long enough for a machine under load; what waits for it on purpose says less. */
const BOUND_MS = 120_000;

export function remoteFolder(fields: Partial<RemoteFolder>): RemoteFolder {
  return { ...stamps, protocol: 'NFS', host: '127.0.0.1', folder: '/rw', user: null, password: null, ...fields };
}

export function targetFolder(fields: Partial<TargetFolder>): TargetFolder {
  const none = { user: null, password: null, bucket: null, region: null, endpoint: null, access_key: null };
  const where = { type: 'FTP', tls: 'offered', secure: null, host: '127.0.0.1', port: null, folder: null } as const;
  return { ...stamps, ...where, ...none, secret_key: null, host_fingerprint: null, ...fields };
}

export function check(folder: RemoteFolder | TargetFolder, boundMs = BOUND_MS): Promise<TargetFinding> {
  const { signal } = new AbortController();
  return 'protocol' in folder ? checkRemoteFolder(folder, signal, boundMs) : checkTargetFolder(folder, signal, boundMs);
}

export async function assertInvalid(
  folder: RemoteFolder | TargetFolder,
  reason: RegExp,
  boundMs?: number,
): Promise<Finding> {
  const finding = await check(folder, boundMs);
  assert.ok(!finding.valid, 'the folder was found valid');
  assert.match(finding.reason, reason);
  assert.ok(!finding.reason.includes(CANARY), finding.reason);
  assert.doesNotMatch(finding.reason, /[\u0000-\u001f]/u, 'one line');
  return finding;
}
