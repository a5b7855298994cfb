/**
 * Measures the page with RUNS broadcasts on air: bytes and CPU of the server for a viewer of its feed, how soon a change arrives, and what
 * the page costs a browser. The baseline is a client that asks for all statuses every second.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { TOKENS } from '../test/app/users.ts';
import { bounded, median, percentile95, type Figure } from './figures.ts';
import { browserCosts } from './page/browser-costs.ts';
import type { Order, Wanted } from './page/child.ts';

const RUNS = 200;
const MEASURED_MS = 5000;
const SETTLE_MS = 1500;
const ROUNDS = 3;
const MORE_VIEWERS = 20;
const CHANGES = 40;
const BETWEEN_CHANGES_MS = 120;
const PICTURES_A_SECOND = 40;
const PASSWORD = 'a password of the measurements';

const HEADERS = { authorization: `Bearer ${TOKENS.operator}` };

interface Server {
  child: ChildProcess;
  url: string;
  ids: number[];
}

/** A client of one answer, which it reads and does not keep. */
interface Reader {
  bytes: number;
  onText: (text: string) => void;
  leave(): void;
}

export async function benchPage(): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const child = fork(await bundle(scratch), {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const { port, ids } = await ask<{ port: number; ids: number[] }>(child, {
      runs: RUNS,
      webDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
      scratch,
      password: PASSWORD,
    });
    const origin = `http://127.0.0.1:${port}`;
    const server = { child, url: `${origin}/svcapiv2`, ids };
    const watched = {
      signIn: { origin, username: 'operator', password: PASSWORD },
      runs: RUNS,
      pictures: () => ask<number>(child, 'pictures'),
    };
    return [
      ...(await browserCosts(watched)),
      ...(await costs(server)),
      ...(await delays(server)),
      ...(await pictureCosts(server)),
    ];
  } finally {
    child.disconnect();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function bundle(scratch: string): Promise<string> {
  const outfile = join(scratch, 'page-child.mjs');
  const js =
    "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
  await build({
    entryPoints: [fileURLToPath(new URL('page/child.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js },
    external: ['cpu-features', '*.node'],
    logLevel: 'warning',
  });
  return outfile;
}

async function costs(server: Server): Promise<Figure[]> {
  const rounds: Record<'idle' | 'polled' | 'first' | 'more', number>[] = [];
  let bytes = 0;
  let polledBytes = 0;
  while (rounds.length < ROUNDS) {
    const poller = poll(server);
    const polled = await cpuPerSecond(server, () => poller.bytes);
    poller.leave();
    const idle = await cpuPerSecond(server);
    const viewer = await follow(server);
    const first = await cpuPerSecond(server, () => viewer.bytes);
    const others = await Promise.all(Array.from({ length: MORE_VIEWERS }, () => follow(server)));
    const more = await cpuPerSecond(server);
    for (const reader of [viewer, ...others]) reader.leave();
    bytes = first.bytes;
    polledBytes = polled.bytes;
    rounds.push({ idle: idle.ms, polled: polled.ms, first: first.ms, more: more.ms });
  }
  const of = (cost: (round: (typeof rounds)[number]) => number): number => median(rounds.map(cost));
  const polled = of((round) => round.polled - round.idle);
  const first = of((round) => round.first - round.idle);
  const more = of((round) => (round.more - round.first) / MORE_VIEWERS);
  const how = `${RUNS} Live streams, ${ROUNDS} rounds of ${MEASURED_MS / 1000} s`;
  return [
    bounded(
      'bytes of the feed for a viewer',
      bytes / 1000,
      20,
      'kB/s',
      `a client that polls: ${(polledBytes / 1000).toFixed(0)} kB/s; ${how}`,
    ),
    bounded(
      'CPU of the server for the first viewer',
      first,
      5,
      'ms/s',
      `for one that polls: ${polled.toFixed(1)} ms/s; ${how}`,
    ),
    bounded('CPU of the server for each further viewer', more, 0.3, 'ms/s', `mean of ${MORE_VIEWERS}; ${how}`),
  ];
}

async function delays(server: Server): Promise<Figure[]> {
  const viewer = await follow(server);
  await sleep(SETTLE_MS);
  const figures: Figure[] = [];
  const measure = async (order: Order, needle: string): Promise<number> => {
    const delays: number[] = [];
    while (delays.length < CHANGES) {
      let text = '';
      const arrived = new Promise<number>((resolve) => {
        viewer.onText = (part) => {
          text += part;
          if (/event: status\ndata: .*\n\n/u.test(text) && text.includes(needle))
            resolve(performance.timeOrigin + performance.now());
        };
      });
      const at = await ask<number>(server.child, order);
      delays.push((await arrived) - at);
      await sleep(BETWEEN_CHANGES_MS);
    }
    return percentile95(delays) / 1000;
  };
  const reported = await measure('report', '"state":');
  const committed = await measure('change', '"by":');
  viewer.leave();
  const note = `95th of ${CHANGES}, ${RUNS} Live streams`;
  figures.push(bounded('from a Device’s report of a change until it is in the feed', reported, 0.5, 's', note));
  figures.push(bounded('from the commit of a change until it is in the feed', committed, 0.3, 's', note));
  return figures;
}

async function pictureCosts(server: Server): Promise<Figure[]> {
  const idle = await cpuPerSecond(server);
  const want = server.ids.slice(0, PICTURES_A_SECOND).map((id) => `${id}:320:1`);
  const viewer = await read(`${server.url}/feed/pictures?want=${want.join()}`);
  const { ms, bytes } = await cpuPerSecond(server, () => viewer.bytes);
  viewer.leave();
  const note = `${(bytes / 1000).toFixed(0)} kB/s; without the way from the Device`;
  return [
    bounded(`${PICTURES_A_SECOND} pictures a second in the control plane`, (ms - idle.ms) / 10, 5, '% of a core', note),
  ];
}

/** CPU of the server in ms a second, and what `bytes` counts a second. */
async function cpuPerSecond({ child }: Server, bytes = (): number => 0): Promise<{ ms: number; bytes: number }> {
  await sleep(SETTLE_MS);
  const before = await ask<NodeJS.CpuUsage>(child, 'cpu');
  const [fromMs, fromBytes] = [performance.now(), bytes()];
  await sleep(MEASURED_MS);
  const after = await ask<NodeJS.CpuUsage>(child, 'cpu');
  const seconds = (performance.now() - fromMs) / 1000;
  const micros = after.user + after.system - before.user - before.system;
  return { ms: micros / 1000 / seconds, bytes: (bytes() - fromBytes) / seconds };
}

const follow = ({ url }: Server): Promise<Reader> => read(`${url}/feed`);

function read(url: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: HEADERS, agent: false }, (response: IncomingMessage) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answers ${response.statusCode}`));
      const reader: Reader = { bytes: 0, onText: () => undefined, leave: () => request.destroy() };
      response.on('data', (chunk: Buffer) => {
        reader.bytes += chunk.length;
        reader.onText(chunk.toString());
      });
      // A reader that leaves breaks its own connection.
      response.on('error', () => undefined);
      resolve(reader);
    });
    request.on('error', reject);
  });
}

function poll({ url }: Server): Reader {
  const poller: Reader = { bytes: 0, onText: () => undefined, leave: () => clearInterval(timer) };
  const timer = setInterval(() => {
    get(`${url}/livestreams/status?pageSize=500`, { headers: HEADERS }, (response) => {
      if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}`);
      response.on('data', (chunk: Buffer) => (poller.bytes += chunk.length));
    });
  }, 1000);
  return poller;
}

async function ask<T>(child: ChildProcess, message: Order | Wanted): Promise<T> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [T];
  return answer;
}
