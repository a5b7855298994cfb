/** A licence file is a compact JWS (RFC 7515) with alg EdDSA (RFC 8037) over Ed25519; its payload has the claims as JSON. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { toIso } from '../domain/time/clock.ts';
import { ruleViolated, type AppError } from '../domain/base/errors.ts';
import {
  isActive,
  licenceClaims,
  LICENCE_FILE_TYPE,
  type LicenceClaims,
} from '../domain/shapes/installation/licence.ts';

const SETTING = 'ONAIR_LICENSE_KEY';
/** The clocks of issuer and installation may differ by so much. */
const SKEW_MS = 5 * 60_000;

/** Rejects with AppError rule_violated that says which check failed. `setting` is PEM text or the path of a PEM file. */
export async function verifyLicenceFile(
  jws: string,
  setting: string | undefined,
  nowMs: number,
): Promise<LicenceClaims> {
  const key = await issuerKey(setting);
  assertHeader(jws);
  let payload: Uint8Array;
  try {
    // The list of algorithms keeps out `none` and HS256 over the public key (RFC 8725 §3.1), whatever the header says.
    ({ payload } = await compactVerify(jws, key, { algorithms: ['EdDSA'] }));
  } catch {
    // The library's own words are about its parameters; the refusal is about the file.
    throw refusal(
      'signature',
      `The signature of the licence does not fit the issuer's key in ${SETTING}: it was changed, or issued by another key.`,
    );
  }
  const claims = claimsOf(payload);
  if (Date.parse(claims.issued_at) > nowMs + SKEW_MS) {
    throw refusal(
      'not_yet',
      `The licence was issued at ${claims.issued_at}, which is in the future; check the clock of this machine.`,
    );
  }
  if (!isActive(claims, toIso(nowMs))) {
    throw refusal('expired', `The licence ended at ${claims.expires_at}. Ask the issuer for a new one.`);
  }
  return claims;
}

async function issuerKey(setting: string | undefined): Promise<KeyObject> {
  if (setting === undefined) {
    throw refusal(
      'no_key',
      `No licence can be installed: the setting ${SETTING} (the issuer's public key) is not set on this server.`,
    );
  }
  // A path that cannot be read holds no key, which the refusal below says.
  const pem = setting.includes('-----BEGIN')
    ? setting.replaceAll('\\n', '\n')
    : await readFile(setting, 'utf8').catch(() => '');
  // createPublicKey would take a private key too, which belongs on no server.
  const key = /-----BEGIN PUBLIC KEY-----/u.test(pem) ? tryPublicKey(pem) : undefined;
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw refusal(
      'no_key',
      `The setting ${SETTING} holds no Ed25519 public key: it must be PEM text (BEGIN PUBLIC KEY), or the path of such a file.`,
    );
  }
  return key;
}

function tryPublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    // The caller refuses a text that is no key.
    return undefined;
  }
}

function assertHeader(jws: string): void {
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    if (jws.split('.').length !== 3) throw new Error('parts');
    header = decodeProtectedHeader(jws);
  } catch {
    // The refusal says what is expected; which part of the text failed helps nobody.
    throw refusal(
      'malformed',
      'This is no licence file: three parts of base64url, joined by dots, are expected (a compact JWS).',
    );
  }
  if (header.alg !== 'EdDSA') {
    throw refusal(
      'algorithm',
      `The licence is signed with ${JSON.stringify(String(header.alg).slice(0, 20))}; only EdDSA is accepted.`,
    );
  }
  if (header.typ !== LICENCE_FILE_TYPE) {
    throw refusal(
      'malformed',
      `This is a signed file of another kind: its header says typ ${JSON.stringify(String(header.typ).slice(0, 40))}, not ${LICENCE_FILE_TYPE}.`,
    );
  }
}

function claimsOf(payload: Uint8Array): LicenceClaims {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    // The parser would repeat claims of somebody else's licence.
    throw refusal('malformed', 'The claims of the licence are not JSON.');
  }
  const parsed = licenceClaims.safeParse(json);
  if (!parsed.success) {
    const issues = parsed.error.issues
      .map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`)
      .join('; ');
    throw refusal('malformed', `The claims of the licence are not valid: ${issues}.`);
  }
  const { issued_at, expires_at } = parsed.data;
  if (expires_at !== null && Date.parse(expires_at) <= Date.parse(issued_at)) {
    throw refusal('malformed', 'The claims of the licence are not valid: expires_at is not after issued_at.');
  }
  return parsed.data;
}

function refusal(code: string, message: string): AppError {
  return ruleViolated(message, [{ field: 'license', code, message }]);
}
