/**
 * Decides to which addresses requests of ours may go: pull sources, push targets, folders and providers. Otherwise a person who may write
 * an address into one of them could call services that trust every program of this machine. It is pure: the connecting room passes the name
 * resolution in.
 */

interface Address {
  family: 4 | 6;
  value: bigint;
}

interface NetworkRule extends Address {
  bits: number;
  isAllowed: boolean;
  /** Reason of a built-in rule; undefined for a rule of the setting. */
  what?: string;
}

/** The setting's own rules, before the built-in ones. */
export type NetworkPolicy = readonly NetworkRule[];

export const NETWORKS_SETTING = 'ONAIR_SOURCE_NETWORKS';

const LINK_LOCAL = 'a link-local address';
const METADATA = 'an address where clouds answer their metadata';
/**
 * Single addresses are listed too, so that a link-local network which is allowed for its cameras does not expose credentials of the
 * machine.
 */
const BUILT_IN: readonly (readonly [string, string])[] = [
  ['169.254.0.0/16', LINK_LOCAL],
  ['fe80::/10', LINK_LOCAL],
  // AWS, Azure, Google, Oracle and others; credentials of AWS containers; AWS, Google by IPv6; Alibaba; Azure; Oracle.
  ['169.254.169.254', METADATA],
  ['169.254.170.2', METADATA],
  ['169.254.170.23', METADATA],
  ['fd00:ec2::254', METADATA],
  ['fd00:ec2::23', METADATA],
  ['fd20:ce::254', METADATA],
  ['100.100.100.200', METADATA],
  ['168.63.129.16', METADATA],
  ['192.0.0.192', METADATA],
];
/** Names of the same services; they are refused without a query to a name server. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);
const METADATA_ADDRESS = '169.254.169.254';

/** Answers why the text is no valid setting, naming the item; undefined when it is one. */
export function networksIssue(text: string): string | undefined {
  for (const item of itemsOf(text)) {
    const issue = ruleOf(item);
    if (typeof issue === 'string') return issue;
  }
  return undefined;
}

/** Throws TypeError for what `networksIssue` names. */
export function parseNetworks(text = ''): NetworkPolicy {
  const own = itemsOf(text).map((item) => {
    const rule = ruleOf(item);
    if (typeof rule === 'string') throw new TypeError(rule);
    return rule;
  });
  return [...own, ...BUILT_IN.map(([item, what]) => ({ ...(ruleOf(`!${item}`) as NetworkRule), what }))];
}

/** True for one IP address or CIDR. */
export function isNetwork(text: string): boolean {
  return !text.startsWith('!') && typeof ruleOf(text) !== 'string';
}

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function ruleOf(item: string): NetworkRule | string {
  const isAllowed = !item.startsWith('!');
  const [, text = '', length] = /^!?([^/]*)(?:\/(\d{1,3}))?$/u.exec(item) ?? [];
  const address = addressOf(text);
  const maxBits = address?.family === 4 ? 32 : 128;
  const bits = length === undefined ? maxBits : Number(length);
  if (address === undefined || bits > maxBits)
    return `${JSON.stringify(item)} is no network: write an IP address or CIDR such as 10.0.0.0/8 or fd00::/8, with ! before one that is refused`;
  if (prefixOf(address, bits) << BigInt(maxBits - bits) !== address.value)
    return `${JSON.stringify(item)} has bits behind its prefix of ${bits}: write the first address of the network`;
  return { ...address, bits, isAllowed };
}

function prefixOf({ family, value }: Address, bits: number): bigint {
  return value >> BigInt((family === 4 ? 32 : 128) - bits);
}

/** IPv6 that carries an IPv4 address counts as that address: mapped (RFC 4291 §2.5.5), and translated by NAT64 (RFC 6052). */
function addressOf(text: string): Address | undefined {
  const bare = text.replace(/%.*$/u, '');
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/u.test(bare)) {
    const octets = bare.split('.').map(Number);
    if (octets.some((octet) => octet > 255)) return undefined;
    return { family: 4, value: octets.reduce((value, octet) => value * 256n + BigInt(octet), 0n) };
  }
  if (!/^[\da-f:.]+$/iu.test(bare) || !bare.includes(':') || !URL.canParse(`http://[${bare}]/`)) return undefined;
  // The URL parser knows all forms and answers one, without dots.
  const { hostname } = new URL(`http://[${bare}]/`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = new Array<string>(8 - before!.length - after!.length).fill('0');
  const groups = [...before!, ...zeros, ...after!];
  const value = groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
  const high = value >> 32n;
  if (high === 0xffffn || high === 0x64ff9b0000000000000000n) return { family: 4, value: value & 0xffffffffn };
  return { family: 6, value };
}

/** A URL has an address of IPv6 in brackets, where everything else takes it without. */
export function bareHost(host: string): string {
  return host.replace(/^\[|\]$/gu, '');
}

