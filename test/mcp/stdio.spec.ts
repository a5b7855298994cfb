import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { programArguments } from '../helpers/program.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { type McpApi, startMcpApi, structured, sentenceOf, textOf } from '../app/mcp-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS, type TokenOwner } from '../app/users.ts';
import { letPass } from '../helpers/pass.ts';
import { TestClient } from '../helpers/mcp-client.ts';

const entry = programArguments(new URL('fixtures/stdio-entry.ts', import.meta.url));
let app: TestApp<Clock>;
let api: McpApi;
let livestreamId: number;
const clients = new Map<string, Promise<Client>>();

before(async () => {
  app = await startTestApp({ clock: systemClock });
  livestreamId = await seedBroadcast(app.store);
  api = await startMcpApi('full', { app });
});
after(async () => {
  for (const client of clients.values()) await (await client).close();
  await api.close();
  await app.close();
});

const environment = (profile: string, who: TokenOwner): Record<string, string> => ({
  ...(process.env as Record<string, string>),
  SERVER_URL: api.url,
  SERVER_TOKEN: TOKENS[who],
  TOOL_PROFILE: profile,
});

/** One process for each environment: what a test does to the server is what it must survive. */
function connect(profile = 'full', who: TokenOwner = 'admin', more: Record<string, string> = {}): Promise<Client> {
  const env = { ...environment(profile, who), ...more };
  const key = JSON.stringify([profile, who, more]);
  const known = clients.get(key) ?? start(env);
  clients.set(key, known);
  return known;
}

async function start(env: Record<string, string>): Promise<Client> {
  const client = new TestClient();
  await client.connect(new StdioClientTransport({ command: process.execPath, args: entry, env }));
  return client;
}

test('onair mcp lists, searches, calls and waits with progress, as the server does over HTTP', async () => {
  const client = await connect();
  const overHttp = await (await api.client()).listTools();
  assert.deepEqual((await client.listTools()).tools, overHttp.tools);
  const found = await client.callTool({ name: 'search_tools', arguments: { query: 'list outputs' } });
  assert.equal(structured(found)['tools'][0].name, 'getAllPublishings');
  const read = await client.callTool({
    name: 'call_tool',
    arguments: { operationId: 'getLivestreamById', arguments: { livestreamId } },
  });
  assert.equal(structured(read)['data'].name, 'Show');
  const steps: string[] = [];
  const started = client.callTool({ name: 'start_livestream', arguments: { livestream: 'Show' } }, undefined, {
    onprogress: ({ message = '' }) => {
      steps.push(message);
      app.device.running(app.device.runIds.at(-1) ?? '');
    },
  });
  assert.equal(sentenceOf(await started), '"Show" is on air on 1 destination.');
  assert.deepEqual(steps, ['"Show" is starting.']);
  await client.callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
});

test('onair mcp answers with the same refusals and codes as the server', async () => {
  const readonly = await connect('readonly');
  const code = async (client: Client, name: string, args: object): Promise<string> =>
    structured(await client.callTool({ name, arguments: args as Record<string, unknown> }))['code'];
  assert.equal(await code(readonly, 'start_livestream', { livestream: 'Show' }), 'profile_forbidden');
  assert.equal(
    await code(readonly, 'call_tool', { operationId: 'addChannel', arguments: { name: 'x' } }),
    'profile_forbidden',
  );
  assert.equal(await code(readonly, 'getLivestreamById', { livestreamId: 999 }), 'not_found');
  assert.equal(await code(await connect('full', 'operator'), 'createApiToken', { name: 'x' }), 'forbidden');
  assert.match(readonly.getInstructions() ?? '', /only reads/u);
});

test('a cancellation to onair mcp ends the wait at the server', async () => {
  const client = await connect();
  const controller = new AbortController();
  const call = client.callTool(
    {
      name: 'start_livestream',
      arguments: { livestream: 'Show', wait_seconds: 60 },
      _meta: { idempotencyKey: 'cancelled' },
    },
    undefined,
    {
      signal: controller.signal,
      onprogress: () => controller.abort('enough'),
    },
  );
  await assert.rejects(call);
  // While the first call runs, its key answers conflict; once it has ended, its answer.
  const again = await client.callTool({
    name: 'start_livestream',
    arguments: { livestream: 'Show', wait_seconds: 60 },
    _meta: { idempotencyKey: 'cancelled' },
  });
  assert.equal(structured(again)['status'], 1, textOf(again));
  await client.callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
});

