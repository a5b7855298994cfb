/** AWS Signature Version 4 in the Authorization header, recalculated as the AWS General Reference describes it. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/u;

export function isSigned({ method = '', url = '', headers }: IncomingMessage, secretKey: string): boolean {
  const [, scope = '', names = '', signature] = AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  const [path = '', query = ''] = url.split('?');
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const sorted = query
    .split('&')
    .sort()
    .map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`));
  const payload = String(headers['x-amz-content-sha256']);
  const canonical = [method, path, sorted.join('&'), signed.join(''), names, payload].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, hashed].join('\n');
  const key = scope.split('/').reduce((previous: string | Buffer, part) => hmac(previous, part), `AWS4${secretKey}`);
  return hmac(key, toSign).toString('hex') === signature;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
