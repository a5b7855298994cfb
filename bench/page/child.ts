/**
 * The server of bench/page.bench.ts: all that `onair serve` has behind the page, over a store in memory, with broadcasts on a Device in
 * memory that reports each of them every second. The process sends its port and the ids of its Live streams, then answers orders.
 */
import { serve } from '@hono/node-server';
import { createSessions } from '../../auth/sessions.ts';
import { systemClock as clock, type Clock } from '../../domain/time/clock.ts';
import { pageApp } from '../../rest/page.ts';
import { openRestApi } from '../../test/app/rest-api.ts';
import { startTestApp, type TestApp } from '../../test/app/test-app.ts';
import { BARE_PAGE } from './bare-page.ts';
import { makePictures } from './made-pictures.ts';
import { goRound } from './runs.ts';

/** What is to be served, as the first message. */
export interface Wanted {
  runs: number;
  /** The page as scripts/build.mjs has built it. */
  webDir: string;
  scratch: string;
  /** Of the user `operator`. */
  password: string;
}

/**
 * `cpu` is answered with the CPU time, `change` with the instant of a commit, `report` with that of a Device's report, `pictures` with how
 * many the Device has made.
 */
export type Order = 'cpu' | 'change' | 'report' | 'pictures';

/** Milliseconds since 1970, finer than Date.now. */
const now = (): number => performance.timeOrigin + performance.now();

process.once('disconnect', () => process.exit());
process.once('message', async ({ runs, webDir, scratch, password }: Wanted) => {
  const app = await startTestApp({ clock });
  const { rest } = await openRestApi(app);
  rest.route('/', pageApp({ webDir, sessions: createSessions({ store: app.store, clock }) }));
  rest.get('/bare', (context) => context.html(BARE_PAGE));
  await app.data('updateUser', { userId: app.users.operator, password });
  const { ids, runIds } = await goRound(app, runs);
  show(app, makePictures(scratch));
  const act = actsOn(app, ids, runIds);
  process.on('message', async (order: Order) => process.send?.(await act[order]()));
  serve({ fetch: rest.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port, ids }));
});

function actsOn(app: TestApp<Clock>, ids: number[], runIds: string[]): Record<Order, () => unknown> {
  let turns = 0;
  let changes = 0;
  let committedAt = 0;
  app.store.onChange((changes) => {
    if (changes.some(({ collection }) => collection === 'runs')) committedAt = now();
  });
  return {
    cpu: () => process.cpuUsage(),
    pictures: () => app.device.pictures,
    async change() {
      // An order for what is in force already would be no change.
      const mode = Math.floor(changes / ids.length) % 2 === 0 ? 'Black Frame' : 'Live';
      await app.data('runtimeApplyBlackout', { livestreamId: ids[changes % ids.length], mode });
      changes += 1;
      return committedAt;
    },
    report() {
      turns += 1;
      const runId = runIds[turns % runIds.length] ?? '';
      const { source } = app.device.report(runId);
      const at = now();
      app.device.tell(runId, { source: { ...source, state: source.state === 'up' ? 'lost' : 'up' } });
      return at;
    },
  };
}

/** The Device's pictures are ones that a browser can decode. */
function show({ device }: TestApp<Clock>, jpegs: readonly Buffer[]): void {
  const picture = device.picture.bind(device);
  device.picture = async (runId, width) => {
    const made = await picture(runId, width);
    return { ...made, jpeg: jpegs[device.pictures % jpegs.length]!, takenAt: clock.now() };
  };
}
