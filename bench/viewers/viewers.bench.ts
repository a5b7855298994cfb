/** The cost of the count of those who watch: CPU of a Device's delivery for the same answers to 3,000 players, with it and without. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bounded, median, type Figure } from '../figures.ts';
import type { Order, Role } from './child.ts';

const PLAYERS = 3000;
const CONNECTIONS = 50;
const ROUNDS = 9;
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

export async function benchViewers(): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const program = join(scratch, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('child.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: REQUIRE },
    // scripts/build.mjs leaves the native parts of ssh2 out too.
    external: ['cpu-features', '*.node', 'koffi'],
    logLevel: 'warning',
  });
  const children: ChildProcess[] = [];
  const begin = async (role: Role): Promise<{ child: ChildProcess; port: number }> => {
    const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    children.push(child);
    child.send(role);
    return { child, port: ((await once(child, 'message')) as [number])[0] };
  };
  try {
    const players = await begin(['players', {}]);
    const counting = await begin(['server', { deviceDir: join(scratch, 'counting'), isCounting: true }]);
    const silent = await begin(['server', { deviceDir: join(scratch, 'silent'), isCounting: false }]);
    const round = async ({ child, port }: { child: ChildProcess; port: number }): Promise<number> => {
      const before = await cpuOf(child);
      const order: Order = { port, players: PLAYERS, connections: CONNECTIONS };
      players.child.send(order);
      const [served] = (await once(players.child, 'message')) as [number];
      if (served !== PLAYERS) throw new Error(`${served} of ${PLAYERS} players were served.`);
      // What was seen is counted within a second.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return (await cpuOf(child)) - before;
    };
    const ratios: number[] = [];
    const each: number[] = [];
    for (let n = -1; n < ROUNDS; n += 1) {
      const [withCount, without] = [await round(counting), await round(silent)];
      // The first is for the compiler.
      if (n < 0) continue;
      ratios.push(withCount / without);
      each.push((withCount - without) / PLAYERS);
    }
    const note = `median of ${ROUNDS} rounds; ${median(each).toFixed(1)} µs for a playlist and a segment of 250 KB`;
    const name = `${PLAYERS} players counted by CMCD: CPU of a Device's delivery, against the same without a count`;
    return [bounded(name, 100 * (median(ratios) - 1), 5, '% more', note)];
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return user + system;
}
