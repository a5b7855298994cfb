/** Measures the cost of the MCP API over the SDK itself: CPU a call, and the time until an assistant's initialize is answered. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { cpuPerCall, ROUNDS_NOTE } from './cpu.ts';
import { type Figure, median } from './figures.ts';
import { overHandshake, overStateless, overStdio, serveOverHttp, TOKEN } from './mcp-targets.ts';

const STARTS = 20;

/** `program` is the JavaScript entry of the product (bin/onair.js); its subcommand `mcp` is measured. */
export async function benchMcp({ program }: { program: string }): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  try {
    const bare = await bundleBare(scratch);
    const env = { ...process.env, ONAIR_DATA: join(scratch, 'data'), XDG_CONFIG_HOME: scratch };
    return [
      ...(await callsOverHttp()),
      ...(await callsOverStdio(program, bare, env)),
      await starts(program, bare, env),
    ];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function callsOverHttp(): Promise<Figure[]> {
  const product = await serveOverHttp(['product', TOKEN]);
  const older = await overHandshake(product);
  const bare = await serveOverHttp(['bare', await older.call()]);
  try {
    const cpu = await cpuPerCall({ older, newer: overStateless(product), bare: await overHandshake(bare) });
    const figure = (name: string, micros: number, bar: number): Figure =>
      ratio(`CPU of a call_tool read over HTTP${name} to a bare stateful SDK server`, micros, sum(cpu.bare), bar);
    return [figure('', sum(cpu.older), 0.75), figure(', MCP 2026-07-28,', sum(cpu.newer), Infinity)];
  } finally {
    product.child.disconnect();
    bare.child.disconnect();
  }
}

/** Both halves count: the process that the assistant talks to, and the server that this one calls. */
async function callsOverStdio(program: string, bareProgram: string, env: NodeJS.ProcessEnv): Promise<Figure[]> {
  const server = await serveOverHttp(['product', TOKEN]);
  const result = JSON.stringify(await (await overHandshake(server)).call());
  const client = { ...env, ONAIR_URL: server.url, ONAIR_TOKEN: TOKEN };
  const product = await overStdio([program, 'mcp'], client, [server.child]);
  const bare = await overStdio([bareProgram], { ...env, BENCH_RESULT: result });
  try {
    const cpu = await cpuPerCall({ product, bare });
    const figure = (name: string, micros: number, bar: number): Figure =>
      ratio(`CPU of a call_tool read over stdio${name} to a bare SDK stdio server`, micros, sum(cpu.bare), bar);
    return [figure('', sum(cpu.product), 3.5), figure(', its process alone,', cpu.product[0] ?? Number.NaN, Infinity)];
  } finally {
    for (const { processes } of [product, bare]) processes[0]?.kill();
    server.child.disconnect();
  }
}

function ratio(name: string, micros: number, measure: number, bar: number): Figure {
  const value = micros / measure;
  const note = `${micros.toFixed(0)} µs against ${measure.toFixed(0)} µs; ${ROUNDS_NOTE}`;
  return { name, value, bar: bar === Infinity ? 'no bar' : `≤ ${bar.toFixed(2)}`, met: value <= bar, unit: '×', note };
}

const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

async function starts(program: string, bare: string, env: NodeJS.ProcessEnv): Promise<Figure> {
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
    bar: '≤ 1.30',
    met: value <= 1.3,
    unit: '×',
    note,
  };
}

/** Bundles the server as scripts/build.mjs bundles the product. */
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

/** Answers the milliseconds from spawn to the first line on stdout, which must answer the initialize. */
async function initialize(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const elapsed = performance.now() - startedMs;
  child.stdin.end();
  child.kill();
  await once(child, 'exit');
  if (!line.toString().includes('"serverInfo"'))
    throw new Error(`Not an answer to initialize: ${line.toString().slice(0, 200)}`);
  return elapsed;
}
