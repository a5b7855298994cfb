/** The standing connection of `onair mcp`, byte by byte: who is let in, what a line answers, and how it ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { LINE_PROTOCOL } from '../../mcp/uplink/upgrade.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { TOKENS } from '../app/users.ts';
import { letPass } from '../helpers/pass.ts';

let api: McpApi;
let livestreamId: number;
before(async () => {
  api = await startMcpApi('operator');
  livestreamId = await seedBroadcast(api.store);
});
after(() => api.close());

type Headers = Record<string, string | undefined>;

const asking = (headers: Headers = {}): Headers => ({
  host: new URL(api.url).host,
  connection: 'Upgrade',
  upgrade: LINE_PROTOCOL,
  authorization: `Bearer ${TOKENS.admin}`,
  ...headers,
});

function openConnection(
  headers: Headers,
  { path = '/mcp', method = 'GET', body = '' } = {},
): { socket: Socket; text(): string } {
  const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  const fields = Object.entries(headers).filter(([, value]) => value !== undefined);
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  return { socket, text: () => text };
}

/** The status of what is answered; the connection is closed. */
async function statusOf(headers: Headers, how: Parameters<typeof openConnection>[1] = {}): Promise<number> {
  const { socket, text } = openConnection(headers, how);
  const status = await until('an answer', () => /^HTTP\/1\.1 (\d{3}) .*\r\n\r\n/su.exec(text())?.[1], { everyMs: 5 });
  socket.destroy();
  return Number(status);
}

interface Line {
  socket: Socket;
  ask(message: object): void;
  lines(): any[];
  /** The answer to the request with this id. */
  answer(id: unknown): Promise<any>;
}

async function open(headers: Headers = {}): Promise<Line> {
  const { socket, text } = openConnection(asking(headers));
  const SWITCHED = /^HTTP\/1\.1 101 Switching Protocols\r\n(?:.+\r\n)*\r\n/u;
  await until('the switch', () => SWITCHED.test(text()), { everyMs: 5 });
  const lines = (): any[] =>
    text()
      .replace(SWITCHED, '')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    socket,
    ask: (message) => void socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    lines,
    answer: (id) =>
      until(`the answer to ${JSON.stringify(id)}`, () => lines().find((line) => line.id === id), { everyMs: 5 }),
  };
}

const call = (id: unknown, name: string, args: object = {}, _meta?: object): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(_meta && { _meta }) },
});

describe('access to a standing connection', () => {
  it('a standing connection is refused without a good token, by a strange Host, or from a strange page, with the reason', async () => {
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${TOKENS.admin}`])
      assert.equal(await statusOf(asking({ authorization, cookie: `token=${TOKENS.admin}` })), 401);
    assert.equal(await statusOf(asking({ host: 'evil.example' })), 403);
    assert.equal(await statusOf(asking({ origin: 'http://evil.example' })), 403);
    const { socket, text } = openConnection(asking({ authorization: 'Bearer wrong' }));
    await until('the reason', () => text().includes('"remedy"'), { everyMs: 5 });
    assert.match(text(), /www-authenticate: Bearer realm="onair"/iu);
    socket.destroy();
  });

  it('a standing connection without a Host is answered 400, and one with an unknown profile is refused', async () => {
    assert.equal(await statusOf(asking({ host: undefined })), 400);
    assert.equal(await statusOf(asking({ 'x-onair-profile': 'nothing' })), 405);
  });

  it('a request for another protocol is answered as if it did not ask, its body included', async () => {
    for (const upgrade of ['websocket', 'h2c', 'onair-lines/2', ''])
      assert.equal(await statusOf(asking({ upgrade })), 405, upgrade);
    const body = JSON.stringify({ jsonrpc: '2.0', ...call(1, 'getLivestreamById', { livestreamId }) });
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const length = { 'content-length': String(body.length) };
    const post = asking({
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': '',
      ...types,
      ...length,
    });
    const { socket, text } = openConnection(post, { method: 'POST', body });
    await until('the answer', () => text().includes('"name":"Show"'), { everyMs: 5 });
    assert.match(text(), /^HTTP\/1\.1 200 /u);
    socket.destroy();
  });

  it('a request behind another on its connection does no harm', async () => {
    const { socket, text } = openConnection(asking({ connection: undefined, upgrade: undefined }));
    const fields = Object.entries(asking({ upgrade: 'websocket' })).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /mcp HTTP/1.1\r\n${fields.join('')}\r\n`.repeat(3));
    await until('the first answer', () => text().includes(' 405 '), { everyMs: 5 });
    socket.destroy();
    assert.equal((await api.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status, 200);
  });
});