/** The address that a host is, in any form that the C library takes for one (decimal, hexadecimal, short); undefined for a name. */
function literalOf(host: string): Address | undefined {
  const bare = bareHost(host);
  if (bare.includes(':')) return addressOf(bare);
  // Its last part begins with a digit, which no host name does (RFC 1123 §2.1 with RFC 3696 §2).
  if (!/(?:^|\.)\d[\da-fx]*\.?$/iu.test(bare) || !URL.canParse(`http://${bare}/`)) return undefined;
  return addressOf(new URL(`http://${bare}/`).hostname);
}

/**
 * Among the rules that contain the address, the one for the smallest network counts; among equals the setting's, and a refusal before a
 * permission.
 */
function decisive(policy: NetworkPolicy, address: Address): NetworkRule | undefined {
  const holding = policy.filter(
    (rule) => rule.family === address.family && prefixOf(address, rule.bits) === prefixOf(rule, rule.bits),
  );
  const weight = ({ bits, isAllowed, what }: NetworkRule): number =>
    bits * 4 + (what === undefined ? 2 : 0) + (isAllowed ? 0 : 1);
  return holding.sort((a, b) => weight(b) - weight(a))[0];
}

/** The unspecified address leads to this machine itself. */
function reached({ family, value }: Address): Address {
  if (value !== 0n) return { family, value };
  return family === 4 ? { family, value: 0x7f000001n } : { family, value: 1n };
}

/** Answers why no request may go to the host as written; undefined when it may, or when it is a name that has to be resolved first. */
export function hostRefusal(policy: NetworkPolicy, host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/u, '');
  const isMetadata = METADATA_NAMES.has(name);
  const address = isMetadata ? addressOf(METADATA_ADDRESS) : literalOf(host);
  if (address === undefined) return undefined;
  const rule = decisive(policy, reached(address));
  if (rule === undefined || rule.isAllowed) return undefined;
  return refusal(host, isMetadata ? `a name of ${METADATA}` : rule.what);
}

function refusal(host: string, what = 'in a network that is refused'): string {
  return `${host} is ${what}, which nothing here may reach; an administrator can allow it with ${NETWORKS_SETTING}`;
}

/** The error of a connection that is refused. */
export class NetworkRefusal extends Error {
  readonly code = 'ERR_NETWORK_REFUSED';
}

interface FoundAddress {
  address: string;
  family: number;
}
type Found = (error: Error | null, addresses: FoundAddress[]) => void;
/** `dns.lookup` with `all`. */
export type ResolveAll = (host: string, options: { all: true; family?: number; hints?: number }, found: Found) => void;
interface LookupOptions {
  all?: boolean | undefined;
  family?: number | string | undefined;
  hints?: number | undefined;
}
type Answer = (error: Error | null, address: string | FoundAddress[], family?: number) => void;

/** Decides where requests may go, with the resolver of the room that sends them. */
export class Reach {
  private readonly policy: NetworkPolicy;
  private readonly resolveAll: ResolveAll;

  constructor(policy: NetworkPolicy, resolveAll: ResolveAll) {
    this.policy = policy;
    this.resolveAll = resolveAll;
  }

  refusalOf(host: string): string | undefined {
    return hostRefusal(this.policy, host);
  }

  /** For a socket, whose `lookup` is not called for a host that is an address. Throws NetworkRefusal. */
  assertHost(host: string): void {
    const refused = this.refusalOf(host);
    if (refused !== undefined) throw new NetworkRefusal(refused);
  }

  /** The first address of the host, all of whose addresses must be allowed. Rejects with NetworkRefusal, or with the resolver's error. */
  resolve(host: string): Promise<FoundAddress> {
    return new Promise((resolve, reject) => {
      this.find(host, {}, (error, addresses) => {
        if (error === null) resolve(addresses[0]!);
        else reject(error);
      });
    });
  }

  /** Serves as the `lookup` of a socket: it connects to the address that was checked, so a second answer of a name server cannot count. */
  readonly lookup = (host: string, options: LookupOptions, done: Answer): void => {
    this.find(host, options, (error, addresses) => {
      if (error !== null || options.all === true) done(error, addresses);
      else done(null, addresses[0]!.address, addresses[0]!.family);
    });
  };

  private find(host: string, { family, hints }: LookupOptions, found: Found): void {
    const bare = bareHost(host);
    const early = this.refusalOf(bare);
    if (early !== undefined) return void queueMicrotask(() => found(new NetworkRefusal(early), []));
    const wanted = family === 'IPv6' ? 6 : family === 'IPv4' ? 4 : Number(family ?? 0);
    this.resolveAll(bare, { all: true, family: wanted, ...(hints !== undefined && { hints }) }, (error, addresses) => {
      if (error !== null) return found(error, []);
      if (addresses.length === 0) return found(new Error(`${bare} has no address`), []);
      for (const { address } of addresses) {
        const refused = this.refusalOf(address);
        if (refused === undefined) continue;
        const led = address === bare ? refused : `${bare} leads to an address that is refused: ${refused}`;
        return found(new NetworkRefusal(led), []);
      }
      found(null, addresses);
    });
  }
}
