/** Answers to the challenges of a server: Basic (RFC 7617) and Digest (RFC 2069, RFC 7616). */
import { createHash, randomBytes } from 'node:crypto';

export interface Credentials {
  user: string;
  password: string;
}

export interface Challenge {
  scheme: 'basic' | 'digest';
  realm: string;
  nonce: string;
  opaque: string | undefined;
  /** As the server wrote it; undefined when it named none. */
  algorithm: string | undefined;
  /** The server offers the quality of protection `auth`. */
  hasQop: boolean;
  /** The credentials may be right; the nonce is too old. */
  isStale: boolean;
}

const HASHES: Record<string, string> = { md5: 'md5', 'sha-256': 'sha256' };
const SCHEME = /(?:^|,)\s*(?=(?:basic|digest)(?:\s|$))/giu;
const PARAMETER = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gu;

/** The credentials of an address; undefined for one without, or with a user that no header can hold. */
export function credentialsOf({ username, password }: URL): Credentials | undefined {
  const found = { user: decoded(username), password: decoded(password) };
  if (username === '' && password === '') return undefined;
  return /[\u0000-\u001f]/u.test(found.user + found.password) ? undefined : found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign shows that the text was never encoded.
    return text;
  }
}

/** The strongest challenge that can be answered, of the values of WWW-Authenticate; undefined when there is none. */
export function chooseChallenge(values: readonly string[]): Challenge | undefined {
  const known = values.flatMap((value) => value.split(SCHEME)).flatMap(challengesOf);
  const strength = ({ scheme, algorithm }: Challenge): number =>
    scheme === 'basic' ? 0 : hashOf(algorithm) === 'md5' ? 1 : 2;
  return known.sort((a, b) => strength(b) - strength(a))[0];
}

function challengesOf(text: string): Challenge[] {
  const scheme = /^\s*(basic|digest)(?=\s|$)/iu.exec(text)?.[1]?.toLowerCase();
  if (scheme !== 'basic' && scheme !== 'digest') return [];
  const parameters = new Map<string, string>();
  for (const [, name, quoted, plain] of text.matchAll(PARAMETER))
    parameters.set(name!.toLowerCase(), quoted?.replace(/\\(.)/gu, '$1') ?? plain!);
  const algorithm = parameters.get('algorithm');
  const nonce = parameters.get('nonce');
  if (scheme === 'digest' && (nonce === undefined || hashOf(algorithm) === undefined)) return [];
  // A server that only takes auth-int cannot be answered; none without it names a quality at all.
  const qop = parameters.get('qop')?.split(/[\s,]+/u);
  if (qop !== undefined && !qop.includes('auth')) return [];
  return [
    {
      scheme,
      realm: parameters.get('realm') ?? '',
      nonce: nonce ?? '',
      opaque: parameters.get('opaque'),
      algorithm,
      hasQop: qop !== undefined,
      isStale: parameters.get('stale')?.toLowerCase() === 'true',
    },
  ];
}

function hashOf(algorithm = 'MD5'): string | undefined {
  return HASHES[algorithm.toLowerCase().replace(/-sess$/u, '')];
}

/** One challenge and how often it has been answered. */
export class Authorizer {
  private readonly credentials: Credentials;
  readonly challenge: Challenge;
  private count = 0;

  constructor(credentials: Credentials, challenge: Challenge) {
    this.credentials = credentials;
    this.challenge = challenge;
  }

  /** Returns the value of the header Authorization for one request. */
  authorize(method: string, uri: string, cnonce = randomBytes(8).toString('hex')): string {
    const { user, password } = this.credentials;
    const { scheme, realm, nonce, opaque, algorithm, hasQop } = this.challenge;
    if (scheme === 'basic') return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const hash = (text: string): string => createHash(hashOf(algorithm)!).update(text).digest('hex');
    const plain = hash(`${user}:${realm}:${password}`);
    const isSession = algorithm?.toLowerCase().endsWith('-sess') === true;
    const secret = isSession ? hash(`${plain}:${nonce}:${cnonce}`) : plain;
    this.count += 1;
    const nc = this.count.toString(16).padStart(8, '0');
    const quality = hasQop ? `:${nc}:${cnonce}:auth` : '';
    const response = hash(`${secret}:${nonce}${quality}:${hash(`${method}:${uri}`)}`);
    const parts = [`username=${quoted(user)}`, `realm=${quoted(realm)}`, `nonce=${quoted(nonce)}`];
    parts.push(`uri=${quoted(uri)}`, `response="${response}"`);
    if (algorithm !== undefined) parts.push(`algorithm=${algorithm}`);
    if (opaque !== undefined) parts.push(`opaque=${quoted(opaque)}`);
    if (hasQop) parts.push('qop=auth', `nc=${nc}`);
    if (hasQop || isSession) parts.push(`cnonce="${cnonce}"`);
    return `Digest ${parts.join(', ')}`;
  }
}

/** Headers are written as latin1: the bytes are those of UTF-8, over which the hash was made. */
function quoted(text: string): string {
  return `"${Buffer.from(text.replace(/["\\]/gu, '\\$&')).toString('latin1')}"`;
}
