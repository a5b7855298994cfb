/** How the stdio process hands calls on: each is a POST, which is waited for, cancelled and sent again, with nothing left behind. */
import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, it } from 'node:test';
import type { ToolCall } from '../../mcp/calls/session.ts';
import { createForward, type Forward, type ServerAddress } from '../../mcp/forward.ts';
import { itLong } from '../helpers/counts.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { TOKENS } from '../app/users.ts';
import { memoryAfterCollection } from '../helpers/heap.ts';

/** A proxy before the server, which lets each POST pass when `pass` resolves, and answers 502 where that is false. */
interface Between {
  url: string;
  /** Methods of the messages, as they came. */
  seen: string[];
  sockets: Set<Socket>;
  pass(method: string): Promise<boolean>;
  close(): void;
}

let api: McpApi;
let livestreamId: number;
before(async () => {
  api = await startMcpApi('full');
  livestreamId = await seedBroadcast(api.store);
});
after(() => api.close());

async function openBetween(pass: Between['pass'] = () => Promise.resolve(true)): Promise<Between> {
  const between: Omit<Between, 'url' | 'close'> = { seen: [], sockets: new Set(), pass };
  const server: Server = createServer((incoming, outgoing) => {
    const { url = '', headers } = incoming;
    const chunks: Buffer[] = [];
    incoming
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const body = Buffer.concat(chunks);
        const { method } = JSON.parse(body.toString()) as { method: string };
        between.seen.push(method);
        void between.pass(method).then((passes) => {
          if (!passes) return outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<p>Bad Gateway</p>');
          const onward = request(`${api.url}${url}`, { method: 'POST', headers }, (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
          });
          return onward.on('error', () => outgoing.destroy()).end(body);
        });
      });
  });
  server.on('connection', (socket: Socket) => between.sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { ...between, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

type More = Partial<Omit<ServerAddress, 'url'>>;

function forwardTo(url: string, more: More = {}): Forward & { connects: () => number } {
  let connects = 0;
  const connect = async (): Promise<ServerAddress> => {
    connects += 1;
    return { url, token: TOKENS.admin, ...more };
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

const show = (): ToolCall => call('getLivestreamById', { livestreamId });
const start = (more: Partial<ToolCall>): ToolCall =>
  call('start_livestream', { livestream: 'Show', wait_seconds: 60 }, more);
const stop = async (forward: Forward): Promise<void> => {
  const stopped = await forward.call(call('stop_livestream', { livestream: 'Show' }), 'stop');
  assert.equal(stopped.structuredContent?.['status'], 0);
};

it('onair mcp forwards calls, progress, cancellation, resources and refusals', async () => {
  let checks = 0;
  const assertTrusted = async (): Promise<void> => void (checks += 1);
  const forward = forwardTo(api.url, { assertTrusted });
  const params = { name: show().name, arguments: show().args };
  const overHttp = await (await api.post({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params })).text();
  assert.equal(await forward.answerText(show(), 'a'), overHttp);
  assert.deepEqual(
    { ...(JSON.parse(overHttp) as object), result: await forward.call(show(), 1) },
    JSON.parse(overHttp),
  );
  for (let id = 2; id < 12; id += 1) await forward.answerText(show(), id);
  assert.ok(checks >= 1 && checks < 4, `${checks} times for twelve calls: once a connection`);
  const controller = new AbortController();
  const steps: string[] = [];
  const progress: ToolCall['progress'] = (_done, _total, message) => {
    steps.push(message);
    controller.abort();
  };
  await forward.call(start({ progress, signal: controller.signal }), 2);
  assert.deepEqual(steps, ['"Show" is starting.']);
  await stop(forward);
  assert.equal((await forward.read('onair://openapi.json', 4)).uri, 'onair://openapi.json');
  await assert.rejects(forward.read('onair://nothing', 5), /nothing/u);
  const refused = await forward.call(call('getLivestreamById', { livestreamId: 999 }), 6);
  assert.equal(refused.structuredContent?.['code'], 'not_found');
  assert.equal(forward.connects(), 1);
  const stranger = forwardTo(api.url, { token: 'wrong' });
  assert.equal((await stranger.call(show(), 7)).structuredContent?.['code'], 'unauthenticated');
  await stranger.call(show(), 8);
  assert.equal(stranger.connects(), 2, 'a new token is looked for');
});

it('onair mcp sends a cancellation again that was faster than its call', async () => {
  let isHeld = true;
  const between: Between = await openBetween(async (method) => {
    if (method === 'tools/call' && isHeld)
      await until('a cancellation', () => between.seen.includes('notifications/cancelled'));
    return true;
  });
  const forward = forwardTo(between.url);
  const controller = new AbortController();
  const cancelled = forward.call(start({ signal: controller.signal }), 1);
  await until('the call', () => between.seen.length > 0);
  controller.abort();
  await cancelled;
  isHeld = false;
  assert.ok(between.seen.filter((method) => method === 'notifications/cancelled').length > 1, between.seen.join());
  await stop(forward);
  between.close();
});

it('onair mcp waits for the server behind a proxy that finds none, and opens a bounded number of connections', async () => {
  let isAway = true;
  const between = await openBetween(() => Promise.resolve(!isAway));
  const forward = forwardTo(between.url);
  const waiting = forward.call(show(), 1);
  await until('two tries', () => between.seen.length > 1);
  isAway = false;
  assert.equal((await waiting).isError, undefined);
  const many = Array.from({ length: 300 }, (_, id) => forward.call(show(), id));
  assert.ok((await Promise.all(many)).every(({ isError }) => isError === undefined));
  assert.ok(between.sockets.size < 200, `${between.sockets.size} connections`);
  between.close();
});

it('onair mcp gives a call up whose server gives no sign of life, and says so; one that is heard of is waited for', async () => {
  const between = await openBetween((method) => new Promise((resolve) => method === 'resources/read' && resolve(true)));
  const events: string[] = [];
  let giveUp: ((error: Error) => void) | undefined;
  const watchSilence: ServerAddress['watchSilence'] = (given) => {
    giveUp = given;
    events.push('begin');
    return { heard: () => void events.push('heard'), end: () => void events.push('end') };
  };
  const forward = forwardTo(between.url, { watchSilence });
  await forward.read('onair://help', 1).catch(() => undefined);
  assert.deepEqual([...new Set(events)], ['begin', 'heard', 'end']);
  events.length = 0;
  const silent = forward.call(show(), 2);
  await until('the call', () => between.seen.includes('tools/call') && events.includes('begin'));
  giveUp?.(new Error('Nothing came for 10 s.'));
  const { structuredContent: problem } = await silent;
  assert.equal(problem?.['code'], 'unavailable');
  assert.match(String(problem?.['detail']), /silent in the middle of this call.*nobody knows.*same idempotencyKey/u);
  assert.deepEqual([events, between.seen.filter((method) => method === 'tools/call').length], [['begin', 'end'], 1]);
  between.close();
});

const WARM_UP = 5000;
const CALLS = 50_000;

itLong(`a flow of ${CALLS} forwarded calls leaves nothing behind, on either side`, async () => {
  const forward = forwardTo(api.url);
  const run = async (calls: number): Promise<number> => {
    const worker = async (): Promise<void> => {
      for (let made = 0; made < calls / 16; made += 1) {
        const text = await forward.answerText({ ...show(), signal: new AbortController().signal }, made);
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
