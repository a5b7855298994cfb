/** `onair serve`: the control plane, and the only place where the rooms are wired together. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { createAuth } from '../auth/auth.ts';
import { bootstrap } from '../auth/bootstrap.ts';
import { createSessions } from '../auth/sessions.ts';
import { createControl } from '../control/control.ts';
import { openAssetFiles } from '../assets/asset-files.ts';
import { deviceNetwork, superviseAgent, type SupervisedAgent } from '../device/link/client.ts';
import { BACKLOG } from '../device/delivery/connections.ts';
import { IncomingRoom } from '../device/incoming-space.ts';
import { boundLog } from '../device/log-file.ts';
import { systemClock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import { parseNetworks } from '../domain/networks.ts';
import type { Store, StoreHealth } from '../domain/store.ts';
import { isRoot, shareAssets } from '../device/agent/unprivileged.ts';
import { cloudNetwork } from '../integrations/cloud/network.ts';
import { createIntegrations } from '../integrations/integrations.ts';
import { createMcpApi, type McpApi } from '../mcp/http.ts';
import { profileByName, profiles } from '../profiles/profiles.ts';
import { createRestApp } from '../rest/app.ts';
import { proxiesAt } from '../rest/client-address.ts';
import { answerMalformed, malformedReply } from '../rest/malformed.ts';
import { PREFIX } from '../rest/routes.ts';
import type { SchedulerParts } from '../scheduler/duty.ts';
import { startScheduler } from '../scheduler/scheduler.ts';
import { createMeters } from '../rest/metrics/metrics.ts';
import { openApiText } from '../rest/openapi/openapi.ts';
import { watchApp } from '../rest/watch.ts';
import { createSystem } from '../system/system.ts';
import { createCatalogue } from '../toolkit/catalogue.ts';
import { createDispatcher, type Dispatcher } from '../toolkit/dispatch.ts';
import { createRateLimit } from '../toolkit/rate-limit.ts';
import { operations } from '../tools/index.ts';
import { workflows } from '../workflows/index.ts';
import { strayVariables, type Config } from './config.ts';
import { localUrl, writeCredential } from './credentials.ts';
import { openStoreIn } from './former-installation.ts';
import { silenceLibraries } from './environment.ts';
import { createLog } from './log.ts';
import { VERSION, webDir } from './version.ts';
import { createViewing } from './viewing.ts';

/** A three-hour mezzanine at 6 Mbit/s. */
const MAX_ASSET_BYTES = 8 * 1024 ** 3;
const CLOSE_BOUND_MS = 3000;
const ATTACH_RETRY_MS = 1000;

export async function serve(config: Config): Promise<void> {
  silenceLibraries();
  const log = await createLog(config.logLevel, 'onair');
  // Where `onair mcp` has started this server, its stderr is that file.
  boundLog(join(config.data, 'serve.log'));
  const clock = systemClock;
  const warn = (message: string): void => log.warn(message);
  const strays = strayVariables(process.env);
  if (strays !== undefined) warn(strays);
  const store = await openStoreIn(config.data, warn);
  const assetFiles = await openAssetFiles(join(config.data, 'assets'), {
    maxBytes: MAX_ASSET_BYTES,
    quota: { count: config.assetMaxCount || undefined, bytes: config.assetMaxBytes || undefined },
    log,
  });
  if (config.deviceUser !== undefined && isRoot()) shareAssets(join(config.data, 'assets'), config.deviceUser);
  const { timezone } = config;
  const network = deviceNetwork({ log, clock, dir: join(config.data, 'transfers') });
  const networks = parseNetworks(config.sourceNetworks);
  const integrations = createIntegrations({ clock, cloudUrl: config.cloudUrl, networks });
  const cloud = config.cloudUrl === undefined ? undefined : cloudNetwork(config.cloudUrl, log);
  // Known once the server listens; nobody is answered before.
  let address = '';
  // Before the first user is there every token would be refused: whoever waits for this server waits a moment longer.
  let hasFirstUser = false;
  const health = (): StoreHealth => (hasFirstUser ? store.health() : { ok: false, problem: 'the server is starting' });
  const system = createSystem({
    dataDir: config.data,
    version: VERSION,
    clock,
    licenceKey: config.licenceKey,
    settings: openSettings(config),
    health,
    address: { url: () => config.publicUrl ?? address, prefix: PREFIX },
  });
  const { links } = system;
  const control = await createControl({
    ...{ store, clock, log, assetFiles, timezone, integrations, network, cloud, links },
    publicUrl: config.publicUrl,
  });
  const catalogue = createCatalogue(operations, workflows);
  const meters = createMeters();
  meters.watchStore(store);
  const dispatcher = meters.metered(
    createDispatcher({
      catalogue,
      profiles,
      store,
      control,
      integrations,
      system,
      clock,
      log,
      rateLimit: createRateLimit(config.rateLimit, () => performance.now(), log),
    }),
  );
  const auth = createAuth({ store, clock });
  const profile = profileByName(config.profile);
  const deviceDir = join(config.data, 'device');

  const openApi = openApiText(catalogue, { version: VERSION, serverUrl: config.publicUrl });
  const app = createRestApp({
    dispatcher,
    auth,
    sessions: createSessions({ store, clock }),
    profile,
    config: {
      ...{ version: VERSION, publicUrl: config.publicUrl, allowedHosts: allowedHosts(config) },
      trustedProxies: config.trustedProxies === undefined ? undefined : proxiesAt(config.trustedProxies),
    },
    uploadDir: join(config.data, 'uploads'),
    uploadRoom: (dir, bytes) => IncomingRoom.of(dir, bytes),
    limits: { uploadBytes: MAX_ASSET_BYTES },
    log,
    health,
    meters,
    broadcasts: { store, control, dataDir: config.data },
    downloads: { store, files: control.recordings, links },
    openApi,
  });
  const mcp = createMcpApi({
    ...{ dispatcher, auth, profile, version: VERSION, allowedHosts: allowedHosts(config), log },
    openApi,
  });
  app.all('/mcp', (context) => mcp.answer(context.req.raw));
  const viewing = createViewing({ deviceDir, trustedProxies: config.trustedProxies }, log);
  app.route('/', viewing.app);
  app.route('/', watchApp({ webDir: webDir() }));

  const { url, close } = await open(app, mcp, config, viewing.listenOn);
  address = url;
  let agent: SupervisedAgent | undefined;
  const closing = new AbortController();
  const closeAll = async (): Promise<void> => {
    closing.abort();
    await close();
    control.close();
    agent?.close();
    await dispatcher.settle();
    await store.close();
  };
  try {
    // Not before the server listens: the token is kept under its URL, and a start that fails leaves the store as empty as it was.
    await firstStart(store, url, config, log);
    hasFirstUser = true;
    const { host, mediaPort, settingsFile, sourceNetworks } = config;
    agent = await superviseAgent({ deviceDir, host, mediaPort, settingsFile, sourceNetworks, log });
  } catch (error) {
    await closeAll();
    throw error;
  }
  const { link } = agent;
  const attach = async (): Promise<void> => {
    try {
      await control.attachLocalDevice(link, hostname().slice(0, 100));
    } catch (error) {
      log.error({ err: error }, 'the Device agent of this machine does not answer; it is asked again');
      clock.after(ATTACH_RETRY_MS, () => {
        if (!closing.signal.aborted) void attach();
      });
    }
  };
  await attach();
  const scheduler = await startScheduler({
    ...{ store, clock, log, control, integrations },
    perform: performer(dispatcher),
  });
  closing.signal.addEventListener('abort', () => scheduler.close());
  stopOnSignals(closeAll, log);
  process.stderr.write(`onair: ready ${url}\n`);
}

