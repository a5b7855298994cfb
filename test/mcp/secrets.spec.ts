import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { seedBroadcast } from '../helpers/seed.ts';
import { catalogue, openDoor, type Door } from './door.ts';

const CANARY = 'CANARY1234567890';
let door: Door;
let client: Client;
const seen: string[] = [];

before(async () => {
  door = await openDoor();
  client = await door.client();
  await seedBroadcast(door.store);
});
after(() => door.close());

async function call(name: string, args: object): Promise<any> {
  const result = await client.callTool({
    name: 'call_tool',
    arguments: { operationId: name, arguments: args as Record<string, unknown> },
  });
  seen.push(`${name}: ${JSON.stringify(result)}`);
  return result;
}

function assertUnseen(secret: string): void {
  for (const answer of seen)
    assert.ok(!answer.includes(secret), `${answer.slice(0, 200)} shows ${secret.slice(0, 12)}…`);
}

test('a secret that went in comes out of no tool, no error and no record', async () => {
  const url = `rtmp://user:${CANARY}pw@example.org/live/${CANARY}path?token=${CANARY}query`;
  const settings = {
    url,
    stream_key: `${CANARY}-the-key`,
    password: `${CANARY}pass`,
    srt: { passphrase: `${CANARY}phrase`, encryption: 128 },
  };
  await call('addPublishing', { name: 'Secretive', type: 'RTMP', settings });
  const srt = { host: 'example.org', port: 9000, passphrase: `${CANARY}phrase`, encryption: 128 };
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
  assert.equal((await door.store.find('publishings', {})).total, 2);
  assert.equal((await door.store.find('channels', {})).total, 4);
  // Refused with the secret in hand, in every way that arguments can be wrong.
  await call('addPublishing', { name: 'Secretive', type: 'RTMP', settings });
  await call('addPublishing', { name: 5, type: 'RTMP', settings: { ...settings, stream_key: { nested: CANARY } } });
  await call('addPublishing', { name: 'x', type: CANARY.toLowerCase(), settings });
  await call('addChannel', { name: 'x', type: 'SRT', settings: { ...srt, passphrase: `${CANARY}${'x'.repeat(90)}` } });
  await call('updatePublishing', { publishingId: 999, settings });
  for (const tool of catalogue.operations.filter(({ effect }) => effect === 'read')) {
    const ids = Object.keys(tool.input.shape).filter((name) => /Id$/u.test(name));
    for (const id of [1, 2, 3, 4]) await call(tool.name, Object.fromEntries(ids.map((name) => [name, id])));
    await call(tool.name, { fields: '*' });
  }
  for (const row of (await door.store.find('audit', {})).rows) seen.push(`audit: ${JSON.stringify(row)}`);
  for (const row of (await door.store.find('events', {})).rows) seen.push(`event: ${JSON.stringify(row)}`);
  assert.ok(seen.length > 50);
  assertUnseen(CANARY);
});

test('a new token is shown once, in its own answer', async () => {
  const created = await call('createApiToken', { name: 'robot' });
  const { token } = created.structuredContent.data;
  seen.pop();
  await call('listApiTokens', { fields: '*' });
  for (const row of (await door.store.find('audit', {})).rows) seen.push(`audit: ${JSON.stringify(row)}`);
  for (const row of (await door.store.find('idempotency', {})).rows) seen.push(`idempotency: ${JSON.stringify(row)}`);
  assertUnseen(token);
});
