/** Whom a request comes from, as far as that can be known. */
import { isIPv4, isIPv6 } from 'node:net';

/** What @hono/node-server hands to a route beside the request; nothing of it in a test without a socket. */
interface Surroundings {
  incoming?: { socket?: { remoteAddress?: string | undefined } };
}

/**
 * The network of one client: an IPv4 address, or the /64 that an IPv6 host has to itself and can change its address within.
 * Behind a proxy everybody would come from the proxy's address. What the proxy says of its client is believed when the server was told
 * of its public URL (so that a proxy is expected) and the proxy is on this machine: then the last entry of X-Forwarded-For is the one
 * that the proxy wrote itself. Anybody else could write there what he likes.
 */
export function clientNetwork(surroundings: unknown, headers: Headers, publicUrl: string | undefined): string {
  const remote = plain((surroundings as Surroundings | undefined)?.incoming?.socket?.remoteAddress ?? '');
  if (publicUrl === undefined || !isLoopback(remote)) return networkOf(remote);
  const told = plain(headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '');
  return networkOf(isIPv4(told) || isIPv6(told) ? told : remote);
}

/**
 * Whether the client speaks TLS, as to the mark Secure of a cookie. This server speaks none itself: its public URL says so, or a proxy.
 * Here the proxy is believed whoever it is: the mark only makes the cookie of that very client stricter.
 */
export function isSecure(request: Request, publicUrl: string | undefined): boolean {
  if (publicUrl?.startsWith('https:') === true || request.url.startsWith('https:')) return true;
  return /^https *(?:,|$)/iu.test(request.headers.get('x-forwarded-proto') ?? '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** An IPv4 client on a socket for both kinds is `::ffff:192.0.2.1`; a zone is of no meaning elsewhere. */
function plain(address: string): string {
  return address
    .toLowerCase()
    .replace(/^::ffff:(?=[\d.]+$)/u, '')
    .replace(/%.*$/u, '');
}

function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/u, '')).join(':')}::/64`;
}
