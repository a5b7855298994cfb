/** ONAIR_MEDIA at the start: its address, and the bucket on a real S3 server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AppError } from '../../domain/base/errors.ts';
import { parseBucketAddress } from '../../domain/network/bucket-address.ts';
import { openMediaBucket } from '../../integrations/media-bucket.ts';
import type { Running } from '../helpers/servers/program.ts';
import { startS3 } from '../helpers/servers/s3.ts';

const CREDENTIALS = { accessKey: 'media-access-key', secretKey: 'media-secret-key' };

describe('a bucket that cannot be used', () => {
  let s3: Running;
  before(async () => {
    s3 = await startS3(CREDENTIALS.accessKey, CREDENTIALS.secretKey);
  });
  after(() => s3.stop());

  it('a bucket that cannot be used is refused with what is wrong, and no key is in the refusal', async () => {
    const refused = async (text: string, credentials = CREDENTIALS): Promise<string> => {
      const error = await openMediaBucket(parseBucketAddress(text), credentials).then(
        () => assert.fail('taken'),
        (cause: unknown) => cause as AppError,
      );
      assert.equal(error.code, 'unavailable');
      assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /-(?:access|secret)-key/u);
      return error.message;
    };
    const at = (name: string): string => `s3://${name}?endpoint=${encodeURIComponent(`http://127.0.0.1:${s3.port}`)}`;
    assert.match(await refused(at('nowhere')), /bucket nowhere at .* does not take a file: NoSuchBucket, HTTP 404/u);
    assert.match(await refused(at('readonly')), /does not take a file: AccessDenied, HTTP 403/u);
    const wrong = { ...CREDENTIALS, secretKey: 'wrong-secret-key' };
    assert.match(await refused(at('clips'), wrong), /SignatureDoesNotMatch, HTTP 403/u);
    const unknown = { ...CREDENTIALS, accessKey: 'wrong-access-key' };
    assert.match(await refused(at('clips'), unknown), /InvalidAccessKeyId, HTTP 403/u);
  });
});

describe('the address of a bucket', () => {
  const refusal = (text: string): string => {
    try {
      parseBucketAddress(text);
    } catch (error) {
      return (error as Error).message;
    }
    return assert.fail('taken');
  };

  it('says bucket, prefix, server, region and style', () => {
    const plain = { bucket: 'media', prefix: '', endpoint: null, region: null, isInPath: false };
    assert.deepEqual(parseBucketAddress('s3://media'), plain);
    assert.deepEqual(parseBucketAddress('s3://media/a/b/?region=eu-central-1&path_style=true'), {
      ...plain,
      prefix: 'a/b',
      region: 'eu-central-1',
      isInPath: true,
    });
    const endpoint = 'https://s3.example.com:9000';
    assert.deepEqual(parseBucketAddress(`s3://media?endpoint=${endpoint}`), { ...plain, endpoint, isInPath: true });
    assert.equal(parseBucketAddress(`s3://media?endpoint=${endpoint}&path_style=false`).isInPath, false);
  });

  it('is refused with what is wrong in it', () => {
    assert.match(refusal('https://media'), /must be s3:/u);
    assert.match(refusal('s3://key:secret@media'), /no key in it/u);
    assert.match(refusal('s3://media:9000'), /port behind the bucket/u);
    assert.match(refusal('s3://media?endpoint=s3.example.com'), /no URL of http/u);
    assert.match(refusal('s3://media?endpoint=https://key:secret@s3.example.com'), /no key in its endpoint/u);
    assert.match(refusal('s3://media?path_style=yes'), /neither true nor false/u);
    assert.match(refusal('s3://media?acl=public'), /has acl; it takes endpoint, region, path_style/u);
  });
});
