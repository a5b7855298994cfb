import { join } from 'node:path';
import type { Hono } from 'hono';
import type { ProviderSignIn } from '../../auth/provider-sign-in.ts';
import type { ClientDocuments } from '../../auth/oauth/client-document.ts';
import { createAssistants } from '../../auth/assistants.ts';
import { createOAuth } from '../../auth/oauth/oauth.ts';
import { createSessions, type Sessions } from '../../auth/sessions.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { StoreHealth } from '../../domain/ports/store.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { createRestApp, restProfile, type RestLimits } from '../../rest/app.ts';
import { NO_PROXIES, proxiesAt } from '../../rest/client-address.ts';
import { Feed } from '../../rest/feed/feed.ts';
import { createPlaces } from '../../rest/oauth/place.ts';
import type { Log } from '../../domain/base/log.ts';
import { createKnownHosts } from '../../toolkit/input/known-hosts.ts';
import { silentLog } from '../helpers/silent-log.ts';
import type { TestApp } from './test-app.ts';
import { addTokens, TOKENS } from './users.ts';

export interface RestApiOptions {
  profile?: string;
  limits?: Partial<RestLimits>;
  publicUrl?: string;
  /** Addresses in the form of the setting. */
  trustedProxies?: string;
  /** A folder of the application when left out. */
  uploadDir?: string;
  log?: Log;
  /** Moves the streams of pictures; that of the machine when left out. */
  pictureClock?: Clock;
  health?: () => StoreHealth;
  /** The sign-in by an identity provider; none when left out. */
  providerSignIn?: (sessions: Sessions) => ProviderSignIn;
  /** The reader of client documents; that of the product when left out. */
  documents?: ClientDocuments;
  /** The authorization server in place of this one; none when left out. */
  providerIssuer?: string | undefined;
}

export interface RestApi {
  rest: Hono;
  feed: Feed;
  uploadDir: string;
  /** Sends as the administrator, unless another token is given. */
  send(method: string, path: string, options?: { token?: string; body?: unknown; headers?: object }): Promise<Response>;
}

/** The REST API of an application, and the tokens of its users. */
export async function openRestApi(app: TestApp<Clock>, options: RestApiOptions = {}): Promise<RestApi> {
  const { store, clock, dispatcher, auth, users, control, system } = app;
  const { publicUrl, trustedProxies, uploadDir = join(app.dir, 'uploads'), log = silentLog } = options;
  await addTokens(store, users);
  const version = '1.2.3';
  const profile = profileByName(options.profile);
  const feed = new Feed({ live: control, store, dispatcher, clock, log, version, profile: restProfile(profile).name });
  const sessions = createSessions({ store, clock });
  const proxies = trustedProxies === undefined ? undefined : proxiesAt(trustedProxies);
  const url = (): string => publicUrl ?? 'http://127.0.0.1';
  const oauth = createOAuth({ store, clock, documents: options.documents });
  const rest = createRestApp({
    dispatcher,
    auth,
    sessions,
    providerSignIn: options.providerSignIn?.(sessions),
    profile,
    config: {
      version,
      publicUrl,
      hosts: createKnownHosts(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
      trustedProxies: proxies,
    },
    log,
    clock,
    health: options.health ?? (() => store.health()),
    uploadDir,
    limits: options.limits ?? {},
    links: { store, files: control.recordings, links: system.links, clock },
    oauth: {
      oauth,
      assistants: createAssistants({ store, clock }),
      places: createPlaces({ publicUrl, url, proxies: proxies ?? NO_PROXIES }),
      providerIssuer: options.providerIssuer,
    },
    feed: { feed, store, control, pictureClock: options.pictureClock },
  });
  return {
    rest,
    feed,
    uploadDir,
    send: async (method, path, { token = TOKENS.admin, body, headers = {} } = {}) => {
      const isForm = body instanceof FormData;
      return rest.request(`/svcapiv2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
    },
  };
}
