/** `onair license` is the issuer's side of licence files. It needs no server, and no server needs it. */
import { createPrivateKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompactSign, decodeJwt } from 'jose';
import { systemClock, toIso } from '../domain/time/clock.ts';
import { AppError, invalidInput } from '../domain/base/errors.ts';
import { licenceClaims, LICENCE_FEATURES, LICENCE_FILE_TYPE } from '../domain/shapes/installation/licence.ts';
import { verifyLicenceFile } from '../system/licence-file.ts';
import { toFieldIssues } from '../toolkit/input/input.ts';

/** No file is replaced: a licence key that is overwritten makes every licence of the past worthless. */
export function createLicenseKey({ out }: { out: string }): void {
  const privatePath = join(out, 'private.pem');
  const publicPath = join(out, 'public.pem');
  for (const path of [privatePath, publicPath]) {
    if (existsSync(path))
      throw new AppError('conflict', `${path} exists already; a key is never overwritten. Choose another folder.`);
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  mkdirSync(out, { recursive: true, mode: 0o700 });
  writeFileSync(privatePath, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  writeFileSync(publicPath, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644, flag: 'wx' });
  process.stderr.write(
    `onair: the private key is in ${privatePath}; keep it safe and on no server.\n` +
      `onair: the public key is in ${publicPath}; servers get it as ONAIR_LICENSE_KEY=${publicPath}\n`,
  );
}

export interface IssueFlags {
  key: string;
  customer: string;
  features: string;
  without?: string;
  quantity?: string;
  expires?: string;
  id?: string;
  out?: string;
}

/** Writes the file to stdout, or to `out`, which must not exist. Throws AppError invalid_input with every claim that is wrong. */
export async function issueLicense(flags: IssueFlags): Promise<void> {
  const parsed = licenceClaims.safeParse({
    licence_id: flags.id ?? randomUUID(),
    customer: flags.customer,
    features: namesIn(flags.features),
    ...(flags.without !== undefined && { denied: namesIn(flags.without) }),
    quantity: Number(flags.quantity ?? 1),
    issued_at: toIso(systemClock.now()),
    expires_at: flags.expires === undefined ? null : instantOf(flags.expires),
  });
  if (!parsed.success) {
    const issues = toFieldIssues(parsed.error.issues);
    throw invalidInput(
      issues,
      `The licence is not valid. ${issues.map(({ field, message }) => `${field}: ${message}`).join('; ')}. Features are ${LICENCE_FEATURES.join(', ')}.`,
    );
  }
  const file = await new CompactSign(new TextEncoder().encode(JSON.stringify(parsed.data)))
    .setProtectedHeader({ alg: 'EdDSA', typ: LICENCE_FILE_TYPE })
    .sign(privateKey(flags.key));
  if (flags.out === undefined) process.stdout.write(`${file}\n`);
  else writeNew(flags.out, `${file}\n`);
}

function namesIn(list: string): string[] {
  return list.split(',').map((name) => name.trim());
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new AppError('conflict', `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
  process.stderr.write(`onair: the licence is in ${path}\n`);
}

/** A date stands for its beginning in UTC: a licence until 2027-01-01 works through 2026. */
function instantOf(text: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?$/u.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || !toIso(ms).startsWith(text.slice(0, 10))) {
    const message = `must be a date such as 2027-01-01 or an ISO 8601 UTC instant, not ${JSON.stringify(text)}`;
    throw invalidInput([{ field: 'expires', code: 'invalid_value', message }]);
  }
  if (ms <= systemClock.now())
    throw invalidInput([{ field: 'expires', code: 'too_small', message: `${text} is over already` }]);
  return toIso(ms);
}

function privateKey(path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path, 'utf8'));
  } catch (cause) {
    // The message of the parser could quote the file.
    throw new AppError(
      'invalid_input',
      `${path} holds no private key in PEM form; make one with: onair license keygen`,
      { cause },
    );
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new AppError(
      'invalid_input',
      `${path} holds a key of type ${key.asymmetricKeyType}; licences are signed with Ed25519.`,
    );
  return key;
}

/** Shows the claims of a file, and with a public key whether a server would take it. The exit code is 1 when it would not. */
export async function showLicense(
  path: string,
  { key = process.env['ONAIR_LICENSE_KEY'] || undefined }: { key?: string },
): Promise<void> {
  const { jws, claims } = readLicense(path);
  const verdict = key === undefined ? 'not checked: give the public key with --key' : await verdictOf(jws, key);
  process.stdout.write(`${JSON.stringify({ ...claims, verdict }, null, 2)}\n`);
  if (verdict.startsWith('refused')) process.exitCode = 1;
}

function readLicense(path: string): { jws: string; claims: object } {
  try {
    const jws = readFileSync(path, 'utf8').trim();
    return { jws, claims: decodeJwt(jws) };
  } catch (cause) {
    throw new AppError('invalid_input', `${path} is no licence file: ${(cause as Error).message}`, { cause });
  }
}

function verdictOf(jws: string, key: string): Promise<string> {
  return verifyLicenceFile(jws, key, systemClock.now()).then(
    () => 'good',
    (error: unknown) => `refused: ${(error as Error).message}`,
  );
}
