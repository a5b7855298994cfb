/** A socket that listens on IPv6 and IPv4 names an IPv4 address as one of IPv6 (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:(?=\d+\.)/iu;

/** The network of one client: an IPv4 address, or the /64 that an IPv6 host has to itself and can change its address within. */
export function networkOf(given: string): string {
  const address = given.replace(MAPPED, '');
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/u, '')).join(':')}::/64`;
}
