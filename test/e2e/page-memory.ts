/** The page over the application of the tests, whose Device is in memory: a test moves its broadcasts into any state by hand. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { createSessions } from '../../auth/sessions.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { pageApp } from '../../rest/page.ts';
import { openRestApi, type RestApiOptions } from '../app/rest-api.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../app/test-app.ts';
import type { TestScope } from '../helpers/clean-up.ts';
import { PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { sharedBrowser } from '../helpers/browser.ts';
import { launchBrowser, openPage, PASSWORD, PEOPLE, type OpenOptions, type OpenPage } from './page-fixture.ts';

export interface MemoryPage {
  app: TestApp<Clock>;
  url: string;
  open(options?: OpenOptions): Promise<OpenPage>;
  /** Orders a start and waits until the Device has it. Answers the run's id, by which the Device is told what becomes of it. */
  start(livestreamId: number): Promise<string>;
}

/** The page as scripts/build.mjs has built it. */
const WEB_DIR = join(dirname(PROGRAM), '..', 'dist', 'web');

interface MemoryPageOptions extends Pick<RestApiOptions, 'profile'>, Pick<TestAppOptions<Clock>, 'mail'> {
  /** The machine's when left out. */
  clock?: Clock;
  /** Arguments of Chromium beside those of all tests. */
  browserArgs?: readonly string[];
}

/** An application and a server, which end after the test or suite; Chromium is that of the process, or has arguments of its own. */
export async function startMemoryPage(
  t: Pick<TestScope, 'after'>,
  { clock = systemClock, browserArgs, mail, ...options }: MemoryPageOptions = {},
): Promise<MemoryPage> {
  const app = await startTestApp({ clock, timezone: 'Europe/Zurich', mail });
  const { rest, feed } = await openRestApi(app, options);
  rest.route('/', pageApp({ webDir: WEB_DIR, sessions: createSessions({ store: app.store, clock }) }));
  const server = createServer(getRequestListener(rest.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    feed.close();
    server.closeAllConnections();
    server.close();
    await app.close();
  });
  await addPeople(app);
  const browser = await (browserArgs === undefined ? sharedBrowser() : launchBrowser(t, browserArgs));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    app,
    url,
    open: (more = {}) => openPage({ service: { url }, browser }, more),
    async start(livestreamId) {
      await app.data('startLivestream', { livestreamId });
      const { runId } = (await app.store.get('runs', livestreamId))!.row;
      await until('the run at the Device', () => app.device.runIds.includes(runId));
      return runId;
    },
  };
}

/** The people of the page tests, by the passwords that they sign in with. */
async function addPeople(app: TestApp<Clock>): Promise<void> {
  await app.data('updateUser', { userId: app.users.admin, password: PASSWORD });
  await app.data('addUser', {
    username: PEOPLE[2],
    first_name: 'Ana',
    last_name: 'Test',
    email: 'ana@example.org',
    password: PASSWORD,
    user_role: 2,
  });
}
