/** Every request passes this check of Host and Origin before it is routed. */
import type { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { Log } from '../domain/base/log.ts';
import type { KnownHosts } from '../toolkit/input/known-hosts.ts';
import { problemReply, requestIdOf } from './replies.ts';

/**
 * Media are for everybody: a CDN requests them under a name of its own, and players of any page read them (CORS). MCP checks Host and Origin
 * itself, because a call that it refuses is audited by its name.
 */
const CHECKED_ELSEWHERE = /^\/(?:live\/|mcp$)/u;
/** Programs in pages of any origin connect by these (CORS), which heed no cookie. The Host is checked there as everywhere. */
const OF_ANY_ORIGIN = /^\/(?:\.well-known\/oauth-|oauth\/(?:token|register|revoke)$)/u;

interface EntranceDeps {
  hosts: KnownHosts;
  /** Whether a setting names proxies. */
  hasProxies: boolean;
  log: Log;
}

/**
 * Refuses requests that another site's page sends under a name that was rebound to this machine, with cookies or without. It stands before
 * the app and is no middleware, because with a second handler Hono takes each request through a chain of promises.
 */
export function guardEntrance(app: Hono, { hosts, hasProxies, log }: EntranceDeps): void {
  let mustWarn = !hasProxies;
  const route = app.fetch;
  app.fetch = (request, bindings, execution) => {
    if (mustWarn && request.headers.has('x-forwarded-for')) {
      mustWarn = false;
      log.warn(
        {},
        'requests carry X-Forwarded-For, which is not believed: everybody behind that proxy counts as one client. Name the proxy in ONAIR_TRUSTED_PROXIES.',
      );
    }
    const path = getPath(request);
    if (!CHECKED_ELSEWHERE.test(path)) {
      try {
        hosts.assertKnown(OF_ANY_ORIGIN.test(path) ? withoutOrigin(request.headers) : request.headers, request.url);
      } catch (error) {
        return problemReply(error, requestIdOf(request));
      }
    }
    return route(request, bindings, execution);
  };
}

function withoutOrigin(headers: Headers): Headers {
  const host = headers.get('host');
  return new Headers(host === null ? {} : { host });
}
