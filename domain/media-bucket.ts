/** The storage that several servers share: files of Assets lie there, and each server has copies of those that it uses. */
export interface MediaBucket {
  /** For people, without secrets. */
  readonly name: string;
  /** The object is not visible before it is whole. All calls reject with AppError upstream_failed, which names the bucket. */
  send(key: string, path: string): Promise<void>;
  /** Writes the object to the path. Rejects with AppError not_found, too. */
  fetch(key: string, path: string): Promise<void>;
  /** A missing object counts as removed. */
  remove(key: string): Promise<void>;
}

export interface MediaAddress {
  bucket: string;
  /** Part of each key, without slashes at its ends; empty for none. */
  prefix: string;
  endpoint: string | null;
  region: string | null;
}

/** Throws TypeError or RangeError with the words of a refusal. */
export function parseMediaAddress(text: string): MediaAddress {
  const url = new URL(text);
  if (url.protocol !== 's3:' || url.hostname === '') throw new RangeError('must be s3://bucket/prefix');
  if (url.username !== '' || url.password !== '') throw new RangeError('must have no key in it');
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !URL.canParse(endpoint)) throw new RangeError('has an endpoint that is no URL');
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region');
  if (unknown !== undefined) throw new RangeError(`has ${unknown}; it takes endpoint and region`);
  const prefix = decodeURIComponent(url.pathname).split('/').filter(Boolean).join('/');
  return { bucket: url.hostname, prefix, endpoint, region: url.searchParams.get('region') };
}
