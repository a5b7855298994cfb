/** Signs a request to a bucket by AWS Signature Version 4, in the Authorization header. */
import { createHash, createHmac } from 'node:crypto';

export interface BucketKeys {
  region: string;
  accessKey: string;
  secretKey: string;
}

export interface SignableRequest {
  method: string;
  /** Its path is escaped as it is sent, and it has no query. */
  url: URL;
  /** Headers to be signed, by their names in small letters; host and those of the signature are added. */
  headers: Readonly<Record<string, string>>;
  body: Buffer | undefined;
  now: number;
}

/** Answers all headers to be sent. */
export function signedHeaders(request: SignableRequest, keys: BucketKeys): Record<string, string> {
  const { method, url, body, now } = request;
  const instant = new Date(now).toISOString().replace(/[-:]|\.\d+/gu, '');
  const payload = sha256(body ?? '');
  const headers: Record<string, string> = {
    ...request.headers,
    host: url.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': instant,
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]!.trim()}\n`).join('');
  const canonical = [method, url.pathname, '', lines, names.join(';'), payload].join('\n');
  const scope = [instant.slice(0, 8), keys.region, 's3', 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', instant, scope.join('/'), sha256(canonical)].join('\n');
  let key: Buffer = Buffer.from(`AWS4${keys.secretKey}`);
  for (const part of [...scope, toSign]) key = createHmac('sha256', key).update(part).digest();
  const credential = `Credential=${keys.accessKey}/${scope.join('/')}`;
  headers['authorization'] =
    `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${key.toString('hex')}`;
  return headers;
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
