/** What the MCP door costs over the SDK itself: CPU a call, and the time until an assistant's initialize is answered. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Figure, median } from './figures.ts';

const TOKEN = 'onair_bench_token_of_the_mcp_door';
const ROUNDS = 20;
const CALLS_A_ROUND = 320;
const WARM_UP = 1200;
const PARALLEL = 8;
const STARTS = 20;

/** `program` is the JavaScript entry of the product (bin/onair.js); its subcommand `mcp` is measured. */
export async function benchMcp({ program }: { program: string }): Promise<Figure[]> {
  return [await cpuPerCall(), await timeToInitialize(program)];
}

interface Target {
  child: ChildProcess;
  call(): Promise<CallToolResult>;
}

async function cpuPerCall(): Promise<Figure> {
  const product = await open(['product', TOKEN], { authorization: `Bearer ${TOKEN}` });
  const bare = await open(['bare', await product.call()], {});
  try {
    for (const target of [product, bare]) await run(target, WARM_UP);
    const spent: Record<'product' | 'bare', number[]> = { product: [], bare: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      spent.product.push(await run(product, CALLS_A_ROUND));
      spent.bare.push(await run(bare, CALLS_A_ROUND));
    }
    const value = median(spent.product) / median(spent.bare);
    const micros = (kind: 'product' | 'bare'): string => (median(spent[kind]) / CALLS_A_ROUND).toFixed(0);
    const note = `${micros('product')} µs against ${micros('bare')} µs of CPU; medians of ${ROUNDS} interleaved rounds`;
    return {
      name: 'CPU of a call_tool read over HTTP to a bare stateful SDK server',
      value,
      bar: '≤ 1.00',
      met: value <= 1,
      unit: '×',
      note,
    };
  } finally {
    product.child.disconnect();
    bare.child.disconnect();
  }
}

async function open(
  setting: ['product', string] | ['bare', CallToolResult],
  headers: Record<string, string>,
): Promise<Target> {
  const path = fileURLToPath(new URL('mcp-child.ts', import.meta.url));
  const child = fork(path, {
    execArgv: ['--import', 'tsx', '--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(setting);
  const [port] = (await once(child, 'message')) as [number];
  const all: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const post = (method: string, params: object, id: number): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: all,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
  const hello = await post(
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0' } },
    0,
  );
  await hello.text();
  all['mcp-session-id'] = hello.headers.get('mcp-session-id') ?? '';
  let id = 0;
  return {
    child,
    async call() {
      id += 1;
      const response = await post(
        'tools/call',
        { name: 'call_tool', arguments: { operationId: 'getLivestreamById', arguments: { livestreamId: 1 } } },
        id,
      );
      const { result } = (await response.json()) as { result?: CallToolResult };
      if (result === undefined || result.isError) throw new Error(`The call failed: ${JSON.stringify(result)}`);
      return result;
    },
  };
}

/** CPU microseconds that `calls` calls cost the server. */
async function run({ child, call }: Target, calls: number): Promise<number> {
  const before = await cpuOf(child);
  const lane = async (): Promise<void> => {
    for (let done = 0; done < calls / PARALLEL; done += 1) await call();
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  return (await cpuOf(child)) - before;
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return user + system;
}

async function timeToInitialize(program: string): Promise<Figure> {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  try {
    const bare = await bundleBare(scratch);
    const env = { ...process.env, ONAIR_DATA: join(scratch, 'data'), XDG_CONFIG_HOME: scratch };
    const times: Record<'product' | 'bare', number[]> = { product: [], bare: [] };
    await initialize([program, 'mcp'], env);
    await initialize([bare], env);
    for (let start = 0; start < STARTS; start += 1) {
      times.product.push(await initialize([program, 'mcp'], env));
      times.bare.push(await initialize([bare], env));
    }
    const value = median(times.product) / median(times.bare);
    const note = `${median(times.product).toFixed(0)} ms against ${median(times.bare).toFixed(0)} ms; medians of ${STARTS} interleaved starts`;
    return {
      name: 'spawn of `onair mcp` to answered initialize to a bare SDK stdio server',
      value,
      bar: '≤ 1.25',
      met: value <= 1.25,
      unit: '×',
      note,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** As scripts/build.mjs bundles the product. */
async function bundleBare(scratch: string): Promise<string> {
  const outfile = join(scratch, 'bare.mjs');
  const banner =
    "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
  const shape = {
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
  } as const;
  await build({
    entryPoints: [fileURLToPath(new URL('bare-stdio.ts', import.meta.url))],
    outfile,
    ...shape,
    banner: { js: banner },
    logLevel: 'warning',
  });
  return outfile;
}

/** Milliseconds from spawn to the first line on stdout, which must answer the initialize. */
async function initialize(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const elapsed = performance.now() - begun;
  child.stdin.end();
  child.kill();
  await once(child, 'exit');
  if (!line.toString().includes('"serverInfo"'))
    throw new Error(`Not an answer to initialize: ${line.toString().slice(0, 200)}`);
  return elapsed;
}
