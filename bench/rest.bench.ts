/** What the REST door costs over Hono itself: requests a second and CPU a request, GET of one Live stream over loopback HTTP. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load, Role } from './rest-child.ts';

interface Figure {
  name: string;
  value: number;
  bar: string;
  met: boolean;
  unit: string;
  note?: string;
}

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

export async function benchRest(): Promise<Figure[]> {
  const product = await start(['product', TOKEN]);
  const answer = await fetch(`http://127.0.0.1:${product.port}${PATH}`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  if (!answer.ok) throw new Error(`The product answers ${answer.status}: ${await answer.text()}`);
  const bare = await start(['bare', (await answer.json()) as object]);
  const client = await start(['load']);
  try {
    for (const server of [product, bare]) await measure(client.child, server, WARM_UP);
    const samples: Record<'product' | 'bare', Sample[]> = { product: [], bare: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      samples.product.push(await measure(client.child, product, REQUESTS_A_ROUND));
      samples.bare.push(await measure(client.child, bare, REQUESTS_A_ROUND));
    }
    return figures(samples.product, samples.bare);
  } finally {
    for (const { child } of [product, bare, client]) child.disconnect();
  }
}

function figures(product: Sample[], bare: Sample[]): Figure[] {
  const rate = { product: median(product, 'perSecond'), bare: median(bare, 'perSecond') };
  const cpu = { product: median(product, 'cpuMicros'), bare: median(bare, 'cpuMicros') };
  const figure = (name: string, value: number, note: string): Figure => {
    const rounds = `medians of ${ROUNDS} interleaved rounds, ${PARALLEL} connections`;
    return { name, value, bar: `≥ ${BAR.toFixed(2)}`, met: value >= BAR, unit: '×', note: `${note}; ${rounds}` };
  };
  return [
    figure(
      'requests a second of a REST read to a bare Hono server',
      rate.product / rate.bare,
      `${rate.product.toFixed(0)} against ${rate.bare.toFixed(0)} a second`,
    ),
    figure(
      'CPU of a bare Hono server to that of a REST read',
      cpu.bare / cpu.product,
      `${cpu.bare.toFixed(0)} against ${cpu.product.toFixed(0)} µs a request`,
    ),
  ];
}

interface Started {
  child: ChildProcess;
  port: number;
}

async function start(role: Role): Promise<Started> {
  const child = fork(fileURLToPath(new URL('rest-child.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx', '--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
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

function median(samples: readonly Sample[], field: keyof Sample): number {
  const sorted = samples.map((sample) => sample[field]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