/** One of two answers is the later. */
const timeless = (text: string): string => text.replace(/(server_time\\?":\\?")[\d:.TZ-]{24}/gu, '$1(now)');

describe('a line of a standing connection', () => {
  it('a line of a standing connection is answered as a POST is, byte by byte', async () => {
    const { socket, ask, answer } = await open();
    const sorts: [string, object][] = [
      ['getLivestreamById', { livestreamId }],
      ['call_tool', { operationId: 'getAllChannels', arguments: {} }],
      ['search_tools', { query: 'outputs' }],
      ['get_livestream_status', { livestream: 'Show' }],
    ];
    for (const [at, [name, args]] of sorts.entries()) {
      ask(call(at, name, args));
      const overHttp = await (await api.post({ jsonrpc: '2.0', ...call(at, name, args) })).text();
      assert.equal(timeless(JSON.stringify(await answer(at))), timeless(overHttp));
    }
    socket.destroy();
  });

  it('a line of a standing connection is refused as a POST is: by role, profile, frame, method and length', async () => {
    const operator = await open({ authorization: `Bearer ${TOKENS.operator}` });
    const { socket, ask, answer } = await open({ 'x-onair-profile': 'readonly' });
    operator.ask(call(1, 'createApiToken', { name: 'x' }));
    ask(call(1, 'addChannel', { name: 'x' }));
    ask(call(2, 'getLivestreamById', { livestreamId: 999 }));
    ask({ id: 3, method: 'tools/call', params: { name: 5 } });
    ask({ id: 4, method: 'initialize', params: {} });
    ask({ id: 5, method: 'no/such/method' });
    ask({ id: 6, method: 'resources/read', params: { uri: 'onair://nothing' } });
    ask(call(7, 'search_tools', { query: 'x'.repeat(13 * 1024 ** 2) }));
    ask(call(8, 'getAllChannels'));
    const codeOf = async (id: number): Promise<string> => (await answer(id)).result.structuredContent.code;
    assert.match((await operator.answer(1)).result.structuredContent.code, /forbidden$/u);
    assert.deepEqual([await codeOf(1), await codeOf(2)], ['profile_forbidden', 'not_found']);
    const rpc = await Promise.all([3, 4, 5, 6, 7].map(async (id) => (await answer(id)).error));
    assert.deepEqual(
      rpc.map(({ code }) => code),
      [-32602, -32602, -32601, -32002, -32000],
    );
    assert.equal(rpc.at(-1).data.code, 'too_large');
    assert.deepEqual((await answer(8)).result.structuredContent.rows.length, 1);
    operator.socket.destroy();
    socket.destroy();
  });

  it('a line that is refused for its frame is audited under the operation that was meant', async () => {
    const { socket, ask, answer } = await open();
    const { total } = await api.store.find('audit', {});
    ask({ id: 1, method: 'tools/call', params: { name: 'deleteChannel', arguments: 5 } });
    ask({
      id: 2,
      method: 'tools/call',
      params: { name: 'call_tool', arguments: { operationId: 'addChannel' }, _meta: 5 },
    });
    ask({ id: 3, method: 'no/such/method', params: 5 });
    for (const id of [1, 2, 3]) assert.equal((await answer(id)).error.data.code, 'invalid_input');
    const { rows } = await api.store.find('audit', { offset: total });
    const report = rows.map(({ operation, outcome }) => `${operation} ${outcome}`).sort();
    assert.deepEqual(report, ['addChannel invalid_input', 'deleteChannel invalid_input']);
    socket.destroy();
  });

  it('a line that is no message is skipped; a batch of none is refused', async () => {
    const { socket, ask, answer, lines } = await open();
    socket.write('{\n\n[1]\n"x"\n\u0000\n{"jsonrpc":"2.0","id":9,"result":{}}\n');
    ask(call('last', 'getAllChannels'));
    await answer('last');
    assert.deepEqual(
      lines().map(({ id }) => id),
      [null, 'last'],
    );
    socket.destroy();
  });

  it('a line may come in pieces, and many lines at once', async () => {
    const { socket, ask, answer, lines } = await open();
    const line = `${JSON.stringify({ jsonrpc: '2.0', ...call('ä', 'search_tools', { query: 'Ausgänge' }) })}\n`;
    for (const byte of Buffer.from(line)) socket.write(Buffer.from([byte]));
    await answer('ä');
    for (let id = 0; id < 2000; id += 1) ask(call(id, 'getLivestreamById', { livestreamId }));
    await until('all answers', () => lines().length === 2001);
    assert.equal(new Set(lines().map(({ id }) => id)).size, 2001);
    socket.destroy();
  });

  it('a line of a call gets its progress, and nothing more after its own cancellation', async () => {
    const [one, two] = [await open(), await open()];
    const start = call(1, 'start_livestream', { livestream: 'Show', wait_seconds: 60 }, { progressToken: 'p' });
    one.ask(start);
    const report = await until('progress', () => one.lines().find(({ method }) => method !== undefined), {
      everyMs: 5,
    });
    assert.deepEqual([report.params.progressToken, report.params.message], ['p', '"Show" is starting.']);
    const cancel = { method: 'notifications/cancelled', params: { requestId: 1 } };
    two.ask(cancel);
    two.ask(call(1, 'getAllChannels'));
    await two.answer(1);
    await letPass(100);
    assert.equal(one.lines().length, 1, 'the call of another with the same id goes on');
    one.ask(cancel);
    one.ask(call(2, 'stop_livestream', { livestream: 'Show' }));
    assert.equal((await one.answer(2)).result.structuredContent.status, 0);
    assert.ok(!one.lines().some(({ id }) => id === 1), 'a cancelled call has no answer');
    one.socket.destroy();
    two.socket.destroy();
  });
});

