/** The servers that the MCP benchmarks compare, and one read through each of them. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Target } from './cpu.ts';

export const TOKEN = 'onair_bench_token_of_the_mcp_api';
const READ = {
  name: 'call_tool',
  arguments: { operationId: 'getLivestreamById', arguments: { livestreamId: 1 } },
};
const GREETING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0' } };
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** The process answers any message with the CPU that it has spent, and ends as it would without this. */
const PROBE =
  'data:text/javascript,process.on("message",()=>process.send(process.cpuUsage()));process.channel?.unref()';

export interface Served {
  child: ChildProcess;
  url: string;
  /** The bare server gets none: it would only have to read them. */
  credentials: Record<string, string>;
}

export async function serveOverHttp(setting: ['product', string] | ['bare', CallToolResult]): Promise<Served> {
  const path = fileURLToPath(new URL('mcp-child.ts', import.meta.url));
  const child = fork(path, {
    execArgv: ['--import', 'tsx', '--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(setting);
  const [port] = (await once(child, 'message')) as [number];
  const credentials: Served['credentials'] = setting[0] === 'product' ? { authorization: `Bearer ${TOKEN}` } : {};
  return { child, url: `http://127.0.0.1:${port}`, credentials };
}

interface HttpTarget extends Target {
  call(): Promise<CallToolResult>;
}

/** Calls as a client of the older generation does, which has initialized a session. */
export async function overHandshake(served: Served): Promise<HttpTarget> {
  const hello = await post(served, {}, { method: 'initialize', params: GREETING });
  await hello.text();
  const sessionId = hello.headers.get('mcp-session-id') ?? '';
  return httpTarget(served, { 'mcp-session-id': sessionId }, READ);
}

export function overStateless(served: Served): HttpTarget {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': READ.name };
  return httpTarget(served, headers, { ...READ, _meta: MODERN });
}

function httpTarget(served: Served, headers: Record<string, string>, params: object): HttpTarget {
  return {
    processes: [served.child],
    async call() {
      const response = await post(served, headers, { method: 'tools/call', params });
      return resultOf(await response.json());
    },
  };
}

let lastId = 0;

function post({ url, credentials }: Served, headers: Record<string, string>, request: object): Promise<Response> {
  lastId += 1;
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...credentials,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: lastId, ...request }),
  });
}

/** Calls a process that speaks MCP on stdin and stdout. `servers` are the other processes that its calls keep busy. */
export async function overStdio(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  servers: readonly ChildProcess[] = [],
): Promise<Target> {
  const child = spawn(process.execPath, ['--import', PROBE, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
  });
  const waiting = new Map<number, (reply: unknown) => void>();
  readLines(child, (line) => {
    const reply = JSON.parse(line) as { id: number };
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  const send = (message: object): void =>
    void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      send({ id: lastId, method, params });
    });
  await request('initialize', GREETING);
  send({ method: 'notifications/initialized' });
  return { processes: [child, ...servers], call: async () => resultOf(await request('tools/call', READ)) };
}

function readLines(child: ChildProcess, take: (line: string) => void): void {
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}

function resultOf(reply: unknown): CallToolResult {
  const { result } = reply as { result?: CallToolResult };
  if (result === undefined || result.isError) throw new Error(`The call failed: ${JSON.stringify(reply)}`);
  return result;
}
