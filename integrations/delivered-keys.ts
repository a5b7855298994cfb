/**
 * Content keys that a CPIX document brings encrypted (DASH-IF CPIX 2.3 §3.2): for the certificate of the provider there is a document key, and
 * each content key is encrypted with that. Algorithms are those that SPEKE v2 names, and no other is taken.
 */
import { constants, createDecipheriv, createHmac, privateDecrypt, timingSafeEqual } from 'node:crypto';
import type { DeliveryKey } from '../domain/shapes/destinations/delivery-key.ts';
import { bytesOf, children, refuse, textOf, type Element } from './cpix-xml.ts';

/** Returns the value of a secret; undefined where it is not there. */
export type ReadSecret = (secret: Element | undefined, kid: string) => Buffer | undefined;

const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#';
const ALGORITHMS = {
  document: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
  wrapped: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  mac: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha512',
};
const DELIVERY_ID = 'onair';
const DOCUMENT_KEY_BYTES = 32;
const BLOCK_BYTES = 16;

/** Lines of a request that ask for encrypted keys. */
export function deliveryData({ certificate }: DeliveryKey): string[] {
  return [
    '<cpix:DeliveryDataList>',
    `<cpix:DeliveryData id="${DELIVERY_ID}">`,
    `<cpix:DeliveryKey><ds:X509Data xmlns:ds="${XMLDSIG}"><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></cpix:DeliveryKey>`,
    '</cpix:DeliveryData>',
    '</cpix:DeliveryDataList>',
  ];
}

/** Takes the document key of an answer. Throws AppError upstream_failed. */
export function decryptor(root: Element, delivery: DeliveryKey): ReadSecret {
  const all = children(children(root, 'DeliveryDataList')[0], 'DeliveryData');
  const own = all.find((each) => each['@id'] === DELIVERY_ID) ?? (all.length === 1 ? all[0] : undefined);
  const [document] = children(own, 'DocumentKey');
  if (document === undefined)
    refuse('has no document key for the certificate that was sent (DeliveryData, DocumentKey)');
  assertAlgorithm(document['@Algorithm'], 'document', 'a document key');
  const key = unwrapped(children(children(document, 'Data')[0], 'Secret')[0], delivery, 'document key');
  if (key.length !== DOCUMENT_KEY_BYTES) refuse('has a document key that is not one of 32 bytes');
  const [method] = children(own, 'MACMethod');
  if (method !== undefined) assertAlgorithm(method['@Algorithm'], 'mac', 'a MAC');
  const macKey = method === undefined ? undefined : unwrapped(children(method, 'Key')[0], delivery, 'MAC key');
  return (secret, kid) => {
    if (children(secret, 'PlainValue').length > 0)
      refuse(`has a plain key for the kid ${kid}, where an encrypted one was asked for (encrypt_keys)`);
    const [value] = children(secret, 'EncryptedValue');
    if (value === undefined) return undefined;
    const cipher = cipherOf(value);
    if (cipher === undefined) return undefined;
    assertAlgorithm(methodOf(value), 'document', `the key for the kid ${kid}`);
    if (macKey !== undefined && !hasMac(secret, cipher, macKey))
      refuse(`has a key for the kid ${kid} whose MAC does not fit: it was changed, or made with another key`);
    return decrypted(cipher, key, kid);
  };
}

/** A key for us alone: RSA-OAEP with SHA-1, as the name of the algorithm says. */
function unwrapped(secret: Element | undefined, { private_key }: DeliveryKey, what: string): Buffer {
  // The key of the MAC is itself of that type in earlier versions of CPIX.
  const value = children(secret, 'EncryptedValue')[0] ?? secret;
  const cipher = value && cipherOf(value);
  if (value === undefined || cipher === undefined) refuse(`has a ${what} without an encrypted value in base64`);
  assertAlgorithm(methodOf(value), 'wrapped', `the ${what}`);
  try {
    return privateDecrypt({ key: private_key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, cipher);
  } catch {
    return refuse(`has a ${what} that was encrypted for another certificate`);
  }
}

/** XML Encryption §5.2: the first block is the initialisation vector, and the last byte says how many are padding, whatever they hold. */
function decrypted(cipher: Buffer, key: Buffer, kid: string): Buffer {
  const wrong = `has a key for the kid ${kid} that cannot be decrypted with its document key`;
  if (cipher.length < 2 * BLOCK_BYTES || cipher.length % BLOCK_BYTES !== 0) refuse(wrong);
  const decipher = createDecipheriv('aes-256-cbc', key, cipher.subarray(0, BLOCK_BYTES)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(cipher.subarray(BLOCK_BYTES)), decipher.final()]);
  const padding = padded.at(-1)!;
  if (padding < 1 || padding > BLOCK_BYTES) refuse(wrong);
  return padded.subarray(0, padded.length - padding);
}

/** RFC 6030 §6.1.1: the MAC is that of the encrypted value, vector included. */
function hasMac(secret: Element | undefined, cipher: Buffer, macKey: Buffer): boolean {
  const mac = bytesOf(textOf(children(secret, 'ValueMAC')[0]));
  const wanted = createHmac('sha512', macKey).update(cipher).digest();
  return mac?.length === wanted.length && timingSafeEqual(mac, wanted);
}

function cipherOf(value: Element): Buffer | undefined {
  return bytesOf(textOf(children(children(value, 'CipherData')[0], 'CipherValue')[0]));
}

function methodOf(value: Element): unknown {
  return children(value, 'EncryptionMethod')[0]?.['@Algorithm'];
}

function assertAlgorithm(found: unknown, kind: keyof typeof ALGORITHMS, what: string): void {
  const wanted = ALGORITHMS[kind];
  if (found !== undefined && found !== wanted) refuse(`names another algorithm for ${what} than ${wanted}`);
}