describe('the end of a standing connection', () => {
  it('a standing connection whose token is revoked is refused with the next call, and there is no other', async () => {
    const token = `${TOKENS.operator}`;
    const { socket, ask, answer } = await open({ authorization: `Bearer ${token}` });
    ask(call(1, 'getAllChannels'));
    assert.equal((await answer(1)).error, undefined);
    const [row] = (await api.store.find('tokens', { where: { kid: 'operator' } })).rows;
    const revoked = (at: string | null): Promise<unknown> =>
      api.store.tx((tx) => tx.put('tokens', { ...row!, revoked_at: at }));
    await revoked('2026-01-01T00:00:00.000Z');
    ask(call(2, 'getAllChannels'));
    const { error } = await answer(2);
    assert.deepEqual([error.code, error.data.code], [-32000, 'unauthenticated']);
    if (!socket.readableEnded) await once(socket, 'end');
    socket.destroy();
    await revoked(null);
  });

  it('a standing connection that is half closed answers what was asked, and ends', async () => {
    const { socket, ask, answer } = await open();
    ask(call(1, 'getAllChannels'));
    socket.end();
    await answer(1);
    if (!socket.readableEnded) await once(socket, 'end');
  });

  it('a standing connection ends with its server: at once where nothing runs, else after the last answer', async () => {
    const own = await startMcpApi('full', { app: api });
    const url = api.url;
    Object.assign(api, { url: own.url });
    const [idle, busy] = [await open(), await open()];
    Object.assign(api, { url });
    busy.ask(call(1, 'start_livestream', { livestream: 'Show', wait_seconds: 1 }));
    await until('the start', async () => (await api.store.get('runs', livestreamId))?.row.desired === 'on');
    const idleEnded = once(idle.socket, 'end');
    own.endConnections(5000);
    await idleEnded;
    assert.match(JSON.stringify(await busy.answer(1)), /still starting/u);
    if (!busy.socket.readableEnded) await once(busy.socket, 'end');
    idle.socket.destroy();
    busy.socket.destroy();
    await own.close();
  });

  it('a standing connection of a client that reads no answers reads no more calls', async () => {
    const { socket } = await open();
    socket.pause();
    // Long ones, or all that is sent would find room in what the two ends of a connection buffer by themselves.
    const params = { padding: 'x'.repeat(4000) };
    const lists = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })}\n`.repeat(200);
    let isStuck = false;
    for (let sent = 0; sent < 500 && !isStuck; sent += 1)
      if (!socket.write(lists))
        isStuck = await Promise.race([once(socket, 'drain').then(() => false), letPass(1000).then(() => true)]);
    assert.ok(isStuck, 'a hundred thousand calls were read');
    socket.resume();
    await once(socket, 'drain');
    socket.destroy();
  });
});