/** Creates the first user of an empty store, and says where its token and password are. */
async function firstStart(store: Store, url: string, config: Config, log: Logger): Promise<void> {
  const { bootstrapToken: token, bootstrapPassword: password } = config;
  let path = '';
  const keep = (kept: string): void => void (path = writeCredential(url, kept));
  // A log stays, and with it whatever it was told: a password that nobody reads at a terminal is none.
  const wanted = process.stderr.isTTY ? password : (password ?? null);
  const first = await bootstrap({ store, clock: systemClock, token, password: wanted, keep });
  if (first === undefined) return;
  log.info({ path }, `first start: user admin was created; its API token is in ${path}`);
  if (password !== undefined) return;
  // Said at any log level: it cannot be asked for later.
  if (first.password === null)
    log
      .child({}, { level: 'info' })
      .info('first start: set a password for the sign-in with: onair user password admin');
  else process.stderr.write(`Sign in to the page as admin with the password ${first.password} (shown this once)\n`);
}

/** What was planned was authorised when it was planned: it is carried out with the rights of day-to-day work, whoever left since. */
function performer(dispatcher: Dispatcher): SchedulerParts['perform'] {
  // No operation that can be planned answers a secret: what this seals nobody opens.
  const sealKey = randomBytes(32);
  return async (operation, args, { username, ...how }) => {
    const caller = { userId: 0, username, role: 2, api: false, tokenKid: null, sealKey } as const;
    const call = { operation, args, caller, ...how, requestId: randomUUID(), via: 'schedule' } as const;
    return (await dispatcher.dispatch({ ...call, profile: profileByName('full') })).body;
  };
}

/** What a support bundle may show of the settings. */
function openSettings({
  bootstrapToken: _token,
  bootstrapPassword: _password,
  ...open
}: Config): Record<string, unknown> {
  return open;
}

function allowedHosts(config: Config): string[] {
  const named = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).hostname];
  // People of the same network call the machine by its own name, over mDNS with .local.
  return [config.host, hostname(), `${hostname()}.local`, ...named];
}

interface Opened {
  url: string;
  close(): Promise<void>;
}

function open(
  app: Hono,
  mcp: McpApi,
  { host, port }: Config,
  prepare: (server: Server) => () => void,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    // A whole upload may take hours: the doors bound what they read themselves, Node's own bound of 300 s would cut it.
    // Node's own 5 s for a kept connection are the pause between two calls of an assistant: the next would often meet the close.
    const serverOptions = { requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 60_000 };
    const listener = getRequestListener(app.fetch, { hostname: host, errorHandler: malformedReply });
    const server = createServer(serverOptions, listener).listen({ port, host, backlog: BACKLOG }, () => {
      resolve({
        url: localUrl(host, (server.address() as AddressInfo).port),
        close: () =>
          new Promise((closed) => {
            release();
            server.close(() => closed());
            mcp.close(CLOSE_BOUND_MS / 3);
            setTimeout(() => server.closeAllConnections(), CLOSE_BOUND_MS / 3).unref();
          }),
      });
    });
    const release = prepare(server);
    answerMalformed(server);
    mcp.listenOn(server);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const detail =
        error.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is taken; choose another with --port or ONAIR_PORT.`
          : error.message;
      reject(new AppError('unavailable', detail, { cause: error }));
    });
  });
}

/** A second signal, or the bound, ends at once: everything acknowledged is on disk already. */
function stopOnSignals(
  close: () => Promise<void>,
  log: { info(facts: object, message: string): void; error(facts: object, message: string): void },
): void {
  let closing = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (closing) process.exit(1);
    closing = true;
    log.info({ signal }, 'closing; broadcasts stay on air');
    setTimeout(() => process.exit(1), CLOSE_BOUND_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'close failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
