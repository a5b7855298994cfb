/** The address that a request comes from, as far as it can be known. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkOf } from '../domain/network/client-network.ts';

/** @hono/node-server hands this to a route beside the request; a test without a socket has nothing of it. */
interface Surroundings {
  incoming?: { socket?: { remoteAddress?: string | undefined } };
}

export interface Proxies {
  /** Whether what the peer at this address says of its client is believed. */
  trust(address: string): boolean;
}

export const NO_PROXIES: Proxies = { trust: () => false };

/** `text` has addresses and networks (CIDR), separated by commas. Throws TypeError that names an entry which is neither. */
export function proxiesAt(text: string): Proxies {
  const list = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...more] = entry.split('/');
    const version = isIP(address);
    const width = version === 6 ? 128 : 32;
    const prefix = bits === undefined ? width : /^\d{1,3}$/u.test(bits) ? Number(bits) : NaN;
    if (version === 0 || more.length > 0 || !(prefix <= width))
      throw new TypeError(`${JSON.stringify(entry)} is no address and no network such as 10.0.0.0/8`);
    list.addSubnet(address, prefix, familyOf(address));
  }
  return { trust: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)) };
}

/**
 * The address of the client is that of the connection, unless a named proxy has made the connection. Each proxy writes its caller at the end
 * of X-Forwarded-For, so the right-most address that is no named proxy's is the last that can be known; anybody may have written what stands
 * left of it. Empty where there is no connection.
 */
export function clientAddress(remoteAddress: string | undefined, forwarded: string | null, proxies: Proxies): string {
  let client = plain(remoteAddress ?? '');
  const hops = forwarded?.split(',') ?? [];
  while (proxies.trust(client)) {
    const hop = plain(hops.pop()?.trim() ?? '');
    if (isIP(hop) === 0) break;
    client = hop;
  }
  return client;
}

export function clientNetwork(surroundings: unknown, headers: Headers, proxies: Proxies): string {
  const remote = (surroundings as Surroundings | undefined)?.incoming?.socket?.remoteAddress;
  return networkOf(clientAddress(remote, headers.get('x-forwarded-for'), proxies));
}

/**
 * Whether the client speaks TLS, for the mark Secure of a cookie. The request of a server that speaks it says so, else its public URL, or a proxy. Any
 * proxy is believed here: the mark only makes the cookie of that very client stricter.
 */
export function isSecure(request: Request, publicUrl: string | undefined): boolean {
  if (publicUrl?.startsWith('https:') === true || request.url.startsWith('https:')) return true;
  return /^https *(?:,|$)/iu.test(request.headers.get('x-forwarded-proto') ?? '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/**
 * An IPv4 client on a socket for both kinds is `::ffff:192.0.2.1`; a zone has no meaning on another machine; some proxies write the port too,
 * behind an IPv6 address in brackets.
 */
function plain(address: string): string {
  return address
    .toLowerCase()
    .replace(/^\[([^\]]*)\](?::\d{1,5})?$/u, '$1')
    .replace(/^([\d.]+):\d{1,5}$/u, '$1')
    .replace(/^::ffff:(?=[\d.]+$)/u, '')
    .replace(/%.*$/u, '');
}
