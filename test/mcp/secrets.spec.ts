import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { seedBroadcast } from '../helpers/seed.ts';
import { connectAs, type AnyClient, type Kind } from './clients.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { catalogue } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';

const CANARY = 'CANARY1234567890';
/** One client of each generation of the protocol: each generation has a server of its own. */
const PROTOCOLS: Kind[] = ['v1', 'v2 pinned'];
let api: McpApi;
let client: AnyClient;
let seen: string[] = [];

beforeEach(async () => {
  seen = [];
  api = await startMcpApi();
  await seedBroadcast(api.store);
});
afterEach(async () => {
  await client.close();
  await api.close();
});

async function connect(kind: Kind): Promise<void> {
  client = await connectAs(kind, { url: `${api.url}/mcp`, headers: { authorization: `Bearer ${TOKENS.admin}` } });
}

async function call(name: string, args: object): Promise<any> {
  const result = await client.callTool('call_tool', { operationId: name, arguments: args });
  seen.push(`${name}: ${JSON.stringify(result)}`);
  return result;
}

/** The rest of what a client can ask for. */
async function askAround(): Promise<void> {
  const uris = ['onair://livestreams/status', 'onair://livestreams/1/status', 'onair://openapi.json'];
  const answers = [
    await client.listTools(),
    await client.listPrompts(),
    await client.listResources(),
    await Promise.all(uris.map((uri) => client.readResource(uri))),
    await client.readResource('onair://nothing').catch((error: unknown) => error),
  ];
  for (const answer of answers) seen.push(JSON.stringify(answer));
}

function assertUnseen(secret: string): void {
  for (const answer of seen)
    assert.ok(!answer.includes(secret), `${answer.slice(0, 200)} shows ${secret.slice(0, 12)}…`);
}

for (const kind of PROTOCOLS)
  test(`a secret that went in comes out of no tool, no error and no record: ${kind}`, async () => {
    await connect(kind);
    const url = `rtmp://example.org/live/${CANARY}path?token=${CANARY}query`;
    const settings = { url, stream_key: `${CANARY}-the-key` };
    await call('addPublishing', { name: 'Secretive', type: 'RTMP', settings });
    const srt = { host: 'example.org', port: 9000, passphrase: `${CANARY}phrase`, encryption: 128 };
    const sent = { url: 'srt://example.org:9000', srt: { passphrase: srt.passphrase, encryption: 128 } };
    await call('addPublishing', { name: 'Sent', type: 'SRT', settings: sent });
    const put = { url: `https://example.org/live/${CANARY}path/`, username: 'ann', password: `${CANARY}pass` };
    await call('addPublishing', { name: 'Put', type: 'HLS / TS', settings: put });
    await call('addChannel', { name: 'Srt', type: 'SRT', settings: srt });
    await call('addChannel', {
      name: 'Push',
      type: 'RTMP-Push',
      settings: { app: 'live', stream_key: `${CANARY}-push` },
    });
    await call('addChannel', {
      name: 'Pull',
      type: 'Stream',
      settings: { url: `http://u:${CANARY}@example.org/?k=${CANARY}` },
    });
    assert.equal((await api.store.find('publishings', {})).total, 4);
    assert.equal((await api.store.find('channels', {})).total, 4);
    // Refused with the secret in hand, in every way that arguments can be wrong.
    await call('addPublishing', { name: 'Secretive', type: 'RTMP', settings });
    await call('addPublishing', { name: 'x', type: 'RTMP', settings: { ...settings, ...put, ...sent } });
    const withUser = { ...settings, url: url.replace('rtmp://', `rtmp://user:${CANARY}pw@`) };
    await call('addPublishing', { name: 'x', type: 'RTMP', settings: withUser });
    assert.match(seen.at(-1) ?? '', /user name or password/u);
    await call('addPublishing', { name: 5, type: 'RTMP', settings: { ...settings, stream_key: { nested: CANARY } } });
    await call('addPublishing', { name: 'x', type: CANARY.toLowerCase(), settings });
    await call('addChannel', {
      name: 'x',
      type: 'SRT',
      settings: { ...srt, passphrase: `${CANARY}${'x'.repeat(90)}` },
    });
    await call('updatePublishing', { publishingId: 999, settings });
    for (const tool of catalogue.operations.filter(({ effect }) => effect === 'read')) {
      const ids = Object.keys(tool.input.shape).filter((name) => /Id$/u.test(name));
      // Rows are shown alike by both; what the other protocol has of its own is the way around them.
      for (const id of kind === 'v1' ? [1, 2, 3, 4] : [1])
        await call(tool.name, Object.fromEntries(ids.map((name) => [name, id])));
      await call(tool.name, { fields: '*' });
    }
    await askAround();
    for (const row of (await api.store.find('audit', {})).rows) seen.push(`audit: ${JSON.stringify(row)}`);
    for (const row of (await api.store.find('events', {})).rows) seen.push(`event: ${JSON.stringify(row)}`);
    assert.ok(seen.length > 50);
    assertUnseen(CANARY);
  });

for (const kind of PROTOCOLS)
  test(`a new token is shown once, in its own answer: ${kind}`, async () => {
    await connect(kind);
    const created = await call('createApiToken', { name: 'robot' });
    const { token } = created.structuredContent.data;
    seen.pop();
    await call('listApiTokens', { fields: '*' });
    for (const row of (await api.store.find('audit', {})).rows) seen.push(`audit: ${JSON.stringify(row)}`);
    for (const row of (await api.store.find('idempotency', {})).rows) seen.push(`idempotency: ${JSON.stringify(row)}`);
    assertUnseen(token);
  });
