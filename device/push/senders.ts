/** The addresses that may send to a Channel. */
import { BlockList, isIPv6 } from 'node:net';

/** Without a list everybody may. The networks have been checked where they were stored. */
export function isAllowed(address: string, networks: readonly string[] | undefined): boolean {
  if (networks === undefined || networks.length === 0) return true;
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    const family = isIPv6(base) ? 'ipv6' : 'ipv4';
    list.addSubnet(base, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

export function notAllowed(address: string): string {
  return `The address ${address} is not among those that may send here.`;
}

/** A socket that listens on IPv6 and IPv4 names an IPv4 address as one of IPv6 (RFC 4291 §2.5.5.2). */
export function plainAddress(remoteAddress: string | undefined): string {
  return (remoteAddress ?? 'unknown').replace(/^::ffff:/iu, '');
}
