/** The REST API: the operations of the catalogue under one prefix, and the documents that describe and watch the service. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { bearerOf, type Auth } from '../auth/auth.ts';
import type { ProviderSignIn } from '../auth/provider-sign-in.ts';
import type { OAuth } from '../auth/oauth/oauth.ts';
import type { Assistants } from '../auth/assistants.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { Control } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import type { Log } from '../domain/base/log.ts';
import type { Store, StoreHealth } from '../domain/ports/store.ts';
import { profileByName } from '../profiles/profiles.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Dispatcher } from '../toolkit/dispatch.ts';
import { createKnownHosts, type KnownHosts } from '../toolkit/input/known-hosts.ts';
import { BODY_TIMEOUT_MS } from './body.ts';
import { createCalls } from './calls.ts';
import { NO_PROXIES, type Proxies } from './client-address.ts';
import { broadcastMetrics, type BroadcastDeps } from './metrics/broadcast-metrics.ts';
import { documentReply } from './documents.ts';
import { guardEntrance } from './entrance.ts';
import { feedApp, feedMetrics } from './feed/feed-app.ts';
import type { Feed } from './feed/feed.ts';
import type { MediaDeps } from './feed/media-app.ts';
import { linkApp, type LinkDeps } from './links/links.ts';
import { serveReads } from './methods.ts';
import { createMeters, METRICS_TYPE, type Meters } from './metrics/metrics.ts';
import { openApiText } from './openapi/openapi.ts';
import { jsonReply, JSON_TYPE, problemReply, requestIdOf, textReply } from './replies.ts';
import { PREFIX } from './routes.ts';
import { createSessionAuth } from './sign-in/session-cookie.ts';
import { providerSignInApp } from './sign-in/provider-sign-in.ts';
import { assistantsApp } from './sign-in/assistants.ts';
import { signInApp } from './sign-in/sign-in.ts';
import { oauthApp } from './oauth/oauth-app.ts';
import type { Places } from './oauth/place.ts';
import { sweepUploads, type UploadRoom } from './upload.ts';

export interface RestDeps {
  dispatcher: Dispatcher;
  auth: Auth;
  sessions: Sessions;
  /** The profile of this process. REST heeds it only when it is `readonly`; otherwise the role alone decides. */
  profile: Profile;
  config: RestConfig;
  clock: Clock;
  log: Log;
  health: () => StoreHealth;
  /** The folder of this process alone in which uploads wait until their operation takes them. It needs room for the largest ones. */
  uploadDir?: string | undefined;
  /** Reserves room for uploads on their disk; left out: nothing is reserved. */
  uploadRoom?: UploadRoom | undefined;
  limits?: Partial<RestLimits>;
  /** The counters of all APIs; left out: REST has counters of its own. */
  meters?: Meters | undefined;
  /** The source of what /metrics shows of broadcasts; left out: it shows nothing of them. */
  broadcasts?: BroadcastDeps | undefined;
  /** The files and faults behind signed links; left out: there are no such links. */
  links?: LinkDeps | undefined;
  /** The sign-in by an identity provider; left out: none is set. */
  providerSignIn?: ProviderSignIn | undefined;
  /** The authorization server for assistants, and where it takes place; left out: there is none. */
  oauth?: { oauth: OAuth; assistants: Assistants; places: Places; providerIssuer?: string | undefined } | undefined;
  /** The feed of the page, the store that its callers are looked up in, and the source of its pictures and media; left out: there is none. */
  feed?:
    | {
        feed: Feed;
        store: Pick<Store, 'find' | 'get' | 'tx' | 'health' | 'staleMs'>;
        control: Pick<Control, 'picture' | 'mediaSource'>;
        trust?: MediaDeps['trust'];
        pictureClock?: Clock | undefined;
      }
    | undefined;
  /** The OpenAPI document; left out: one is made. */
  openApi?: (() => string) | undefined;
}

export interface RestConfig {
  version: string;
  publicUrl?: string | undefined;
  /** The names by which the server is reached; left out: the loopback ones. */
  hosts?: KnownHosts | undefined;
  /** The proxies whose X-Forwarded-For is believed; left out: none is. */
  trustedProxies?: Proxies | undefined;
}

export interface RestLimits {
  /** Bytes of an uploaded file. */
  uploadBytes: number;
  /** The longest pause of an upload. */
  uploadIdleMs: number;
  /** The time within which a JSON body must arrive. */
  bodyTimeoutMs: number;
}

/** 8 GB is a three-hour mezzanine at 6 Mbit/s; a stalled mobile line comes back within a minute or not at all. */
const LIMITS: RestLimits = { uploadBytes: 8 * 1024 ** 3, uploadIdleMs: 60_000, bodyTimeoutMs: BODY_TIMEOUT_MS };

/** The operations that answer what the metrics of broadcasts name. */
const MEASURED = ['getLivestreamsStatus', 'getDevicesLiveStatus'];

/** No upload that is still under way is as old as this. */
const SHARED_STALE_MS = 24 * 3_600_000;

