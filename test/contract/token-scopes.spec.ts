/** The limits of an API token at every API: REST, MCP, the workflows by each, and the documents of the page. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ACTIONS } from '../../domain/shapes/schedules/planned-action.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { goOnAir } from '../app/on-air.ts';
import { startMcpApi, structured, textOf, type McpApi } from '../app/mcp-api.ts';
import { openRestApi, type RestApi } from '../app/rest-api.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FeedClient } from '../helpers/feed-client.ts';
import { TestClient } from '../helpers/mcp-client.ts';

interface Answer {
  status: number;
  body: Record<string, any>;
}

describe('a limited API token at every API', () => {
  let app: TestApp<Clock>;
  let rest: RestApi;
  let mcp: McpApi;
  const clients: Client[] = [];

  before(async () => {
    app = await startTestApp({ clock: systemClock });
    rest = await openRestApi(app);
    mcp = await startMcpApi(undefined, { app });
  });
  after(async () => {
    for (const client of clients) await client.close();
    rest.feed.close();
    await mcp.close();
    await app.close();
  });

  async function token(limits: { profile?: string; operations?: string[] }): Promise<string> {
    const made = await app.data('createApiToken', { name: 'limited', ...limits });
    return made['token'] as string;
  }

  async function send(bearer: string, method: string, path: string, body?: object): Promise<Answer> {
    const response = await rest.send(method, path, { token: bearer, ...(body && { body }) });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  async function clientOf(bearer: string): Promise<Client> {
    const client = new TestClient();
    const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${mcp.url}/mcp`), { requestInit }));
    clients.push(client);
    return client;
  }

  it('a planned action of each type needs the operation that it stands for', async () => {
    const bearer = await token({ operations: ['addLivestreamAction'] });
    for (const [type, { operation }] of Object.entries(ACTIONS)) {
      const action = { type, payload: {}, execute_at: '2100-01-01T00:00:00Z' };
      const refused = await send(bearer, 'POST', '/livestreams/1/actions', action);
      assert.deepEqual([refused.status, refused.body['needs_operations']], [403, [operation]], type);
    }
  });

  it('REST answers what the operations of the token allow, and 403 that names what is missing for all else', async () => {
    const bearer = await token({ operations: ['getAllChannels', 'startLivestream'] });
    assert.equal((await send(bearer, 'GET', '/channels')).status, 200);
    const refused = await send(bearer, 'GET', '/encodings');
    assert.deepEqual([refused.status, refused.body['code']], [403, 'forbidden']);
    assert.deepEqual(refused.body['needs_operations'], ['getAllEncodings']);
    const missing = await send(bearer, 'POST', '/workflows/start_livestream', { livestream: 'nobody' });
    assert.equal(missing.status, 404, 'allowed: it is the Live stream that is missing');
    const stop = await send(bearer, 'POST', '/workflows/stop_livestream', { livestream: 'nobody' });
    assert.deepEqual([stop.status, stop.body['needs_operations']], [403, ['stopLivestream']]);
    const upload = new FormData();
    upload.set('fileType', 'files');
    upload.set('file', new Blob(['x']), 'x.mp4');
    assert.equal((await rest.send('POST', '/assets', { token: bearer, body: upload })).status, 403);
  });

  it('REST heeds the profile of a token, though it heeds no other profile but readonly', async () => {
    const bearer = await token({ profile: 'voice' });
    assert.equal((await send(bearer, 'GET', '/channels')).status, 200);
    const refused = await send(bearer, 'DELETE', '/channels/1');
    assert.deepEqual([refused.status, refused.body['code']], [403, 'profile_forbidden']);
    assert.deepEqual(refused.body['allowed_by'], ['operator', 'full']);
  });

  it('MCP lists the same tools to every token, and each call is refused by its name and by call_tool', async () => {
    const limited = await clientOf(await token({ operations: ['getAllChannels', 'startLivestream'] }));
    const whole = await mcp.client();
    const names = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(limited), await names(whole));
    const byName = await limited.callTool({ name: 'stop_livestream', arguments: { livestream: 'nobody' } });
    assert.deepEqual([byName.isError, structured(byName)['code']], [true, 'forbidden']);
    assert.match(textOf(byName), /stopLivestream/u);
    for (const operationId of ['getAllEncodings', 'toggle_destination', 'deleteChannel']) {
      const result = await limited.callTool({ name: 'call_tool', arguments: { operationId, arguments: {} } });
      assert.equal(structured(result)['code'], 'forbidden', operationId);
    }
    const allowed = await limited.callTool({ name: 'call_tool', arguments: { operationId: 'getAllChannels' } });
    assert.notEqual(allowed.isError, true);
    const started = await limited.callTool({ name: 'start_livestream', arguments: { livestream: 'nobody' } });
    assert.equal(structured(started)['code'], 'not_found');
  });

  it('search_tools finds only what the token may call, and says what would allow the rest', async () => {
    const limited = await clientOf(await token({ operations: ['getAllChannels'] }));
    const result = await limited.callTool({ name: 'search_tools', arguments: { query: 'deleteChannel', limit: 20 } });
    const answer = structured(result);
    const found = (answer['tools'] as { name: string }[]).map(({ name }) => name);
    assert.ok(
      found.every((name) => name === 'getAllChannels'),
      found.join(', '),
    );
    assert.match(answer['forbidden'].why as string, /operations include deleteChannel/u);
  });

  it('a token of the profile voice gets the instructions and the spoken answers of that profile', async () => {
    const spoken = await clientOf(await token({ profile: 'voice' }));
    const header = await mcp.client('admin', { 'x-onair-profile': 'voice' });
    assert.equal(spoken.getInstructions(), header.getInstructions());
    const status = { name: 'call_tool', arguments: { operationId: 'getAllChannels' } };
    assert.equal(textOf(await spoken.callTool(status)), textOf(await header.callTool(status)));
  });

  it('a voice token without the list of Live streams is answered with rows that have only their ids', async () => {
    const { livestreamId } = await goOnAir(app as never);
    const bearer = await token({ profile: 'voice', operations: ['getLivestreamEvents'] });
    const client = await clientOf(bearer);
    const request = { operationId: 'getLivestreamEvents', arguments: { livestreamId } };
    const result = await client.callTool({ name: 'call_tool', arguments: request });
    assert.notEqual(result.isError, true, textOf(result));
  });

  it('the feed, its pictures and its media are for tokens that may read what they show', async () => {
    const feedOf = (bearer: string): Promise<Answer> => send(bearer, 'GET', '/feed');
    const refused = await feedOf(await token({ operations: ['getLivestreamsStatus', 'getAllEvents'] }));
    assert.deepEqual([refused.status, refused.body['needs_operations']], [403, ['getDevicesLiveStatus']]);
    const paths = { '/feed/pictures?want=1:320:1': 200, '/feed/live/999/999/index.m3u8': 404 };
    const blind = await token({ operations: ['getAllChannels'] });
    const seeing = await token({ operations: ['getLivestreamPreview'] });
    for (const [path, status] of Object.entries(paths)) {
      assert.deepEqual((await send(blind, 'GET', path)).body['needs_operations'], ['getLivestreamPreview'], path);
      const response = await rest.send('GET', path, { token: seeing });
      assert.equal(response.status, status, path);
      await response.body?.cancel();
    }
  });

  it('the feed tells a limited token of changes in the lists that it may read, and of no others', async () => {
    const shown = ['getLivestreamsStatus', 'getAllEvents', 'getDevicesLiveStatus'];
    const bearer = await token({ operations: [...shown, 'getAllChannels'] });
    const response = await rest.send('GET', '/feed', { token: bearer });
    const client = new FeedClient(response);
    await client.wait('hello');
    await app.data('addEncoding', { name: 'not for it' });
    await app.data('addChannel', { name: 'for it', type: 'Stream', settings: { url: 'http://127.0.0.1:9/x.m3u8' } });
    await client.wait('changed');
    const resources = client.messages
      .filter(({ event }) => event === 'changed')
      .map(({ data }) => (data as any).resource);
    assert.deepEqual([...new Set(resources)], ['channels']);
  });

  it('the metrics name broadcasts for tokens that may read their status', async () => {
    const ask = (bearer: string): Promise<Response> =>
      Promise.resolve(rest.rest.request('/metrics', { headers: { authorization: `Bearer ${bearer}` } }));
    const refused = await ask(await token({ operations: ['getLivestreamsStatus'] }));
    assert.equal(refused.status, 403);
    const allowed = await ask(await token({ operations: ['getLivestreamsStatus', 'getDevicesLiveStatus'] }));
    assert.equal(allowed.status, 200);
    assert.equal((await rest.rest.request('/healthz')).status, 200, 'open to all');
  });

  it('who is behind a limited token is answered, and a refusal stands in the audit with the key of the token', async () => {
    const made = await app.data('createApiToken', { name: 'audited', operations: ['getAllChannels'] });
    const bearer = made['token'] as string;
    assert.equal((await send(bearer, 'GET', '/security/me')).body['data'].username, 'admin');
    await send(bearer, 'DELETE', '/channels/77');
    await send(bearer, 'GET', '/feed');
    const audit = await app.rows('getAuditLog', { pageSize: 500, fields: '*' });
    const refusals = audit.filter((row) => row['token_kid'] === made['kid']);
    assert.deepEqual(refusals.map((row) => [row['operation'], row['outcome']]).sort(), [
      ['deleteChannel', 'forbidden'],
      ['getFeed', 'forbidden'],
    ]);
  });
});
