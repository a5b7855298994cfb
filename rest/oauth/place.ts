/** The place of OAuth: the issuer, by the address that the server is reached at, and whether a request may carry tokens at all. */
import { AppError } from '../../domain/base/errors.ts';
import type { Proxies } from '../client-address.ts';

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/iu;
const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/u;

/** @hono/node-server hands this to a route beside the request; a test without a socket has nothing of it. */
export interface Surroundings {
  incoming?: { socket?: { remoteAddress?: string | undefined } };
}

export interface Place {
  /** Without a slash at its end (RFC 8414 §2). */
  issuer: string;
  /** The resource that access is given to (RFC 8707). */
  resource: string;
}

interface PlaceDeps {
  publicUrl: string | undefined;
  /** The address under which others reach the server. */
  url: () => string;
  proxies: Proxies;
}

export interface Places {
  /** Throws AppError forbidden where tokens would go over a network in plain text. */
  of(request: Request, surroundings: unknown): Place;
  /** The address of the metadata that a refused client of MCP is told; undefined where there is no OAuth for that request. */
  metadataUrl(request: Request, surroundings: unknown): string | undefined;
  /** The path of the public address, without a slash at its end. */
  readonly basePath: string;
}

export function createPlaces({ publicUrl, url, proxies }: PlaceDeps): Places {
  function issuerOf(request: Request): string {
    const host = request.headers.get('host') ?? new URL(request.url).host;
    // A client of this machine compares what it is told with the loopback name that it was given.
    const own =
      publicUrl === undefined && LOOPBACK_HOST.test(host) ? `${new URL(request.url).protocol}//${host}` : url();
    return own.replace(/\/+$/u, '');
  }

  function of(request: Request, surroundings: unknown): Place {
    const issuer = issuerOf(request);
    const { protocol, host } = new URL(issuer);
    const isLocal = protocol === 'http:' && LOOPBACK_HOST.test(host);
    if (protocol !== 'https:' && !isLocal)
      throw plain(
        `the address of this server is ${issuer}`,
        'Set ONAIR_TLS_CERT, or ONAIR_PUBLIC_URL to an address of https.',
      );
    if (!isSafe(request, (surroundings as Surroundings | undefined)?.incoming?.socket?.remoteAddress, isLocal, proxies))
      throw plain('this request came without TLS', 'Come by https, and name the proxy in ONAIR_TRUSTED_PROXIES.');
    return { issuer, resource: `${issuer}/mcp` };
  }

  return {
    of,
    metadataUrl(request, surroundings) {
      try {
        return `${of(request, surroundings).issuer}/.well-known/oauth-protected-resource/mcp`;
      } catch {
        return undefined;
      }
    },
    basePath: publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/u, ''),
  };
}

/** A proxy says how its client has come; without one the connection must be of this machine, or be TLS itself. */
function isSafe(request: Request, peer: string | undefined, isLocal: boolean, proxies: Proxies): boolean {
  if (request.url.startsWith('https:')) return true;
  const isOfThisMachine = peer === undefined || LOOPBACK_ADDRESS.test(peer);
  const forwarded = request.headers.get('x-forwarded-proto');
  if (isLocal || forwarded === null) return isOfThisMachine;
  return (isOfThisMachine || proxies.trust(peer.replace(/^::ffff:/u, ''))) && /^https *(?:,|$)/iu.test(forwarded);
}

function plain(why: string, remedy: string): AppError {
  return new AppError('forbidden', `OAuth is spoken over TLS or on this machine alone, and ${why}.`, { remedy });
}
