/** The storage that several servers share: files of Assets lie there, and each server has copies of those that it uses. */
export interface MediaBucket {
  /** For people, without secrets. */
  readonly name: string;
  /**
   * The object is not visible before it is whole. All calls reject with AppError, which names the bucket: unavailable when it does not
   * answer, so that the call may be repeated, and upstream_failed when it refuses.
   */
  send(key: string, path: string): Promise<void>;
  /** Writes the object to the path; `take` is called before so many bytes are written. Rejects with AppError not_found, too. */
  fetch(key: string, path: string, take: (bytes: number) => Promise<void>): Promise<void>;
  /**
   * An address at which anybody can fetch the object until `seconds` are over: it is a secret. The bucket is not asked.
   */
  linkTo(key: string, seconds: number): Promise<string>;
  /** A missing object counts as removed. */
  remove(key: string): Promise<void>;
}

export interface FetchableMedia {
  /** Names this one content. */
  key: string;
  bytes: number;
  /** It lets anybody fetch the file for an hour: it is a secret. */
  url: string;
}

export interface MediaAddress {
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
export function parseMediaAddress(text: string): MediaAddress {
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
}
