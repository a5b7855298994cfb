/** A process of simulated Devices; it does what messages.ts says, and ends with its parent. */
import { join } from 'node:path';
import { openLine, type Line } from '../../test/helpers/line.ts';
import { seededRandom } from '../../test/helpers/random.ts';
import type { Counted, News, Opening, Order } from './messages.ts';
import { openSimulatedDevice, type SimulatedDevice } from './simulated-device.ts';

/** A server takes so many at a time, as in a rack that is switched on. */
const JOINS_AT_ONCE = 8;

interface Here {
  device: SimulatedDevice;
  deviceId: number;
  /** Its lines to the servers, where it may fall silent. */
  lines: Line[];
}

const here = new Map<number, Here>();
const marks: string[] = [];
let random: () => number = Math.random;
let reporting: NodeJS.Timeout[] = [];

const tell = (news: News): void => void (process.connected && process.send!(news));

async function openAll(order: Opening): Promise<void> {
  random = seededRandom(order.seed);
  const waiting = [...order.devices];
  const openNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await openOne(next, order);
  };
  await Promise.all(Array.from({ length: JOINS_AT_ONCE }, openNext));
}

async function openOne(device: number, { dir, ports, frail, tokens }: Opening): Promise<void> {
  const lines = frail.includes(device) ? await Promise.all(ports.map((port) => openLine(port))) : [];
  const own = lines.length > 0 ? lines.map(({ port }) => port) : ports;
  await new Promise<void>((joined) => {
    const opening = openSimulatedDevice({
      dir: join(dir, `device-${device}`),
      addresses: own.map((port) => `127.0.0.1:${port}`),
      token: tokens[device % tokens.length]!,
      random,
      onJoined: (deviceId) =>
        void opening.then((opened) => {
          here.set(device, { device: opened, deviceId, lines });
          tell({ type: 'joined', device, deviceId });
          joined();
        }),
      onConnection: (address) => {
        const at = own.indexOf(Number(address?.split(':')[1]));
        tell({ type: 'connection', device, port: ports[at] ?? null, at: Date.now() });
      },
      onRefused: (why) => tell({ type: 'refused', device, why }),
    });
  });
}

/** One event of one of its runs. A Device without a run on air has nothing to tell. */
function report(device: number, number: number): void {
  const { encoders, runs } = here.get(device)!.device;
  const onAir = runs.onAirIds;
  const runId = onAir[number % onAir.length];
  if (runId === undefined) return;
  const mark = `${device} ${marks.length}`;
  marks.push(mark);
  const message = 'The Destination has hung up and is tried again.';
  encoders.emit(runId, 'destination_retrying', message, 'warning', { mark });
}

function reportEvery(everyMs: number): void {
  for (const timer of reporting) clearInterval(timer);
  reporting = [];
  if (everyMs === 0) return;
  for (const device of here.keys()) {
    const begin = setTimeout(() => {
      report(device, 0);
      reporting.push(setInterval(() => report(device, Math.floor(random() * 10)), everyMs));
    }, random() * everyMs);
    reporting.push(begin);
  }
}

function count(): Counted {
  const counted: Counted = { runs: [], starts: 0, stops: 0, reports: 0, events: marks.length };
  for (const { device, deviceId } of here.values()) {
    for (const { runId, livestreamId, phase } of device.runs.reports)
      if (phase === 'running') counted.runs.push({ runId, livestreamId, deviceId });
    for (const { method } of device.encoders.calls) {
      if (method === 'start') counted.starts += 1;
      if (method === 'stop') counted.stops += 1;
    }
    counted.reports += device.runs.made;
  }
  return counted;
}

async function obey(order: Order): Promise<void> {
  if (order.type === 'open') return openAll(order);
  if (order.type === 'events') return reportEvery(order.everyMs);
  if (order.type === 'storm') {
    for (let number = 0; number < order.events; number += 1) for (const device of here.keys()) report(device, number);
    return tell({ type: 'stormed', at: Date.now() });
  }
  if (order.type === 'silence') for (const line of here.get(order.device)!.lines) line.stall();
  if (order.type === 'mend') for (const line of here.get(order.device)!.lines) line.mend();
  if (order.type === 'count') return tell({ type: 'counted', ...count() });
  if (order.type === 'mark') return tell({ type: 'marked', marks });
  if (order.type === 'close') {
    reportEvery(0);
    await Promise.all([...here.values()].map(({ device }) => device.close()));
    for (const { lines } of here.values()) for (const line of lines) line.close();
    process.exit(0);
  }
}

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit(0));
