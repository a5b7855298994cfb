/** Puts the refusal of a bucket into plain words, by its code (S3 API reference, Error Responses). */
import type { IncomingHttpHeaders } from 'node:http';

/** An error's document has a few hundred bytes. */
export const MAX_ANSWER_BYTES = 4096;
/** S3 takes no signature that is further from its own time. */
const MAX_SKEW_MS = 15 * 60_000;

const wrongKey = 'the access key or the secret key is wrong';
const otherRegion = 'the bucket is in another region; name it by region= in the address';
const REASONS: Record<string, string> = {
  AccessDenied: 'the key has no right to put files there',
  AllAccessDisabled: 'the bucket is closed',
  NoSuchBucket: 'there is no such bucket',
  InvalidAccessKeyId: wrongKey,
  SignatureDoesNotMatch: wrongKey,
  ExpiredToken: 'the key has expired',
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  IllegalLocationConstraintException: otherRegion,
  SlowDown: 'it is asked to take files too fast',
  ServiceUnavailable: 'it is busy',
  InternalError: 'it has failed by itself',
  QuotaExceeded: 'it has no storage left',
  XMinioStorageFull: 'it has no storage left',
  EntityTooLarge: 'it takes no files so large; use shorter segments or a lower bitrate',
};

export interface BucketRefusal {
  /** Undefined where what answers says none. */
  code: string | undefined;
  /** How far the clock of the bucket is ahead of ours; undefined where it does not say its time. */
  aheadMs: number | undefined;
}

export function refusalIn(body: string, { date }: IncomingHttpHeaders, now: number): BucketRefusal {
  const theirs = Date.parse(date ?? '');
  return {
    code: /<Code>([A-Za-z0-9.]{1,64})<\/Code>/u.exec(body)?.[1],
    aheadMs: Number.isNaN(theirs) ? undefined : theirs - now,
  };
}

/** The time was wrong by so much that no signature could be right. */
export function isSkewed({ code, aheadMs }: BucketRefusal): boolean {
  return code === 'RequestTimeTooSkewed' || (aheadMs !== undefined && Math.abs(aheadMs) > MAX_SKEW_MS);
}

/** Answers half a sentence. */
export function bucketReason(refusal: BucketRefusal, status: number): string {
  const { code, aheadMs } = refusal;
  const name = code === undefined ? String(status) : `${status} ${code}`;
  if ([400, 403].includes(status) && isSkewed(refusal)) {
    const minutes = Math.round(Math.abs(aheadMs ?? 0) / 60_000);
    const by = aheadMs === undefined ? '' : `, by ${minutes} minutes ${aheadMs > 0 ? 'behind' : 'ahead'}`;
    return `the clock of this Device is wrong${by}; set it (${name})`;
  }
  const reason = code === undefined ? undefined : REASONS[code];
  return `${reason ?? 'it does not take the file'} (${name})`;
}
