/** The cookies of one source (RFC 6265 §5), for as long as it is taken in. */

interface Cookie {
  name: string;
  value: string;
  domain: string;
  /** Only the host that has set it gets it. */
  isHostOnly: boolean;
  path: string;
  secure: boolean;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** A server may not set more. */
const MAX_COOKIES = 50;
const MAX_COOKIE_BYTES = 4096;

export class Cookies {
  private cookies: Cookie[] = [];
  private readonly now: () => number;

  /** `now` answers milliseconds since 1970. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** Takes the Set-Cookie lines that the address has answered with. */
  set(url: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const cookie = line.length > MAX_COOKIE_BYTES ? undefined : cookieOf(url, line, this.now());
      if (cookie === undefined) continue;
      const isSame = ({ name, domain, path }: Cookie): boolean =>
        name === cookie.name && domain === cookie.domain && path === cookie.path;
      this.cookies = [...this.cookies.filter((one) => !isSame(one)), cookie].slice(-MAX_COOKIES);
    }
    this.cookies = this.cookies.filter(({ expiresAt }) => expiresAt > this.now());
  }

  /** Returns the Cookie header of a request; undefined without one. The longest path comes first (§5.4). */
  header(url: URL): string | undefined {
    const own = this.cookies.filter(
      ({ domain, isHostOnly, path, secure, expiresAt }) =>
        (isHostOnly ? url.hostname === domain : isWithin(url.hostname, domain)) &&
        isBelow(url.pathname, path) &&
        (!secure || url.protocol === 'https:') &&
        expiresAt > this.now(),
    );
    if (own.length === 0) return undefined;
    const ordered = own.toSorted((a, b) => b.path.length - a.path.length);
    return ordered.map(({ name, value }) => (name === '' ? value : `${name}=${value}`)).join('; ');
  }
}

function cookieOf(url: URL, line: string, now: number): Cookie | undefined {
  const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
  const [name, value] = halves(pair);
  const own = Object.fromEntries(rest.map((part) => halves(part)).map(([key, text]) => [key.toLowerCase(), text]));
  const domain = (own['domain'] ?? '').replace(/^\./u, '').toLowerCase();
  if (pair === '' || (domain !== '' && !isWithin(url.hostname, domain))) return undefined;
  const maxAge = /^-?\d+$/u.test(own['max-age'] ?? '') ? Number(own['max-age']) : undefined;
  const expires = Date.parse(own['expires'] ?? '');
  return {
    name: pair.includes('=') ? name : '',
    value: pair.includes('=') ? value : pair,
    domain: domain === '' ? url.hostname : domain,
    isHostOnly: domain === '',
    path: own['path']?.startsWith('/') === true ? own['path'] : url.pathname.replace(/\/[^/]*$/u, '') || '/',
    secure: 'secure' in own,
    expiresAt: maxAge !== undefined ? now + maxAge * 1000 : Number.isNaN(expires) ? Infinity : expires,
  };
}

function halves(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** An address of IP has no domain above it. */
function isWithin(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !/^[\d.]+$|:/u.test(host));
}

function isBelow(path: string, own: string): boolean {
  return path === own || path.startsWith(own.endsWith('/') ? own : `${own}/`);
}
