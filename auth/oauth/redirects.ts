/** The addresses that a browser is sent back to with a code. Whoever has one of another program gets that program's access. */
import { MAX_REDIRECT_LENGTH } from '../../domain/shapes/installation/oauth.ts';

/** A program of the person's own machine listens at any free port (RFC 8252 §7.3). The anchors leave no room for a name or a password. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/u;
/** Schemes that a browser carries out by itself, or reads from its machine. */
const NO_PROGRAM = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'filesystem:',
  'about:',
  'ftp:',
  'ws:',
  'wss:',
]);
/** Characters of a URI (RFC 3986): an address goes into a header and into a page as it is. */
const URI = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/u;

/** Answers what is wrong with the address; undefined for one that may be registered. */
export function redirectIssue(uri: string): string | undefined {
  if (uri.length > MAX_REDIRECT_LENGTH) return `has more than ${MAX_REDIRECT_LENGTH} characters`;
  if (!URI.test(uri) || !URL.canParse(uri)) return 'is no absolute URI';
  const { protocol, username, password } = new URL(uri);
  if (uri.includes('#')) return 'has a fragment';
  if (username !== '' || password !== '') return 'has a user name or a password';
  if (NO_PROGRAM.has(protocol) || protocol.startsWith('view-source')) return `has the scheme ${protocol}`;
  if (protocol === 'http:' && !LOOPBACK.test(uri))
    return 'is plain http, which is for 127.0.0.1, [::1] and localhost alone';
  return undefined;
}

/** Exactly one of the registered ones, but for the port of a loopback address. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  const portless = withoutPort(uri);
  return registered.some((each) => each === uri || (portless !== undefined && withoutPort(each) === portless));
}

function withoutPort(uri: string): string | undefined {
  return LOOPBACK.test(uri) ? uri.replace(LOOPBACK, '$1') : undefined;
}

export interface Destination {
  /** A host as people know it, or the scheme of a program. */
  host: string;
  /** True: any program of the person's own machine can take that address. */
  isOwnMachine: boolean;
}

export function destinationOf(uri: string): Destination {
  const { protocol, host } = new URL(uri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return { host: isWeb ? host : protocol, isOwnMachine: !isWeb || LOOPBACK.test(uri) };
}

/** The address with the answer to an authorization request behind what it has already. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(present).toString()}`;
}
