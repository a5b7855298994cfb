/**
 * `npm run losses` loses the Device of a broadcast that moves, again and again and in each way, and prints what its receivers saw: whether two
 * encoders ever delivered to one of them, and for how long none did. `--count=10` is how often in each way, `--kinds=power,cut` which; with
 * `--write` the table goes into docs/figures.md. It needs root, for the boot id of a machine is a mount of its own.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/helpers/until.ts';
import { spread, tableOf, writeFigures } from '../document.ts';
import { isWhole, LOSSES, type Loss } from './losses.ts';
import { openScene, PICTURES, type Scene } from './scene.ts';

const optionOf = (name: string): string | undefined =>
  new RegExp(`^--${name}=(\\S+)$`, 'mu').exec(process.argv.join('\n'))?.[1];
const count = Number(optionOf('count') ?? 10);
const words = optionOf('kinds')?.split(',');

interface Found {
  hasMoved: boolean;
  /** For each receiver. */
  twoAtOnceMs: Record<string, number>;
  silentMs: Record<string, number>;
  /** Pictures of the broadcast that stays on the machine; undefined where that was off air itself. */
  missing: number | undefined;
  wholeMs: number;
}

async function once(
  { machines, receivers, stays, present, moves, service }: Scene,
  loss: Loss,
  round: number,
): Promise<Found> {
  await isWhole(machines, present);
  const machine = await present();
  const stay = stays[machines.indexOf(machine)]!;
  const before = await moves();
  // A decoder begins with a keyframe, of which there is one a second.
  stay.forget();
  await sleep(2500);
  for (const { senders } of receivers) senders.forget();
  await loss.begin(machine, round);
  const harmedAt = performance.now();
  if (loss.moves) await until('it has moved', async () => (await moves()) > before);
  await until('all receive', () => receivers.every(({ senders }) => senders.hasSince(harmedAt)));
  const missed = loss.staysOnAir ? await stay.missed(join(service.scratch, 'stay.ts'), PICTURES) : undefined;
  await loss.end(machine);
  const wholeMs = await isWhole(machines, present);
  await until('all receive', () => receivers.every(({ senders }) => senders.hasSince(performance.now() - 1000)));
  const heard = receivers.map(({ name, senders }) => [name, senders.heard] as const);
  return {
    hasMoved: (await moves()) > before,
    twoAtOnceMs: Object.fromEntries(heard.map(([name, { twoAtOnceMs }]) => [name, twoAtOnceMs])),
    silentMs: Object.fromEntries(heard.map(([name, { silentMs }]) => [name, silentMs])),
    missing: missed?.missing,
    wholeMs,
  };
}

const seconds = (values: readonly number[]): string =>
  spread(
    values.map((ms) => ms / 1000),
    1,
  );
/** 95 of a hundred are no more than this. */
const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!;

function rowOf({ name }: Loss, found: readonly Found[]): string[] {
  const moved = found.filter(({ hasMoved }) => hasMoved);
  const two = Math.max(...found.flatMap(({ twoAtOnceMs }) => Object.values(twoAtOnceMs)));
  const silent = (receiver: string): number[] => found.map(({ silentMs }) => silentMs[receiver]!);
  const missing = found.flatMap(({ missing }) => missing ?? []);
  return [
    name,
    `${found.length}, ${moved.length} moved`,
    two.toFixed(0),
    ...['RTMP', 'UDP', 'SRT'].map(
      (receiver) => `${seconds(silent(receiver))}; ${(p95(silent(receiver)) / 1000).toFixed(1)}`,
    ),
    seconds(silent('HLS')),
    missing.length === 0 ? '–' : String(Math.max(...missing)),
    seconds(found.map(({ wholeMs }) => wholeMs)),
  ];
}

const scene = await openScene();
const rows: string[][] = [];
try {
  for (const loss of LOSSES.filter(({ word }) => words?.includes(word) ?? true)) {
    const found: Found[] = [];
    for (let round = 0; round < count; round += 1) {
      const one = await once(scene, loss, round);
      process.stderr.write(`${loss.word} ${round + 1} of ${count}: ${JSON.stringify(one)}\n`);
      found.push(one);
    }
    rows.push(rowOf(loss, found));
  }
} finally {
  await scene.dispose();
}
const heads = [
  'Loss',
  'Times',
  'Two at once, most, ms',
  'Nothing by RTMP, s; p95',
  'by UDP',
  'by SRT',
  'No segment put, s',
  'Pictures missing of what stays, most',
  'As ordered again after, s',
];
const text = tableOf(heads, rows);
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write')) await writeFigures('losses', text);
