/**
 * The server of bench/page.bench.ts: all that `onair serve` has behind the page, over a store in memory, with RUNS broadcasts on a Device in
 * memory that reports each of them every second. The process sends its port and the ids of its Live streams, then answers orders.
 */
import { serve } from '@hono/node-server';
import { systemClock as clock } from '../../domain/clock.ts';
import { goRound } from './runs.ts';
import { openRestApi } from '../../test/app/rest-api.ts';
import { startTestApp } from '../../test/app/test-app.ts';

/** `cpu` is answered with the CPU time, `change` with the instant of a commit, `report` with that of a Device's report. */
export type Order = 'cpu' | 'change' | 'report';

/** Milliseconds since 1970, finer than Date.now. */
const now = (): number => performance.timeOrigin + performance.now();

process.once('disconnect', () => process.exit());
process.once('message', async (runs: number) => {
  const app = await startTestApp({ clock });
  const { rest } = await openRestApi(app);
  const { ids, runIds } = await goRound(app, runs);
  let turns = 0;
  let changes = 0;
  let committedAt = 0;
  app.store.onChange((changes) => {
    if (changes.some(({ collection }) => collection === 'runs')) committedAt = now();
  });
  const change = async (): Promise<number> => {
    // An order for what is in force already would be no change.
    const mode = Math.floor(changes / ids.length) % 2 === 0 ? 'Black Frame' : 'Live';
    await app.data('runtimeApplyBlackout', { livestreamId: ids[changes % ids.length], mode });
    changes += 1;
    return committedAt;
  };
  const report = (): number => {
    turns += 1;
    const runId = runIds[turns % runIds.length] ?? '';
    const { source } = app.device.report(runId);
    const at = now();
    app.device.tell(runId, { source: { ...source, state: source.state === 'up' ? 'lost' : 'up' } });
    return at;
  };
  process.on('message', async (order: Order) => {
    if (order === 'cpu') process.send?.(process.cpuUsage());
    else process.send?.(order === 'change' ? await change() : report());
  });
  serve({ fetch: rest.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port, ids }));
});
