/** `onair serve`: the control plane, and the only place where the rooms are wired together. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createAuth } from '../auth/auth.ts';
import { createOAuth } from '../auth/oauth/oauth.ts';
import { createAssistants } from '../auth/assistants.ts';
import { createSessions } from '../auth/sessions.ts';
import { createControl, type ControlRuntime } from '../control/control.ts';
import { deviceNetwork, superviseAgent, type SupervisedAgent } from '../device/link/client.ts';
import type { TlsPair } from '../device/delivery/tls-pair.ts';
import { IncomingRoom } from '../device/incoming-space.ts';
import { boundLog } from '../device/log-file.ts';
import { systemClock } from '../domain/time/clock.ts';
import type { DeviceLink } from '../domain/ports/device-link.ts';
import type { Integrations } from '../domain/shapes/installation/integrations.ts';
import { parseNetworks } from '../domain/network/networks.ts';
import type { Store, StoreHealth } from '../domain/ports/store.ts';
import type { System } from '../domain/shapes/installation/system.ts';
import { cloudNetwork } from '../integrations/cloud/network.ts';
import { createIntegrations } from '../integrations/integrations.ts';
import { createMcpApi } from '../mcp/http.ts';
import { profileByName, profiles } from '../profiles/profiles.ts';
import { createRestApp, restProfile } from '../rest/app.ts';
import { NO_PROXIES, proxiesAt } from '../rest/client-address.ts';
import { Feed } from '../rest/feed/feed.ts';
import { createPlaces } from '../rest/oauth/place.ts';
import { pageApp } from '../rest/page.ts';
import { PREFIX } from '../rest/routes.ts';
import { startScheduler } from '../scheduler/scheduler.ts';
import { createMeters, type Meters } from '../rest/metrics/metrics.ts';
import { openApiText } from '../rest/openapi/openapi.ts';
import { watchApp } from '../rest/watch.ts';
import { createSystem } from '../system/system.ts';
import { createCatalogue } from '../toolkit/catalogue.ts';
import { createDispatcher, type Dispatcher } from '../toolkit/dispatch.ts';
import { createKnownHosts } from '../toolkit/input/known-hosts.ts';
import { createRateLimit } from '../toolkit/rate-limit.ts';
import { operations } from '../tools/index.ts';
import { workflows } from '../workflows/index.ts';
import { copyAudit } from './audit/audit-log.ts';
import { strayVariables, type Config } from './settings/config.ts';
import { moveCredential } from './settings/credentials.ts';
import { openDevicePort, type OpenDevicePort } from './server/device-port.ts';
import { silenceLibraries } from './environment.ts';
import { createFence } from './server/fence.ts';
import { firstStart } from './server/first-start.ts';
import { listen, stopOnSignals, type Apis } from './server/listen.ts';
import { createLog } from './log.ts';
import { performer } from './server/performer.ts';
import { openArchive, openMedia } from './server/media-storage.ts';
import { openProviderAccess } from './server/provider-access.ts';
import { openProviderSignIn } from './server/provider-sign-in.ts';
import { announceTls, openTls, programIdentity, tlsFiles, urlForOthers } from './server/tls.ts';
import { sharedSecrets } from './server/shared-secrets.ts';
import { keepAddress } from './settings/own-address.ts';
import { ServerMark } from './store/store-mark.ts';
import { openSettings } from './settings/open-settings.ts';
import { trustFor } from './settings/trust.ts';
import { VERSION, webDir } from './version.ts';
import { createViewing } from './server/viewing.ts';
import { openWhenThere } from './server/waiting.ts';

/** A three-hour mezzanine at 6 Mbit/s has this size. */
const MAX_ASSET_BYTES = 8 * 1024 ** 3;
const ATTACH_RETRY_MS = 1000;
/** A Device that does not come holds up nobody for longer. */
const MAX_WAIT_FOR_DEVICE_MS = 10_000;

/** The opened rooms behind the APIs. */
interface Core {
  store: Store;
  endStore(): Promise<void>;
  mark: ServerMark;
  control: ControlRuntime;
  integrations: Integrations;
  system: System;
  meters: Meters;
  dispatcher: Dispatcher;
  feed: Feed;
  health(): StoreHealth;
  startup: Startup;
}

/** Facts that are known only once the server listens; nobody is answered before. */
interface Startup {
  url: string;
  /** See Member in control/control.ts. */
  memberAddress: string | null;
  /** The first user is there, and so is the Device of this machine, unless that takes long. */
  isOpen: boolean;
}

