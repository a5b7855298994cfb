import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError, type ErrorCode } from '../../domain/base/errors.ts';
import type { TranscriptionAccess } from '../../domain/shapes/media/transcription.ts';
import { createTranscription } from '../../integrations/transcription.ts';
import {
  startTranscriptionProvider,
  type Fault,
  type TranscriptionProvider,
} from '../helpers/servers/transcription-provider.ts';

const signal = (): AbortSignal => new AbortController().signal;

describe('transcription provider', () => {
  const client = createTranscription();
  let provider: TranscriptionProvider;
  let access: TranscriptionAccess;
  beforeEach(async () => {
    provider = await startTranscriptionProvider();
    access = { tenant_url: provider.url, api_key: provider.apiKey, default_collection: null, default_template: null };
  });
  afterEach(() => provider.close());

  async function rejected(promise: Promise<unknown>, code: ErrorCode): Promise<AppError> {
    const error = await promise.then(
      (value) => assert.fail(`was not refused: ${JSON.stringify(value)}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'), error.message);
    return error;
  }

  it('a transcription provider gives account, collections, templates and how far an asset is, without other fields', async () => {
    assert.deepEqual(await client.account(access, signal()), {
      account_id: 'acc-1',
      name: 'Station',
      minutes_used: 12.5,
      minutes_included: 600,
    });
    assert.deepEqual(
      (await client.collections({ ...access, tenant_url: `${provider.url}/` }, signal())).map((item) =>
        Object.keys(item),
      ),
      [
        ['id', 'name'],
        ['id', 'name'],
        ['id', 'name'],
      ],
    );
    assert.deepEqual(await client.templates(access, signal()), [{ id: 't1', name: 'English captions' }]);
    assert.equal((await client.assetStatus(access, 'a-1', signal())).progress, 40);
    assert.equal((await client.assetStatus(access, 'a-2', signal())).error, 'no speech');
  });

  it('an asset that the transcription provider does not know is not found', async () => {
    assert.match((await rejected(client.assetStatus(access, 'a-9', signal()), 'not_found')).message, /a-9/u);
  });

  const FAULTS: Partial<Record<Fault, RegExp>> = {
    failure: /failed \(HTTP 500\)/u,
    busy: /too many calls/u,
    echo: /HTTP 400/u,
    huge: /more than 1048576 bytes/u,
    'not json': /outside of its contract: the whole/u,
    outside: /outside of its contract: minutes_used/u,
    redirect: /redirects to https:\/\/elsewhere\.example\.org;/u,
  };
  for (const [fault, pattern] of Object.entries(FAULTS) as [Fault, RegExp][]) {
    it(`a transcription provider with the fault ${fault} is refused`, async () => {
      provider.fault = fault;
      assert.match((await rejected(client.account(access, signal()), 'upstream_failed')).message, pattern);
    });
  }

  it('each kind of answer of a transcription provider is checked', async () => {
    provider.fault = 'outside';
    assert.match((await rejected(client.collections(access, signal()), 'upstream_failed')).message, /items\.0\.id/u);
    assert.match((await rejected(client.assetStatus(access, 'a-1', signal()), 'upstream_failed')).message, /asset_id/u);
    provider.fault = 'other asset';
    assert.match(
      (await rejected(client.assetStatus(access, 'a-1', signal()), 'upstream_failed')).message,
      /another asset/u,
    );
  });

  it('the refusal of a transcription provider gives its words, and hides the key that it repeats', async () => {
    const error = await rejected(client.account({ ...access, api_key: 'canary-wrong' }, signal()), 'upstream_failed');
    assert.match(error.message, /refuses the API key \(HTTP 401\).*updateTranscriptionConfig/u);
    assert.equal(error.extras.upstream, '{"error":"unknown key Bearer ****"}');
  });

  it('a transcription provider is not waited for longer than its bound', async () => {
    provider.fault = 'silence';
    const error = await rejected(createTranscription(50).account(access, signal()), 'timeout');
    assert.match(error.message, /did not answer within 0\.05 s/u);
  });

  it('a transcription provider has another tenant, or none, at a wrong URL', async () => {
    const wrong = { ...access, tenant_url: provider.url.replace('station', 'nowhere') };
    assert.match(
      (await rejected(client.templates(wrong, signal()), 'upstream_failed')).message,
      /no tenant.*tenant_url/u,
    );
    await provider.close();
    assert.match(
      (await rejected(client.templates(access, signal()), 'upstream_failed')).message,
      /refuses connections|closed the connection/u,
    );
  });
});
