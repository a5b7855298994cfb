/** A run as a UDP receiver sees it: its pictures' times against the clock, and which pictures they are. */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PACKET_BYTES, pidOf, readPts, startsUnit, TICKS_PER_SECOND } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { capture } from './receivers.ts';
import type { TestScope } from '../../helpers/clean-up.ts';

const PICTURES = 0x100;

export interface Viewed {
  /** Arrival less presentation time, in ms, of each picture in order; only differences mean something. */
  delays: number[];
  /** Presentation times in seconds. */
  times: number[];
}

export async function receiver(t: TestScope): Promise<{ url: string; viewed(): Viewed; write(path: string): void }> {
  const { port, datagrams } = await capture(t);
  return {
    url: `udp://127.0.0.1:${port}`,
    viewed() {
      const viewed: Viewed = { delays: [], times: [] };
      for (const { at, data } of datagrams)
        for (let from = 0; from < data.length; from += PACKET_BYTES) {
          if (pidOf(data, from) !== PICTURES || !startsUnit(data, from)) continue;
          const seconds = readPts(data, from)! / TICKS_PER_SECOND;
          viewed.times.push(seconds);
          viewed.delays.push(at - 1000 * seconds);
        }
      return viewed;
    },
    write: (path) => writeFileSync(path, Buffer.concat(datagrams.map(({ data }) => data))),
  };
}

/** The least delay of the last second: what comes late for a moment does not count. */
export function delayNow({ delays }: Viewed): number {
  return Math.min(...delays.slice(-25));
}

/** Stops a process for `ms`, so many times, with as much time between that it can recover. */
export async function stall(pid: number, ms: number, times: number, betweenMs: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    process.kill(pid, 'SIGSTOP');
    await delay(ms);
    process.kill(pid, 'SIGCONT');
    await delay(betweenMs);
  }
}