export async function serve(config: Config): Promise<void> {
  silenceLibraries();
  const log = await createLog(config.logLevel, 'onair');
  // Where `onair mcp` has started this server, its stderr is that file.
  boundLog(join(config.data, 'serve.log'));
  const strays = strayVariables(process.env);
  if (strays !== undefined) log.warn(strays);
  const tls = openTls(config, { clock: systemClock, log });
  const archive = await openArchive(config, log);
  const core = await openCore(config, log, tls);
  const { store, endStore, mark, control, integrations, dispatcher, feed, startup } = core;
  const { clock } = store;
  const endAudit = await copyAudit(config, store, log).catch(async (error: unknown) => {
    await endStore();
    throw error;
  });
  const { url, close } = await listen(await createApis(core, config, log, tls), config);
  startup.url = url;
  // A server with port 0 has another address than before, and is found by what it keeps.
  const former = config.port === 0 ? keepAddress(config.data, url) : undefined;
  if (former !== undefined) moveCredential(former, url);
  let agent: SupervisedAgent | undefined;
  const closing = new AbortController();
  let endTls: () => void = () => tls?.close();
  let devicePort: OpenDevicePort | undefined;
  const closeAll = async (): Promise<void> => {
    closing.abort();
    feed.close();
    endTls();
    await Promise.all([close(), devicePort?.close()]);
    control.close();
    agent?.close();
    await dispatcher.settle();
    await endAudit();
    await mark.close();
    await endStore();
  };
  const begin = async (): Promise<void> => {
    // The server listens first: the token is kept under its URL, and a start that fails leaves the store as empty as it was.
    await firstStart(store, url, config, log);
    await mark.begin();
    setTimeout(() => (startup.isOpen = true), MAX_WAIT_FOR_DEVICE_MS).unref();
    endTls = await announceTls(tls, url, config, log);
    devicePort = await openDevicePort(config, control, log);
    startup.memberAddress = devicePort.address;
    const { host, mediaPort, settingsFile, sourceNetworks } = config;
    const given = { host, mediaPort, settingsFile, sourceNetworks, tls: tlsFiles(config) };
    const program = programIdentity(config);
    agent = await superviseAgent({ ...given, deviceDir: deviceDirOf(config), program, log });
    await attachAgent(control, agent.link, log, closing.signal);
    startup.isOpen = true;
    const { memberId } = control;
    const { links } = core.system;
    const own = { links, memberId, perform: performer(dispatcher), archive };
    const scheduler = await startScheduler({ store, clock, log, control, integrations, ...own });
    closing.signal.addEventListener('abort', () => scheduler.close());
  };
  // Callers are answered from here on, so a signal is heard too: it closes what has begun.
  const begun = begin().catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  stopOnSignals(() => begun.then(closeAll), log);
  await begun;
  process.stderr.write(`onair: ready ${url}\n`);
}

