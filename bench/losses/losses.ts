/** How a Device is lost, and how it comes back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/helpers/until.ts';
import type { Machine } from './machine.ts';

export interface Loss {
  name: string;
  /** The word of `--kinds`. */
  word: string;
  /** Does the harm. `round` counts from 0, where harms of a kind differ. */
  begin(machine: Machine, round: number): Promise<void> | void;
  /** The broadcast moves for certain; it is moved by then. */
  moves: boolean;
  end(machine: Machine): Promise<void> | void;
  /** The broadcast that stays on the machine goes on meanwhile, and loses nothing. */
  staysOnAir: boolean;
}

/** On both sides of the lease of 8 s. */
const STANDSTILLS_MS = [7000, 7500, 8000, 8500, 9000, 10_000];
const HOUR_MS = 3_600_000;
/** For so long a clock that was set may show what it does. */
const WATCHED_MS = 12_000;

export const LOSSES: readonly Loss[] = [
  {
    name: 'power: SIGKILL of every process',
    word: 'power',
    begin: (machine) => machine.powerOff(),
    moves: true,
    end: (machine) => machine.boot(),
    staysOnAir: false,
  },
  {
    name: 'cut off from the server',
    word: 'cut',
    begin: ({ line }) => line.stall(),
    moves: true,
    end: ({ line }) => line.mend(),
    staysOnAir: true,
  },
  {
    name: 'one way: nothing of the server arrives',
    word: 'oneway',
    begin: ({ line }) => line.stall('far'),
    moves: true,
    end: ({ line }) => line.mend(),
    staysOnAir: true,
  },
  {
    name: 'SIGSTOP of every process for 7 to 10 s',
    word: 'stop',
    async begin(machine, round) {
      machine.signal('SIGSTOP');
      await sleep(STANDSTILLS_MS[round % STANDSTILLS_MS.length]);
      machine.signal('SIGCONT');
    },
    moves: false,
    end: () => undefined,
    staysOnAir: false,
  },
  {
    name: 'reboot: SIGKILL of every process, and a new boot at once',
    word: 'reboot',
    begin(machine) {
      machine.powerOff();
      machine.boot();
    },
    moves: true,
    end: () => undefined,
    staysOnAir: false,
  },
  {
    name: 'wall clock set an hour ahead or back',
    word: 'clock',
    async begin(machine, round) {
      machine.setClock(round % 2 === 0 ? HOUR_MS : -HOUR_MS);
      await sleep(WATCHED_MS);
    },
    moves: false,
    end: (machine) => machine.setClock(0),
    staysOnAir: true,
  },
];

/** Each machine has what stays there; the broadcast that moves is at one of them. Resolves with the milliseconds that this took. */
export async function isWhole(machines: readonly Machine[], present: () => Promise<Machine>): Promise<number> {
  const begun = performance.now();
  await until('one run, and what stays', async () => {
    const own = await present();
    const counts = await Promise.all(machines.map(async (machine) => (await machine.runs()).length));
    return machines.every((machine, at) => counts[at] === (machine === own ? 2 : 1));
  });
  return performance.now() - begun;
}
