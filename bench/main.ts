/**
 * `npm run bench` prints figures. They are ratios to a baseline of the same run where there is one, so that a slow machine says nothing about
 * the product. With --write those that docs/figures.md has a part for go there too.
 */
import { fileURLToPath } from 'node:url';
import { benchActions } from './actions.bench.ts';
import { benchCopy } from './copy/copy.bench.ts';
import { benchCli } from './cli/cli.bench.ts';
import { benchEvents } from './events/events.bench.ts';
import { benchIngest } from './ingest.bench.ts';
import { benchLatency } from './media/latency.bench.ts';
import { benchMcp } from './mcp.bench.ts';
import { benchOccurrences } from './schedules/occurrences.bench.ts';
import { benchPage } from './page.bench.ts';
import { benchPeers } from './peers/peers.bench.ts';
import { benchPlacement } from './capacity/placement.bench.ts';
import { benchPictures } from './pictures.bench.ts';
import { benchReport } from './report/report.bench.ts';
import { benchRest } from './rest.bench.ts';
import { benchRunner } from './media/runner.bench.ts';
import { benchScheduler } from './scheduler.bench.ts';
import { benchSearch } from './search.bench.ts';
import { benchStart } from './start.bench.ts';
import { benchSharedStore } from './shared-store/shared-store.bench.ts';
import { benchStatus } from './copy/status.bench.ts';
import { benchStore } from './store.bench.ts';
import { benchStrangers } from './strangers/strangers.bench.ts';
import { benchViewers } from './viewers/viewers.bench.ts';
import { figureTable, hasPart, writeFigures } from './document.ts';
import type { Figure } from './figures.ts';

const program = fileURLToPath(new URL('../bin/onair.js', import.meta.url));
const benches: Record<string, () => Promise<Figure[]>> = {
  store: benchStore,
  'shared-store': benchSharedStore,
  rest: benchRest,
  mcp: () => benchMcp({ program }),
  cli: () => benchCli({ program }),
  search: benchSearch,
  scheduler: benchScheduler,
  occurrences: benchOccurrences,
  actions: benchActions,
  start: benchStart,
  status: benchStatus,
  events: benchEvents,
  ingest: benchIngest,
  runner: benchRunner,
  latency: benchLatency,
  copy: benchCopy,
  peers: benchPeers,
  page: benchPage,
  pictures: benchPictures,
  placement: benchPlacement,
  report: benchReport,
  strangers: benchStrangers,
  viewers: benchViewers,
};

const names = process.argv.slice(2).filter((word) => word !== '--write');
const writes = process.argv.includes('--write');
let misses = 0;
for (const [name, bench] of Object.entries(benches)) {
  if (names.length > 0 && !names.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  const figures = await bench();
  for (const { name: what, value, unit, bar, met, note } of figures) {
    if (!met) misses += 1;
    const cells = [met ? 'met ' : 'MISS', `${value.toFixed(2)} ${unit}`.padEnd(14), bar.padEnd(12), what];
    process.stdout.write(`  ${cells.join(' ')}${note ? ` (${note})` : ''}\n`);
  }
  if (writes && hasPart(name)) await writeFigures(name, figureTable(figures));
}
process.exitCode = misses > 0 ? 1 : 0;