/** It is meant to be the root application, so that its problem answers also cover paths that nobody serves; mount the others into it. */
export function createRestApp(deps: RestDeps): Hono {
  const { dispatcher, config, clock, log, health } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const uploadDir = deps.uploadDir ?? join(tmpdir(), 'onair-uploads');
  const meters = deps.meters ?? createMeters(clock);
  const { auth, sessions } = deps;
  const { publicUrl, trustedProxies: proxies = NO_PROXIES } = config;
  const { bodyTimeoutMs } = limits;
  const profile = restProfile(deps.profile);
  const sessionAuth = createSessionAuth(sessions, publicUrl);
  const answerCall = createCalls({
    dispatcher,
    auth,
    sessionAuth,
    profile,
    log,
    meters,
    uploadDir,
    upload: { maxBytes: limits.uploadBytes, idleMs: limits.uploadIdleMs, room: deps.uploadRoom },
    bodyTimeoutMs,
  });
  const { openApi = openApiText(dispatcher.catalogue, { version: config.version, serverUrl: config.publicUrl }) } =
    deps;
  const describe = documentReply(openApi, JSON_TYPE);
  // /metrics is open like the other documents; the names of broadcasts are only for callers who may read them.
  const measure = async (request: Request): Promise<Response> => {
    const authorization = request.headers.get('authorization');
    const requestId = requestIdOf(request);
    if (authorization !== null) {
      const caller = await auth.authenticate(bearerOf(authorization), { via: 'rest', requestId });
      dispatcher.rightsOf({ caller, profile }).assertMayCall(...MEASURED);
    }
    const { broadcasts, feed } = deps;
    const families = broadcasts === undefined ? '' : await broadcastMetrics(broadcasts, authorization !== null);
    const readers = feed === undefined ? '' : feedMetrics(feed.feed);
    return textReply(meters.text(health().ok, config.version) + readers + families, METRICS_TYPE, requestId);
  };
  // Files in a folder of its own are left from a process that was killed; a shared folder may hold what another process is receiving.
  const leftBefore = deps.uploadDir === undefined ? clock.now() - SHARED_STALE_MS : performance.timeOrigin;
  sweepUploads(uploadDir, leftBefore).catch((cause: unknown) => log.warn({ err: cause }, 'old uploads not removed'));

  const app = new Hono();
  const hasProxies = config.trustedProxies !== undefined;
  guardEntrance(app, { hosts: config.hosts ?? createKnownHosts([]), hasProxies, log });
  serveReads(app, `${PREFIX}/openapi.json`, (c) => describe(c.req.raw));
  serveReads(app, '/openapi.json', (c) => describe(c.req.raw));
  serveReads(app, '/healthz', (c) => jsonReply(200, { status: 'ok' }, requestIdOf(c.req.raw)));
  serveReads(app, '/readyz', (c) => ready(health(), dispatcher.timezone, requestIdOf(c.req.raw)));
  serveReads(app, '/metrics', (c) =>
    measure(c.req.raw).catch((error: unknown) => problemReply(error, requestIdOf(c.req.raw))),
  );
  const { providerSignIn: signIn, oauth } = deps;
  const common = { publicUrl, proxies, clock, log, meters };
  const withSessions = { ...common, auth, sessions, sessionAuth, bodyTimeoutMs };
  app.route('/', signInApp({ ...withSessions, profile: profile.name }));
  app.route('/', providerSignInApp({ ...common, signIn }));
  if (oauth !== undefined) {
    const { assistants, ...place } = oauth;
    app.route('/', assistantsApp({ ...withSessions, assistants, profile: profile.name }));
    app.route(
      '/',
      oauthApp({ ...withSessions, ...place, dispatcher, profile: deps.profile, providerName: signIn?.name }),
    );
  }
  if (deps.feed !== undefined)
    app.route('/', feedApp({ ...deps.feed, dispatcher, auth, sessionAuth, clock, log, meters }));
  if (deps.links !== undefined) app.route('/', linkApp(deps.links));
  app.all(`${PREFIX}/*`, (c) => answerCall(c.req.raw));
  app.notFound((c) => problemReply(unknownPath(c.req.path), requestIdOf(c.req.raw)));
  app.onError((error, c) => {
    const requestId = requestIdOf(c.req.raw);
    log.error({ err: error, requestId }, 'request failed');
    return problemReply(error, requestId);
  });
  return app;
}

/**
 * 503 takes the server out of a load balancer; the reason is for its administrator and holds no secret. The zone is for `onair mcp`,
 * which greets an assistant before it has sent any token.
 */
function ready(state: StoreHealth, timezone: string, requestId: string): Response {
  const { ok, problem } = state;
  const body = { status: ok ? 'ready' : 'not_ready', store: { ok, problem }, timezone };
  return jsonReply(state.ok ? 200 : 503, body, requestId);
}

function unknownPath(path: string): AppError {
  const place = JSON.stringify(path.slice(0, 200));
  return new AppError(
    'unknown_operation',
    `There is nothing at ${place}. Operations are under ${PREFIX}; ${PREFIX}/openapi.json lists them.`,
  );
}

/** The profile that REST heeds. */
export function restProfile(profile: Profile): Profile {
  return profile.name === 'readonly' ? profile : profileByName('full');
}
