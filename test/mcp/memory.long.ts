/**
 * Thousands of calls of all kinds leave nothing behind: what is in use after them, garbage collected, is what was in use after the first
 * few thousand. Refused changes are not among them, for each leaves an entry in the audit, which is kept and is meant to grow; of
 * those that a few wrong names and frames leave, there are too few to be seen.
 */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { smallBroadcast } from '../helpers/broadcast.ts';
import { countOf } from '../helpers/counts.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { createRandom, type Random } from './hostile/random.ts';
import { createSender, crowd, type Sender, type Shot } from './hostile/sender.ts';
import { until } from '../helpers/until.ts';

const SEED = Number(process.env['ONAIR_HOSTILE_SEED'] ?? 20_261_121);
const WARM_UP = countOf(1500, 5000);
const CALLS = countOf(5000, 50_000);
const BOUND = 1.3;
/** One of so many hangs up before its answer. */
const CUT = 40;
const PROBE = fileURLToPath(new URL('../helpers/heap-probe.mjs', import.meta.url));

let service: Service;
let sender: Sender;
let livestreamId: number;
before(async () => {
  service = await startService({ ONAIR_RATE_LIMIT: '0', NODE_OPTIONS: `--expose-gc --import ${PROBE}` });
  const nowhere = { type: 'Stream', settings: { url: 'http://127.0.0.1:9/never.m3u8' } };
  ({ livestreamId } = await smallBroadcast(service, [], nowhere));
  sender = createSender(service.url);
});
after(async () => {
  sender?.close();
  await service?.dispose();
});

const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'many', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Each kind, and what its answer must show. */
function calls(random: Random): () => { shot: Shot; shows: RegExp } {
  let id = 0;
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (kind: string, method: string, params: object, more = {}): Shot => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params });
    return { kind, method: 'POST', path: '/mcp', body, headers: { ...headers, ...more } };
  };
  const modern = (method: string, params: object, name?: string): Shot =>
    post(
      `${method}, 2026`,
      method,
      { ...params, _meta: ABOUT },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name && { 'mcp-name': name }) },
    );
  const one = { livestreamId };
  const kinds: readonly (readonly [number, () => Shot, RegExp])[] = [
    [
      30,
      () =>
        post('call_tool', 'tools/call', {
          name: 'call_tool',
          arguments: { operationId: 'getLivestreamById', arguments: one },
        }),
      /"Show/u,
    ],
    [
      10,
      () => post('a workflow', 'tools/call', { name: 'get_livestream_status', arguments: { livestream: 'Show' } }),
      /structuredContent/u,
    ],
    [8, () => post('a list', 'tools/list', {}), /search_tools/u],
    [
      6,
      () => post('a refusal', 'tools/call', { name: 'getAllChannels', arguments: { colour: `${id}` } }),
      /unknown_field/u,
    ],
    [5, () => post('an unknown name', 'tools/call', { name: `nothing${id}`, arguments: {} }), /unknown_operation/u],
    [
      5,
      () => post('a search', 'tools/call', { name: 'search_tools', arguments: { query: `list channels ${id}` } }),
      /getAllChannels/u,
    ],
    [
      5,
      () => post('a stream', 'tools/call', { name: 'getAllChannels', arguments: {}, _meta: { progressToken: id } }),
      /^event: message/u,
    ],
    [
      4,
      () =>
        post('a greeting', 'initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: `c${id}`, version: '0' },
        }),
      /serverInfo/u,
    ],
    [3, () => post('a prompt', 'prompts/list', {}), /prompts/u],
    [3, () => post('a frame', 'tools/call', { name: 5 }), /-32602/u],
    [2, () => ({ ...post('no JSON', 'ping', {}), body: `{"id":${id}` }), /-32700/u],
    [2, () => post('a stranger', 'ping', {}, { authorization: `Bearer stranger${id}` }), /unauthenticated/u],
    [8, () => modern('tools/call', { name: 'getLivestreamById', arguments: one }, 'getLivestreamById'), /"Show/u],
    [3, () => modern('tools/list', {}), /search_tools/u],
    [6, () => ({ kind: 'REST', method: 'GET', path: `/svcapiv2/livestreams/${livestreamId}`, headers }), /"Show/u],
  ];
  const total = kinds.reduce((sum, [share]) => sum + share, 0);
  return () => {
    let at = random.below(total);
    const [, make, shows] = kinds.find(([share]) => (at -= share) < 0)!;
    return { shot: make(), shows };
  };
}

async function run(next: () => { shot: Shot; shows: RegExp }, count: number): Promise<void> {
  const wrong = new Map<string, string>();
  await crowd(Array.from({ length: count }).keys(), 16, async (at) => {
    const { shot, shows } = next();
    if (at % CUT === 0) return sender.cut(shot, at % 7);
    const { text } = await sender.send(shot);
    if (!shows.test(text)) wrong.set(shot.kind, text.slice(0, 300));
  });
  assert.deepEqual([...wrong], []);
}

interface Memory {
  rss: number;
  heapUsed: number;
  external: number;
}

async function memory(): Promise<Memory> {
  const messagesOf = (): string[] => service.output().match(/^memory .*$/gmu) ?? [];
  const before = messagesOf().length;
  process.kill(service.pid, 'SIGUSR2');
  await until('what is in use', () => messagesOf().length > before);
  return JSON.parse(messagesOf().at(-1)!.slice('memory '.length)) as Memory;
}

it(`the memory of the service is flat over ${CALLS} calls (seed ${SEED})`, async () => {
  const next = calls(createRandom(SEED));
  await run(next, WARM_UP);
  const first = await memory();
  const begunMs = performance.now();
  await run(next, CALLS - WARM_UP);
  const seconds = (performance.now() - begunMs) / 1000;
  const last = await memory();
  const inUse = ({ heapUsed, external }: Memory): number => heapUsed + external;
  const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1);
  const ratio = inUse(last) / inUse(first);
  console.log(
    `in use ${megabytes(inUse(first))} MB, then ${megabytes(inUse(last))} MB (${ratio.toFixed(3)} ×); resident ${megabytes(first.rss)} MB, then ${megabytes(last.rss)} MB (${(last.rss / first.rss).toFixed(3)} ×); ${CALLS - WARM_UP} calls in ${seconds.toFixed(0)} s`,
  );
  assert.ok(ratio <= BOUND, `in use: ${ratio.toFixed(3)} ×`);
  assert.ok(last.rss / first.rss <= BOUND, `resident: ${(last.rss / first.rss).toFixed(3)} ×`);
});
