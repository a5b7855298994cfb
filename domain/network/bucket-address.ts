/** `s3://bucket/prefix?endpoint=…`: where a bucket of S3 is, or of a server that speaks it. It holds no key. */

export const DEFAULT_REGION = 'us-east-1';

export interface BucketAddress {
  bucket: string;
  /** Part of each key, without slashes at its ends; empty for none. */
  prefix: string;
  endpoint: string | null;
  region: string | null;
  /** Whether the bucket stands in the path of each request, and not in the name of the host. */
  isInPath: boolean;
}

const OPTIONS = ['endpoint', 'region', 'path_style'];

/** Throws TypeError or RangeError with the words of a refusal. */
export function parseBucketAddress(text: string): BucketAddress {
  const url = new URL(text);
  if (url.protocol !== 's3:' || url.hostname === '') throw new RangeError('must be s3://bucket/prefix');
  if (url.username !== '' || url.password !== '') throw new RangeError('must have no key in it');
  if (url.port !== '') throw new RangeError('has a port behind the bucket; the server is named by endpoint');
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new RangeError(`has ${unknown}; it takes ${OPTIONS.join(', ')}`);
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null) assertEndpoint(endpoint);
  const style = url.searchParams.get('path_style');
  if (style !== null && style !== 'true' && style !== 'false')
    throw new RangeError('has a path_style that is neither true nor false');
  const prefix = decodeURIComponent(url.pathname).split('/').filter(Boolean).join('/');
  // Other servers than AWS seldom have a name for each bucket in their certificate and in DNS.
  const isInPath = style === null ? endpoint !== null : style === 'true';
  return { bucket: url.hostname, prefix, endpoint, region: url.searchParams.get('region'), isInPath };
}

function assertEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol))
    throw new RangeError('has an endpoint that is no URL of http or https');
  if (url.username !== '' || url.password !== '') throw new RangeError('must have no key in its endpoint');
  if (url.search !== '' || url.hash !== '') throw new RangeError('has an endpoint with more than a host and a path');
}

/** The address of what lies below the prefix; it ends with a slash. Every character is escaped that a signature counts as escaped. */
export function bucketUrl({ bucket, prefix, endpoint, region, isInPath }: BucketAddress): URL {
  const suffix = region?.startsWith('cn-') === true ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(endpoint ?? `https://s3.${region ?? DEFAULT_REGION}.${suffix}`);
  // The certificate of AWS covers one name before its own, so no bucket with a dot.
  const stands = isInPath || (endpoint === null && bucket.includes('.'));
  if (!stands) url.hostname = `${bucket}.${url.hostname}`;
  const parts = [...(stands ? [bucket] : []), ...prefix.split('/')].filter(Boolean).map(escapedKey);
  const before = url.pathname.split('/').filter(Boolean);
  return new URL(`/${[...before, ...parts, ''].join('/')}`, url.origin);
}

/** RFC 3986 leaves out of escaping what AWS does; encodeURIComponent leaves these, too. */
export function escapedKey(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/gu, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Answers half a sentence, or undefined. */
export function bucketIssue(address: string): string | undefined {
  try {
    bucketUrl(parseBucketAddress(address));
    return undefined;
  } catch (error) {
    // The words of a refusal are the answer.
    return error instanceof RangeError ? error.message : 'is no address of a bucket: s3://bucket/prefix';
  }
}

export function isBucket(address: string): boolean {
  return /^s3:/iu.test(address);
}

/** The host that requests go to; undefined for an address that names none. */
export function bucketHost(address: string): string | undefined {
  return bucketIssue(address) === undefined ? bucketUrl(parseBucketAddress(address)).hostname : undefined;
}
