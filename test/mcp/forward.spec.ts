/** How the stdio process hands calls on: over one connection, by POST where there is none to be had, and with nothing left behind. */
import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import type { ToolCall } from '../../mcp/calls/session.ts';
import { createForward, type Forward } from '../../mcp/forward.ts';
import { itLong } from '../helpers/counts.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { TOKENS } from '../app/users.ts';
import { memoryAfterCollection } from '../helpers/heap.ts';

/** Requests that come through, by method, and whether it asked for another protocol. */
interface Between {
  url: string;
  seen: string[];
  close(): void;
}

let api: McpApi;
let between: Between;
let livestreamId: number;
before(async () => {
  api = await startMcpApi('full');
  livestreamId = await seedBroadcast(api.store);
  between = await openBetween(api.url);
});
after(async () => {
  between.close();
  await api.close();
});

/** As many a proxy that knows nothing of upgrades: it leaves the header out. */
async function openBetween(to: string): Promise<Between> {
  const seen: string[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    seen.push(headers.upgrade === undefined ? method : `${method} ${headers.upgrade}`);
    const { upgrade: _upgrade, connection: _connection, ...rest } = headers;
    const onward = request(`${to}${url}`, { method, headers: rest }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

function forwardTo(url: string, token: string = TOKENS.admin): Forward & { connects: () => number } {
  let connects = 0;
  const connect = async (): Promise<{ url: string; token: string }> => {
    connects += 1;
    return { url, token };
  };
  return { ...createForward({ connect, profileName: 'full' }), connects: () => connects };
}

const call = (name: string, args: object = {}, more: Partial<ToolCall> = {}): ToolCall => ({
  name,
  args: args as ToolCall['args'],
  meta: {},
  signal: new AbortController().signal,
  ...more,
});

for (const [transport, urlOf] of [
  ['over a connection of its own', () => api.url],
  ['by POST, through what takes no upgrade', () => between.url],
] as const) {
  it(`onair mcp ${transport} forwards calls, progress, cancellation, resources and refusals`, async () => {
    const forward = forwardTo(urlOf());
    const read = call('getLivestreamById', { livestreamId });
    const params = { name: read.name, arguments: read.args };
    const posted = await api.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { result: overHttp } = (await posted.json()) as { result: unknown };
    assert.deepEqual(await forward.call(read, 1), overHttp);
    assert.equal(await forward.callText(read), JSON.stringify(overHttp));
    const controller = new AbortController();
    const steps: string[] = [];
    const progress: ToolCall['progress'] = (_done, _total, message) => {
      steps.push(message);
      controller.abort();
    };
    const args = { livestream: 'Show', wait_seconds: 60 };
    const meta = { progressToken: 'p' };
    await forward.call(call('start_livestream', args, { progress, meta, signal: controller.signal }), 2);
    assert.deepEqual(steps, ['"Show" is starting.']);
    const stopped = await forward.call(call('stop_livestream', { livestream: 'Show' }), 3);
    assert.equal(stopped.structuredContent?.['status'], 0);
    assert.equal((await forward.read('onair://openapi.json', 4)).uri, 'onair://openapi.json');
    await assert.rejects(forward.read('onair://nothing', 5), /nothing/u);
    const refused = await forward.call(call('getLivestreamById', { livestreamId: 999 }), 6);
    assert.equal(refused.structuredContent?.['code'], 'not_found');
    assert.equal(forward.connects(), 1);
    const stranger = forwardTo(urlOf(), 'wrong');
    assert.equal((await stranger.call(read, 7)).structuredContent?.['code'], 'unauthenticated');
    await stranger.call(read, 8);
    assert.equal(stranger.connects(), 2, 'a new token is looked for');
  });
}

it('onair mcp asks for its connection once, and then posts', () => {
  assert.deepEqual([...new Set(between.seen)], ['GET onair-lines/1', 'POST']);
  assert.equal(
    between.seen.filter((method) => method.startsWith('GET')).length,
    3,
    'one, and one for each wrong token',
  );
});

const WARM_UP = 5000;
const CALLS = 50_000;

itLong(`a flow of ${CALLS} forwarded calls leaves nothing behind, on either side`, async () => {
  const forward = forwardTo(api.url);
  const read = call('getLivestreamById', { livestreamId });
  const run = async (calls: number): Promise<number> => {
    const worker = async (): Promise<void> => {
      for (let made = 0; made < calls / 16; made += 1) {
        const text = await forward.callText({ ...read, signal: new AbortController().signal });
        assert.ok(text.includes('"Show"'), text);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    const { heapUsed, external } = await memoryAfterCollection();
    return heapUsed + external;
  };
  const first = await run(WARM_UP);
  const last = await run(CALLS - WARM_UP);
  console.log(`in use ${(first / 1024 ** 2).toFixed(1)} MB, then ${(last / 1024 ** 2).toFixed(1)} MB`);
  assert.ok(last / first <= 1.1, `${(last / first).toFixed(3)} ×`);
  assert.equal(forward.connects(), 1);
});