async function openCore(config: Config, log: Logger, tls: TlsPair | undefined): Promise<Core> {
  const { timezone, publicUrl } = config;
  const { store, endStore, memberId } = await openWhenThere(config, log, tls);
  const { clock } = store;
  const mark = new ServerMark({ store, dataDir: config.data, name: hostname(), log });
  // Before any Device is asked what it runs.
  if (store.counts().users > 0) await mark.begin();
  const shared = memberId === undefined ? undefined : await sharedSecrets(store, config.data);
  const { assetFiles, media } = await openMedia(config, { store, maxBytes: MAX_ASSET_BYTES, log });
  const networks = parseNetworks(config.sourceNetworks);
  const mail = { smtpUrl: config.smtpUrl, from: config.mailFrom };
  const integrations = createIntegrations({ clock, cloudUrl: config.cloudUrl, networks, mail });
  const startup: Startup = { url: '', memberAddress: null, isOpen: false };
  // Every token would be refused before the first user is there, and every start before the Device is: who waits for this server waits for both.
  const health = (): StoreHealth =>
    startup.isOpen ? store.health() : { ok: false, problem: 'the server is starting' };
  const system = createSystem({
    dataDir: config.data,
    version: VERSION,
    clock,
    licenceKey: config.licenceKey,
    linkKey: shared?.linkKey,
    settings: openSettings(config),
    timezone,
    sharing: () => store.sharing(),
    tls: config,
    hasMail: config.smtpUrl !== undefined,
    health,
    address: { url: () => urlForOthers(startup.url, config, tls), prefix: PREFIX },
    devicePort: config.devicePort,
  });
  const control = await createControl({
    store,
    clock,
    log,
    assetFiles,
    timezone,
    integrations,
    network: deviceNetwork({ log, clock, dir: join(config.data, 'transfers'), media: assetFiles }),
    cloud: config.cloudUrl === undefined ? undefined : cloudNetwork(config.cloudUrl, log),
    links: system.links,
    media,
    countsOthers: config.otherLoad === 'count',
    publicUrl,
    fence: createFence(config.fence),
    markKey: () => mark.key,
    ...(memberId !== undefined &&
      shared !== undefined && {
        member: { id: memberId, key: shared.memberKey, address: () => startup.memberAddress },
      }),
  });
  const meters = createMeters(clock);
  meters.watchStore(store);
  const dispatcher = meters.metered(
    createDispatcher({
      catalogue: createCatalogue(operations, workflows),
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
  const profile = restProfile(profileByName(config.profile)).name;
  const feed = new Feed({ live: control, store, dispatcher, clock, log, version: VERSION, profile });
  return { store, endStore, mark, control, integrations, system, meters, dispatcher, feed, health, startup };
}

/** REST, which is the root application, with MCP, the viewers and the pages mounted into it. */
async function createApis(core: Core, config: Config, log: Logger, tls: TlsPair | undefined): Promise<Apis> {
  const { store, control, system, meters, dispatcher, feed, health } = core;
  const { publicUrl, trustedProxies } = config;
  const { clock } = store;
  const auth = createAuth({ store, clock, provider: await openProviderAccess(config, { store, clock }) });
  const sessions = createSessions({ store, clock });
  const url = (): string => urlForOthers(core.startup.url, config, tls);
  const providerSignIn = await openProviderSignIn(config, { store, clock, sessions, url });
  const proxies = trustedProxies === undefined ? undefined : proxiesAt(trustedProxies);
  const places = createPlaces({ publicUrl, url, proxies: proxies ?? NO_PROXIES });
  const profile = profileByName(config.profile);
  const hosts = createKnownHosts(namesOf(config), () => tls?.current?.leaf);
  const openApi = openApiText(dispatcher.catalogue, { version: VERSION, serverUrl: publicUrl });
  const app = createRestApp({
    dispatcher,
    auth,
    sessions,
    providerSignIn,
    profile,
    config: { version: VERSION, publicUrl, hosts, trustedProxies: proxies },
    uploadDir: join(config.data, 'uploads'),
    uploadRoom: (dir, bytes) => IncomingRoom.of(dir, bytes),
    limits: { uploadBytes: MAX_ASSET_BYTES },
    clock,
    log,
    health,
    meters,
    broadcasts: { store, control, system, clock, dataDir: config.data },
    links: { store, files: control.recordings, links: system.links, clock },
    oauth: {
      oauth: createOAuth({ store, clock }),
      assistants: createAssistants({ store, clock }),
      places,
      providerIssuer: config.oauthIssuer,
    },
    feed: { feed, store, control, trust: (url) => trustFor(url, tls?.current?.leaf.toString()) },
    openApi,
  });
  const mcp = createMcpApi({ dispatcher, auth, profile, version: VERSION, notices: store, hosts, log, openApi });
  app.all('/mcp', ({ req, env }) => mcp.answer(req.raw, places.metadataUrl(req.raw, env)));
  const media = { deviceDir: deviceDirOf(config), trustedProxies };
  const viewing = createViewing(media, async (...ids) => control.deliveryPlace(...ids), log, tls);
  app.route('/', viewing.app);
  app.route('/', watchApp({ webDir: webDir(), publicUrl, isMedia: (origin) => control.isMediaOrigin(origin) }));
  app.route('/', pageApp({ webDir: webDir(), sessions, providerName: providerSignIn?.name, media: config.media }));
  return { app, takeViewers: viewing.listenOn };
}

/** Resolves after the first attempt; an agent that does not answer is asked again until `signal` aborts. */
async function attachAgent(control: ControlRuntime, link: DeviceLink, log: Logger, signal: AbortSignal): Promise<void> {
  try {
    await control.attachLocalDevice(link, hostname().slice(0, 100));
  } catch (error) {
    log.error({ err: error }, 'the Device agent of this machine does not answer; it is asked again');
    systemClock.after(ATTACH_RETRY_MS, () => {
      if (!signal.aborted) void attachAgent(control, link, log, signal);
    });
  }
}

function deviceDirOf({ data }: Config): string {
  return join(data, 'device');
}

function namesOf({ host, publicUrl }: Config): string[] {
  // People of the same network call the machine by its own name, over mDNS with .local.
  return [host, hostname(), `${hostname()}.local`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
}
