/** Measures the cost of the REST API over Hono itself: requests a second and CPU a request over loopback HTTP. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Load, Role } from './rest-child.ts';
import { bounded, type Figure, median, percentile95 } from './figures.ts';

const TOKEN = 'onair_bench_token_of_the_rest_api';
const PARALLEL = 16;
const ROUNDS = 9;
const WARM_UP_ROUNDS = 2.5;
/** A call looks up token and user, checks input and output, presents and serialises: as much work again as the HTTP around it. */
const BAR = 0.5;
const STATUS_ROWS = 200;
const STATUS_CALLS = 200;

interface Sample {
  perSecond: number;
  cpuMicros: number;
}
type Round = Record<'product' | 'bare', Sample>;

/** One thing to read: its path, the requests a round, and the words of its figure. */
interface Reading {
  path: string;
  requests: number;
  name: string;
  against: string;
}

const ONE: Reading = {
  path: '/svcapiv2/livestreams/1',
  requests: 6400,
  name: 'a REST read',
  against: 'a bare Hono server',
};
const PAGE: Reading = {
  path: '/svcapiv2/livestreams?pageSize=50&enabled=true&channelId=7&sort=-created_at',
  requests: 3200,
  name: 'a 50-row page of 10,000 Live streams, filtered and sorted',
  against: 'the same page, static, from a bare Hono server',
};

export async function benchRest(): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const program = await bundle(scratch);
  const client = await start(program, ['load']);
  try {
    const one = await compare(program, client, ONE, ['product', TOKEN], (answer) => [
      'bare',
      JSON.parse(answer) as object,
    ]);
    const page = await compare(program, client, PAGE, ['filled', TOKEN], (answer) => [
      'bare',
      JSON.parse(answer) as object,
    ]);
    return [...one, ...page, await statusFigure(program)];
  } finally {
    client.child.disconnect();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function compare(
  program: string,
  client: Started,
  reading: Reading,
  ours: Role,
  theirs: (answer: string) => Role,
): Promise<Figure[]> {
  const product = await start(program, ours);
  let bare: Started | undefined;
  try {
    bare = await start(program, theirs(await answerOf(product, reading)));
    for (const server of [product, bare])
      await measure(client.child, server, reading, reading.requests * WARM_UP_ROUNDS);
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS) {
      rounds.push({
        product: await measure(client.child, product, reading, reading.requests),
        bare: await measure(client.child, bare, reading, reading.requests),
      });
    }
    return figures(reading, rounds);
  } finally {
    product.child.disconnect();
    bare?.child.disconnect();
  }
}

/** The wall of a control room: each request alone, as one page asks. */
async function statusFigure(program: string): Promise<Figure> {
  const product = await start(program, ['filled', TOKEN]);
  try {
    const reading = { path: `/svcapiv2/livestreams/status?pageSize=${STATUS_ROWS}` };
    const times: number[] = [];
    for (let turn = 0; turn < 2 * STATUS_CALLS; turn += 1) {
      const begun = performance.now();
      const { rows } = JSON.parse(await answerOf(product, reading)) as { rows: unknown[] };
      if (rows.length !== STATUS_ROWS) throw new Error(`${rows.length} rows`);
      // The first half warms up.
      if (turn >= STATUS_CALLS) times.push(performance.now() - begun);
    }
    const name = `getLivestreamsStatus of ${STATUS_ROWS} Live streams over HTTP, read and parsed`;
    return bounded(name, median(times), 5, 'ms', `p95 ${percentile95(times).toFixed(1)} ms, ${STATUS_CALLS} calls`);
  } finally {
    product.child.disconnect();
  }
}

async function answerOf({ port }: Started, { path }: Pick<Reading, 'path'>): Promise<string> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The product answers ${answer.status}: ${text}`);
  return text;
}

/** Bundles the server as the product is shipped: a loader that keeps function names costs more than the closures of a call themselves. */
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
    // scripts/build.mjs leaves the native parts of ssh2 out too.
    external: ['cpu-features', '*.node'],
    logLevel: 'warning',
  });
  return outfile;
}

/** Each ratio is of neighbours in time: whatever else the machine does weighs on both. */
function figures({ name: read, against }: Reading, rounds: readonly Round[]): Figure[] {
  const figure = (name: string, ratio: (round: Round) => number, note: string): Figure => {
    const value = median(rounds.map(ratio));
    const how = `medians of ${ROUNDS} interleaved rounds, ${PARALLEL} connections`;
    return { name, value, bar: `≥ ${BAR.toFixed(2)}`, met: value >= BAR, unit: '×', note: `${note}; ${how}` };
  };
  const of = (kind: keyof Round, field: keyof Sample): string =>
    median(rounds.map((round) => round[kind][field])).toFixed(0);
  return [
    figure(
      `requests a second of ${read} to ${against}`,
      ({ product, bare }) => product.perSecond / bare.perSecond,
      `${of('product', 'perSecond')} against ${of('bare', 'perSecond')} a second`,
    ),
    figure(
      `CPU of ${against} to that of ${read}`,
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
  return { child, port: await request<number>(child, role) };
}

async function measure(client: ChildProcess, server: Started, { path }: Reading, requests: number): Promise<Sample> {
  const before = await request<NodeJS.CpuUsage>(server.child, 'cpu');
  const load: Load = { port: server.port, path, token: TOKEN, requests, parallel: PARALLEL };
  const seconds = await request<number>(client, load);
  const after = await request<NodeJS.CpuUsage>(server.child, 'cpu');
  return {
    perSecond: requests / seconds,
    cpuMicros: (after.user + after.system - before.user - before.system) / requests,
  };
}

/** Sends a message and awaits the one reply; a child that dies instead is an error and not a wait for ever. */
async function request<T>(child: ChildProcess, message: Role | Load | string): Promise<T> {
  const done = new AbortController();
  const exit = once(child, 'exit', { signal: done.signal }).then(([code]: unknown[]) => {
    throw new Error(`A process of the benchmark ended with ${String(code)}`);
  });
  child.send(message);
  try {
    const [answer] = (await Promise.race([once(child, 'message', { signal: done.signal }), exit])) as [T];
    return answer;
  } finally {
    // The wait for the end of the process is given up here, which rejects it once more.
    exit.catch(() => undefined);
    done.abort();
  }
}
