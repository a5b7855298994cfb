/** Faults of three kinds behind branches, each of which only the one before leads to: what the search itself must find. */
import type { FuzzTarget } from './target.ts';

/** Takes so much CPU, however long that takes. */
function burn(ms: number): void {
  for (const begun = process.cpuUsage().user; process.cpuUsage().user - begun < ms * 1000;);
}

export const target: FuzzTarget = {
  seeds: [Buffer.from('nothing of interest')],
  run(bytes) {
    if (bytes[0] !== 0xa7) return;
    if (bytes[1] !== 0x3c) return;
    if (bytes.toString('latin1', 2, 8) !== 'marker') return;
    if (bytes[8] === 1) for (;;);
    if (bytes[8] === 2) for (const parts: number[][] = []; ;) parts.push(Array<number>(1 << 20).fill(parts.length));
    if (bytes[8] === 3) Buffer.alloc(200 << 20);
    if (bytes[8] === 4) burn(400);
    if (bytes[8]! > 4) throw new Error('planted');
  },
};
