/** An issuer of licence files. */
import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';

export interface Issuer {
  /** The value of ONAIR_LICENSE_KEY. */
  publicPem: string;
  publicKey: KeyObject;
  privateKey: KeyObject;
  issue(claims?: object, header?: object): Promise<string>;
}

export function makeIssuer(): Issuer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey,
    privateKey,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    issue: (claims = {}, header = {}) =>
      new CompactSign(new TextEncoder().encode(JSON.stringify({ ...makeClaims(), ...claims })))
        .setProtectedHeader({ alg: 'EdDSA', typ: 'onair-license', ...header })
        .sign(privateKey),
  };
}

export function makeClaims(): Record<string, unknown> {
  return {
    licence_id: randomUUID(),
    customer: 'Example Television',
    features: ['videosite'],
    quantity: 1,
    issued_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-02-01T00:00:00.000Z',
  };
}
