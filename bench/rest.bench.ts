/** What the REST door costs over Hono itself: requests a second and CPU a request, GET of one Live stream over loopback HTTP. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Load, Role } from './rest-child.ts';
import { type Figure, median } from './figures.ts';

const TOKEN = 'onair_bench_token_of_the_rest_door';
const PATH = '/svcapiv2/livestreams/1';
const PARALLEL = 16;
const ROUNDS = 9;
const REQUESTS_A_ROUND = 6400;
const WARM_UP = 16_000;
/** Token look-up, user look-up, schema in and out, present and serialise: as much again as the HTTP around them. */
const BAR = 0.5;

interface Sample {
  perSecond: number;
  cpuMicros: number;
}
type Round = Record<'product' | 'bare', Sample>;

export async function benchRest(): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const program = await bundle(scratch);
  const product = await start(program, ['product', TOKEN]);
  const answer = await fetch(`http://127.0.0.1:${product.port}${PATH}`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  if (!answer.ok) throw new Error(`The product answers ${answer.status}: ${await answer.text()}`);
  const bare = await start(program, ['bare', (await answer.json()) as object]);
  const client = await start(program, ['load']);
  try {
    for (const server of [product, bare]) await measure(client.child, server, WARM_UP);
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS) {
      rounds.push({
        product: await measure(client.child, product, REQUESTS_A_ROUND),
        bare: await measure(client.child, bare, REQUESTS_A_ROUND),
      });
    }
    return figures(rounds);
  } finally {
    for (const { child } of [product, bare, client]) child.disconnect();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** As the product is shipped: a loader that keeps function names costs the closures of a call more than they do. */
async function bundle(scratch: string): Promise<string> {
  const outfile = join(scratch, 'rest-child.mjs');
  const banner =
    "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
  await build({
    entryPoints: [fileURLToPath(new URL('rest-child.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: banner },
    logLevel: 'warning',
  });
  return outfile;
}

/** Ratios of neighbours in time: what else the machine does weighs on both. */
function figures(rounds: readonly Round[]): Figure[] {
  const figure = (name: string, ratio: (round: Round) => number, note: string): Figure => {
    const value = median(rounds.map(ratio));
    const how = `medians of ${ROUNDS} interleaved rounds, ${PARALLEL} connections`;
    return { name, value, bar: `≥ ${BAR.toFixed(2)}`, met: value >= BAR, unit: '×', note: `${note}; ${how}` };
  };
  const of = (kind: keyof Round, field: keyof Sample): string =>
    median(rounds.map((round) => round[kind][field])).toFixed(0);
  return [
    figure(
      'requests a second of a REST read to a bare Hono server',
      ({ product, bare }) => product.perSecond / bare.perSecond,
      `${of('product', 'perSecond')} against ${of('bare', 'perSecond')} a second`,
    ),
    figure(
      'CPU of a bare Hono server to that of a REST read',
      ({ product, bare }) => bare.cpuMicros / product.cpuMicros,
      `${of('bare', 'cpuMicros')} against ${of('product', 'cpuMicros')} µs a request`,
    ),
  ];
}

interface Started {
  child: ChildProcess;
  port: number;
}

async function start(program: string, role: Role): Promise<Started> {
  const child = fork(program, { execArgv: ['--no-warnings'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return { child, port: await ask<number>(child, role) };
}

async function measure(client: ChildProcess, server: Started, requests: number): Promise<Sample> {
  const before = await ask<NodeJS.CpuUsage>(server.child, 'cpu');
  const wanted: Load = { port: server.port, path: PATH, token: TOKEN, requests, parallel: PARALLEL };
  const seconds = await ask<number>(client, wanted);
  const after = await ask<NodeJS.CpuUsage>(server.child, 'cpu');
  return {
    perSecond: requests / seconds,
    cpuMicros: (after.user + after.system - before.user - before.system) / requests,
  };
}

/** Sends and awaits the one answer; a child that dies instead is an error and not a wait for ever. */
async function ask<T>(child: ChildProcess, message: Role | Load | string): Promise<T> {
  const done = new AbortController();
  const gone = once(child, 'exit', { signal: done.signal }).then(([code]: unknown[]) => {
    throw new Error(`A process of the bench ended with ${String(code)}`);
  });
  child.send(message);
  try {
    const [answer] = (await Promise.race([once(child, 'message', { signal: done.signal }), gone])) as [T];
    return answer;
  } finally {
    gone.catch(() => undefined);
    done.abort();
  }
}