test('a call to onair mcp waits for a restart of the server, and the next one works', async () => {
  const client = await connect();
  const read = { name: 'getLivestreamById', arguments: { livestreamId } };
  assert.ok(!(await client.callTool(read)).isError, 'before');
  const port = Number(new URL(api.url).port);
  await api.close();
  const during = client.callTool(read);
  await letPass(1000);
  api = await startMcpApi('full', { app, port });
  assert.ok(!(await during).isError, textOf(await during));
  assert.ok(!(await client.callTool(read)).isError, 'after');
});

test('a call to a server that does not come back gets a retryable answer, and so does the next one', async () => {
  const client = await connect();
  const add = {
    name: 'addChannel',
    arguments: { name: 'Later', type: 'Stream', settings: { url: 'http://a.example/' } },
  };
  assert.ok(!(await client.callTool({ name: 'getAllChannels', arguments: {} })).isError, 'before');
  const port = Number(new URL(api.url).port);
  await api.close();
  const refused = await client.callTool(add);
  assert.deepEqual([structured(refused)['code'], structured(refused)['status']], ['unavailable', 503]);
  assert.match(textOf(refused), /Retry shortly/u);
  assert.equal(structured(await client.callTool(add))['code'], 'unavailable');
  api = await startMcpApi('full', { app, port });
  assert.ok(!(await client.callTool(add)).isError, 'after');
});

for (const [moment, whileAway] of [
  ['while its server is away', true],
  ['after its server is back', false],
] as const)
  test(`a call whose answer is cut off gets what became of it ${moment}, and nothing is done twice`, async () => {
    const client = await connect();
    const port = Number(new URL(api.url).port);
    const before = app.device.runIds.length;
    const answers = async (): Promise<number> => (await app.store.find('idempotency', {})).rows.length;
    const kept = await answers();
    const start = { name: 'start_livestream', arguments: { livestream: 'Show', wait_seconds: 30 } };
    const started = client.callTool(start, undefined, { onprogress: () => undefined });
    await until('the start', () => app.device.runIds.length > before);
    const goOn = (): void => app.device.running(app.device.runIds.at(-1) ?? '');
    // The app live on: the call still runs, or has ended, when its key comes in a second time.
    await api.close();
    if (whileAway) {
      goOn();
      await until('its end', async () => (await answers()) > kept);
    }
    api = await startMcpApi('full', { app, port });
    if (!whileAway) goOn();
    assert.equal(sentenceOf(await started), '"Show" is on air on 1 destination.');
    assert.equal(app.device.runIds.length, before + 1);
    await client.callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
  });

test('a wrong token is answered by onair mcp in words', async () => {
  const client = await connect('full', 'admin', { SERVER_TOKEN: 'wrong' });
  const result = await client.callTool({ name: 'getAllChannels', arguments: {} });
  assert.equal(structured(result)['code'], 'unauthenticated');
  assert.match(textOf(result), /Set ONAIR_TOKEN to a valid one/u);
  assert.doesNotMatch(textOf(result), /Bearer/u);
});

test('the stdout of onair mcp carries the protocol alone; it ends with stdin, after the last answer', async () => {
  const child = spawn(process.execPath, entry, {
    env: environment('full', 'admin'),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } };
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  child.stdin.write('this is not JSON\n');
  send({ id: 1, method: 'initialize', params });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  send({ id: 3, method: 'tools/call', params: { name: 'getLivestreamById', arguments: { livestreamId } } });
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 0);
  lines.push(...text.trim().split('\n'));
  const ids = lines.map((line) => (JSON.parse(line) as { jsonrpc: string; id: number }).id);
  assert.deepEqual([...ids].sort(), [1, 2, 3]);
});

test('a call that onair mcp refuses itself is audited by the server, and not done', async () => {
  const child = spawn(process.execPath, entry, {
    env: environment('full', 'admin'),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { total } = await app.store.find('audit', {});
  // All but the frame is right, and the second would need no arguments.
  const calls = [{ name: 'stop_livestream', arguments: { livestream: 'Show' } }, { name: 'acknowledgeRestore' }];
  const lines = calls.map((params, id) => `${JSON.stringify({ jsonrpc: '1.0', id, method: 'tools/call', params })}\n`);
  child.stdin.write(lines.join(''));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  assert.match(line.toString(), /"code":"invalid_input"/u);
  const rows = await until('two entries', async () => {
    const found = await app.store.find('audit', { offset: total });
    return found.rows.length > 1 && found.rows;
  });
  assert.deepEqual(rows.map(({ operation, outcome, via }) => [operation, outcome, via]).sort(), [
    ['acknowledgeRestore', 'invalid_input', 'mcp'],
    ['stop_livestream', 'invalid_input', 'mcp'],
  ]);
  child.stdin.end();
  await once(child, 'close');
});
