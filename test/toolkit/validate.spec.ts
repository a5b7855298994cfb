import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { cloudAccountResource } from '../../domain/rules/devices/cloud-account.ts';
import { keepFinding } from '../../domain/rules/rows/validated.ts';
import type { Finding } from '../../domain/base/validation.ts';
import { validateTool } from '../../toolkit/subjects/validate.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('validateTool', () => {
  let app: TestApp;
  let check: (signal: AbortSignal) => Promise<Finding>;
  const tool = validateTool(
    {
      name: 'validateSlowly',
      summary: 'Validate slowly.',
      description: 'A tool of the tests.',
      tag: 'Tests',
      aliases: [],
      rest: 'POST /tests/{accountId}/validate',
      access: 'admin',
    },
    cloudAccountResource,
    {
      check: (_integrations, _account, signal) => check(signal),
      keep: keepFinding('Cloud account', 'validateSlowly', ['password']),
      boundMs: 30,
    },
  );
  let alive: NodeJS.Timeout;
  beforeEach(async () => {
    // The bound's own timer keeps no process alive, and no socket does here.
    alive = setInterval(() => undefined, 1000);
    app = await startTestApp({ extraTools: [tool] });
    await app.data('addCloudAccount', { client: 'Station', client_id: '2', password: 'canary' });
  });
  afterEach(async () => {
    clearInterval(alive);
    await app.close();
  });
  const stored = async () => (await app.store.get('cloudAccounts', 1)) ?? assert.fail();
  const never = (): Promise<never> => new Promise(() => undefined);

  it('a validation that exceeds its time limit is stored as an outcome, whether its check stops or not', async () => {
    let report = false;
    check = (signal) => {
      signal.addEventListener('abort', () => (report = true));
      return never();
    };
    const row = await app.data('validateSlowly', { accountId: 1 });
    assert.deepEqual(
      [row['validation_status'], row['validation_error']],
      ['INVALID', 'There was no answer within 0.03 s.'],
    );
    assert.ok(report, 'the check was told to let go');
  });

  it('a validation keeps what was found as one change, and says so in the audit', async () => {
    check = async () => ({ valid: true });
    const { version } = await stored();
    const reply = await app.call('validateSlowly', { accountId: 1 });
    assert.equal(reply.etag, `"${version + 1}"`);
    const { rows } = await app.store.find('audit', { where: { operation: 'validateSlowly' } });
    assert.deepEqual(
      rows.map(({ outcome, resource_id, changed }) => [outcome, resource_id, changed]),
      [['ok', 1, []]],
    );
  });

  it('a programming error in a validation is an internal error, not an outcome of the validation', async () => {
    check = () => Promise.reject(new TypeError('canary'));
    const error = await app.refused('internal', 'validateSlowly', { accountId: 1 });
    assert.ok(!error.message.includes('canary'));
    assert.equal((await stored()).row.validation_status, 'UNKNOWN');
  });

  it('a validation keeps its outcome beside a change of something else, and none of other settings', async () => {
    const changing = (change: object) => async (): Promise<Finding> => {
      await app.data('updateCloudAccount', { accountId: 1, ...change });
      return { valid: true };
    };
    check = changing({ client: 'Renamed' });
    const kept = await app.data('validateSlowly', { accountId: 1 });
    assert.deepEqual([kept['client'], kept['validation_status']], ['Renamed', 'VALID']);
    check = changing({ password: 'canary-other' });
    const error = await app.refused('conflict', 'validateSlowly', { accountId: 1 });
    assert.match(error.message, /Call validateSlowly again/u);
    assert.equal((await stored()).row.validation_status, 'UNKNOWN');
  });

  it('a validation does not bring back a row that was deleted meanwhile', async () => {
    check = async () => {
      await app.data('deleteCloudAccount', { accountId: 1 });
      return { valid: true };
    };
    await app.refused('not_found', 'validateSlowly', { accountId: 1 });
    assert.equal(await app.store.get('cloudAccounts', 1), undefined);
  });
});
