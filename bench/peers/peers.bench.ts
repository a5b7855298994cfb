/** The same work by onair and by what else is installed. A peer that does not offer a kind of work has no figure for it. */
import { spawnSync } from 'node:child_process';
import { spread } from '../document.ts';
import { median, type Figure } from '../figures.ts';
import type { TestScope } from '../../test/helpers/clean-up.ts';
import { alone, ours, plain, throughRelay, type Measure } from '../media/relays.ts';
import { AFTER_SECONDS, nginxCarrier, ourCarrier, plainCarrier, silenceOf, type Carrier } from './death.ts';
import { nginxIdle, oursIdle } from './idle.ts';
import { nginxVersion, startNginx } from './nginx.ts';

const ROUNDS = 3;

interface Row {
  name: string;
  unit: string;
  digits: number;
}

/** Each answers the values of its rows, in their order. */
interface Work {
  rows: readonly Row[];
  by: Partial<Record<string, () => Promise<readonly number[]>>>;
}

const OURS = 'onair';
const FFMPEG = 'ffmpeg';
const NGINX = 'nginx-rtmp';

const nginxRelay: Measure = (t, dir) =>
  throughRelay(t, dir, async (relayTo) => {
    const nginx = await startNginx(dir, { work: `push rtmp://127.0.0.1:${relayTo}/live;` });
    t.after(() => nginx.end());
    return nginx.port;
  });

const delayOf = (measure: Measure, copies: boolean) => async (): Promise<number[]> => [
  median(await alone(measure, copies)),
];

const idle = (task: typeof oursIdle) => async (): Promise<number[]> => {
  const { readySeconds, percent, megabytes } = await task();
  return [readySeconds, percent, megabytes];
};

const silence = (carry: (t: TestScope, dir: string, target: number) => Promise<Carrier>) => (): Promise<number[]> =>
  alone(async (t, dir) => [await silenceOf(t, dir, carry)], true);

const WORK: readonly Work[] = [
  {
    rows: [{ name: 'RTMP in to RTMP out, copied: delay', unit: 'ms', digits: 0 }],
    by: { [OURS]: delayOf(ours, true), [FFMPEG]: delayOf(plain, true), [NGINX]: delayOf(nginxRelay, true) },
  },
  {
    rows: [{ name: 'RTMP in to RTMP out, encoded at 720p25, zerolatency: delay', unit: 'ms', digits: 0 }],
    by: { [OURS]: delayOf(ours, false), [FFMPEG]: delayOf(plain, false) },
  },
  {
    rows: [
      {
        name: `RTMP in to RTMP out, the process that carries it is killed: nothing comes for, at most ${AFTER_SECONDS} s`,
        unit: 's',
        digits: 2,
      },
    ],
    by: { [OURS]: silence(ourCarrier), [FFMPEG]: silence(plainCarrier), [NGINX]: silence(nginxCarrier) },
  },
  {
    rows: [
      { name: 'Start to the first answer', unit: 's', digits: 2 },
      { name: 'Idle: processor', unit: '% of a core', digits: 2 },
      { name: 'Idle: memory', unit: 'MB', digits: 1 },
    ],
    by: { [OURS]: idle(oursIdle), [NGINX]: idle(nginxIdle) },
  },
];

/** Undefined where it is not installed. */
function versions(): Map<string, string | undefined> {
  const { stdout } = spawnSync('ffmpeg', ['-version'], { encoding: 'utf8' });
  return new Map([
    [FFMPEG, /^ffmpeg version (\S+)/u.exec(stdout)?.[1]],
    [NGINX, nginxVersion()],
  ]);
}

export async function benchPeers(): Promise<Figure[]> {
  const installed = versions();
  const figures: Figure[] = [];
  for (const { rows, by } of WORK) {
    const peers = Object.keys(by).filter((name) => name === OURS || installed.get(name) !== undefined);
    const found = new Map<string, (readonly number[])[]>(peers.map((name) => [name, []]));
    // They take turns, so that all see the same machine.
    for (let round = 0; round < ROUNDS; round += 1) for (const name of peers) found.get(name)!.push(await by[name]!());
    for (const [at, row] of rows.entries()) {
      const values = (name: string): number[] => found.get(name)!.map((round) => round[at]!);
      const others = peers.filter((name) => name !== OURS);
      const best = Math.min(...others.map((name) => median(values(name))));
      const value = median(values(OURS));
      const shown = others.map((name) => `${name} ${installed.get(name)}: ${spread(values(name), row.digits)}`);
      figures.push({
        name: row.name,
        value,
        unit: row.unit,
        bar: `≤ ${best.toFixed(row.digits)}`,
        met: value <= best,
        note: `${spread(values(OURS), row.digits)}; ${shown.join('; ')}`,
      });
    }
  }
  return figures;
}
