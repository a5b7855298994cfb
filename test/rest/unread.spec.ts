/** Changes that are refused before their operation has seen them: each leaves its entry in the audit, as every refusal does. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RestApi, openRestApi } from '../app/rest-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';

let app: TestApp;
let api: RestApi;
before(async () => {
  app = await startTestApp();
  api = await openRestApi(app);
});
after(() => app.close());

interface Sent {
  method: string;
  path: string;
  body?: string;
  type?: string;
}
const channels = { method: 'POST', path: '/channels' };

/** Requests, and the audit entry of each. */
const CASES: [string, Sent, [operation: string, outcome: string, resourceId: number | null]][] = [
  ['no JSON', { ...channels, body: '{"name":' }, ['addChannel', 'invalid_input', null]],
  ['a list', { ...channels, body: '[]' }, ['addChannel', 'invalid_input', null]],
  ['a text', { ...channels, body: 'name', type: 'text/plain' }, ['addChannel', 'unsupported_media', null]],
  ['too much', { ...channels, body: `"${'x'.repeat(1_100_000)}"` }, ['addChannel', 'too_large', null]],
  ['too deep', { ...channels, body: '['.repeat(100) }, ['addChannel', 'invalid_input', null]],
  ['no JSON for one of them', { method: 'PUT', path: '/channels/7', body: '{' }, ['updateChannel', 'invalid_input', 7]],
  [
    'another id',
    { method: 'PUT', path: '/channels/7', body: '{"channelId":8}' },
    ['updateChannel', 'invalid_input', 7],
  ],
  ['fields in the query', { ...channels, path: '/channels?name=x', body: '{}' }, ['addChannel', 'invalid_input', null]],
  ['an unknown query', { method: 'DELETE', path: '/channels/7?x=1' }, ['deleteChannel', 'invalid_input', 7]],
  [
    'no form',
    { method: 'POST', path: '/assets', body: 'x', type: 'multipart/form-data; boundary=y' },
    ['uploadAsset', 'invalid_input', null],
  ],
];

async function send(sent: Sent, headers: Record<string, string> = {}): Promise<number> {
  const { method, path, body, type = 'application/json' } = sent;
  const authorization = `Bearer ${TOKENS.operator}`;
  const init = { method, headers: { authorization, ...(body !== undefined && { 'content-type': type }), ...headers } };
  return (await api.rest.request(`/svcapiv2${path}`, { ...init, ...(body !== undefined && { body }) })).status;
}

describe('changes that cannot be read', () => {
  for (const [what, sent, expected] of CASES) {
    it(`a change that cannot be read (${what}) leaves an audit entry: ${expected.join(' ')}`, async () => {
      const before = (await app.store.find('audit', {})).total;
      assert.ok((await send(sent)) >= 400, 'it is refused');
      const entries = (await app.store.find('audit', {})).rows.slice(before);
      const message = entries.map(({ operation, outcome, resource_id }) => [operation, outcome, resource_id]);
      assert.deepEqual(message, [expected]);
      assert.deepEqual([entries[0]?.user, entries[0]?.token_kid, entries[0]?.via], ['operator', 'operator', 'rest']);
    });
  }

  it('an unreadable call of an operation that only reads leaves no audit entry', async () => {
    const before = (await app.store.find('audit', {})).total;
    assert.equal(await send({ method: 'GET', path: '/channels?x=1' }), 400);
    assert.equal((await app.store.find('audit', {})).total, before);
  });

  it('an unreadable change with an unknown token leaves one audit entry of the refused token an hour, and none without a token', async () => {
    const before = (await app.store.find('audit', {})).total;
    for (const authorization of ['Bearer unknown', 'Bearer unknown', '', 'Basic dTpw'])
      assert.equal(await send({ ...channels, body: '{' }, { authorization }), 401, authorization);
    const entries = (await app.store.find('audit', {})).rows.slice(before);
    const message = entries.map(({ operation, outcome, user, token_kid, via }) => [
      operation,
      outcome,
      user,
      token_kid,
      via,
    ]);
    assert.deepEqual(message, [['authenticate', 'unauthenticated', '(unknown)', null, 'rest']]);
  });
});
