/** Measures how long a status takes while many Live streams are on air and the encoder of one stands still: a call at a time, as a page asks. */
import { Agent, request } from 'node:http';
import { areOnAir, copyStreams, runners, start } from '../../test/helpers/copies.ts';
import { startService, TOKEN, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { bounded, median, type Figure } from '../figures.ts';

const CALLS = 2_000;
/** A server that has just started is compiled while it answers. */
const WARM_UP_CALLS = 500;
const PAUSE_MS = 5;
/** Streams on air, and the milliseconds that 99 of 100 answers may take. */
const CASES = [
  [50, 10],
  [10, 2],
] as const;

export async function benchStatus(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [count, bar] of CASES) {
    const service = await startService();
    try {
      figures.push(await measured(service, count, bar));
    } finally {
      await service.dispose();
    }
  }
  return figures;
}

async function measured(service: Service, count: number, bar: number): Promise<Figure> {
  const { livestreamIds } = await copyStreams(service, count);
  await start(service, livestreamIds);
  await until('all on air', () => areOnAir(service, livestreamIds), { boundMs: 180_000 });
  const [frozen, other] = livestreamIds as [number, number];
  for (const { pid } of runners(service).get(frozen)!.children) process.kill(pid, 'SIGSTOP');
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (let turn = 0; turn < WARM_UP_CALLS + CALLS; turn += 1) {
    const begun = performance.now();
    await read(agent, `${service.url}/svcapiv2/livestreams/${other}/status`);
    if (turn >= WARM_UP_CALLS) times.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!;
  const note = `median ${median(times).toFixed(2)} ms; one of the streams is frozen`;
  return bounded(`status with ${count} Live streams on air, p99 of ${CALLS} calls`, p99, bar, 'ms', note);
}

/** fetch costs more than the answer. */
function read(agent: Agent, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${TOKEN}` } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status answered ${response.statusCode}`));
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}
