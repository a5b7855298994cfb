/**
 * The RSA pair of a DRM provider, for which its key server encrypts content keys. The certificate carries the public key in the form that CPIX
 * asks for; nobody vouches for it, and no date ends it.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { z } from 'zod/v3';

/** SPEKE v2 asks for this size. */
const RSA_BITS = 2048;

export const deliveryKeyField = z
  .object({
    private_key: z.string().describe('PKCS #8, PEM.'),
    certificate: z.string().describe('X.509, DER in base64.'),
  })
  .strict();
export type DeliveryKey = z.infer<typeof deliveryKeyField>;

/** It takes some tenths of a second, once in the life of a provider. */
export function newDeliveryKey(): DeliveryKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: RSA_BITS });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('onair')))));
  const validity = sequence(der(0x18, Buffer.from('20200101000000Z')), der(0x18, Buffer.from(NO_END)));
  const subject = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(der(0x02, serialNumber()), SHA256_WITH_RSA, name, validity, name, subject);
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, SHA256_WITH_RSA, der(0x03, Buffer.from([0]), signature));
  return {
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    certificate: certificate.toString('base64'),
  };
}

export function certificatePem({ certificate }: DeliveryKey): string {
  const lines = certificate.match(/.{1,64}/gu) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** RFC 5280 §4.1.2.5: the date of a certificate that has no well-defined end. */
const NO_END = '99991231235959Z';
/** 1.2.840.113549.1.1.11, without parameters (RFC 4055 §5). */
const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
/** 2.5.4.3. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/** It is positive, and long enough that no two are the same. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes;
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

/** A value in the distinguished encoding (ITU-T X.690 §8.1): tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
