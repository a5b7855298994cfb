/**
 * `npm run sim` puts real servers on a real PostgreSQL under a large fleet, of which the encoders alone are simulated, harms it for some minutes,
 * and says what it found beside its bars. It ends with 1 when something was lost or done twice, and never for a time.
 * `--devices=100 --livestreams=1000 --members=3 --minutes=3 --seed=4711` are the defaults on a machine of two cores; the full size is 1000 Devices
 * with 10000 Live streams for ten minutes. `--write` puts it into docs/figures.md, `--profile=<folder>` leaves logs and profiles of the servers there.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { hasPart, writeFigures } from '../document.ts';
import { simulate, type Size } from './simulation.ts';
import { textOf } from './table.ts';

const SMALL = { devices: 100, livestreams: 1000, minutes: 3 };
const FULL = { devices: 1000, livestreams: 10_000, minutes: 10 };
/** With fewer cores the Devices take the processor from the servers that are measured. */
const CORES_FOR_FULL = 8;
const PROCESSES = 2;
const MAX_DEVICES_A_PROCESS = 250;

function sizeOf(words: readonly string[]): Size & { isWritten: boolean } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...words],
    options: {
      devices: text,
      livestreams: text,
      members: text,
      minutes: text,
      seed: text,
      profile: text,
      write: { type: 'boolean', default: false },
    },
  });
  const usual = availableParallelism() >= CORES_FOR_FULL ? FULL : SMALL;
  const numberOf = (given: string | undefined, otherwise: number): number => {
    const number = Number(given ?? otherwise);
    if (!(number > 0)) throw new Error(`${given} is no number above 0.`);
    return number;
  };
  const devices = numberOf(values.devices, usual.devices);
  return {
    devices,
    livestreams: numberOf(values.livestreams, usual.livestreams),
    members: numberOf(values.members, 3),
    minutes: numberOf(values.minutes, usual.minutes),
    seed: numberOf(values.seed, 4_711),
    devicesPerProcess: Math.min(MAX_DEVICES_A_PROCESS, Math.ceil(devices / PROCESSES)),
    callsPerSecond: 20,
    profileDir: values.profile,
    isWritten: values.write,
  };
}

const tasks: (() => unknown)[] = [];
const owner = { after: (task: () => unknown): void => void tasks.push(task) };
let ending: Promise<void> | undefined;
const end = (): Promise<void> =>
  (ending ??= (async () => {
    for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) await task();
  })());
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void end().then(() => process.exit(130)));
const beganAt = performance.now();
const say = (text: string): void =>
  void process.stderr.write(`${((performance.now() - beganAt) / 1000).toFixed(0).padStart(5)} s  ${text}\n`);
try {
  const { isWritten, ...size } = sizeOf(process.argv.slice(2));
  if (isWritten && !hasPart('sim')) throw new Error('docs/figures.md has no part sim.');
  const measured = await simulate(owner, size, say);
  const text = textOf(measured);
  process.stdout.write(`${text}\n`);
  if (isWritten) await writeFigures('sim', text);
  const broken = measured.checked.filter(({ holds }) => !holds);
  for (const { what, found } of broken) process.stderr.write(`sim: not true: ${what} (${found})\n`);
  if (broken.length > 0) {
    process.exitCode = 1;
    for (const message of measured.scene.servers.messages) process.stderr.write(`sim: in their logs: ${message}\n`);
  }
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`sim: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
} finally {
  await end();
}
