/**
 * Checks the names by which the server is called. A page of another site whose name was rebound to this machine (DNS rebinding) sends its
 * own name as Host and Origin, and every request of it is refused. Ports are not compared, because proxies and port forwards change them.
 */
import { AppError } from '../../domain/base/errors.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;
/** The URL parser writes every form of an IPv4 address as four numbers, and IPv6 in brackets. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/u;

export interface KnownHosts {
  /** Throws AppError forbidden. `url` is that of the request, and takes the place of a missing Host. */
  assertKnown(headers: Headers, url: string): void;
}

/** The certificate that the server speaks TLS with: what it is for, as node:crypto says it. */
export interface Certificate {
  checkHost(name: string): string | undefined;
  checkIP(address: string): string | undefined;
}

/**
 * `names` are the server's own beside the loopback ones, and so are those that the certificate in force is for. A Host that is an address is known too: where a page was loaded from an address,
 * no name server can put another machine in its place. An Origin that is an address says only where the page lies, so it must be the one
 * that the request goes to.
 */
export function createKnownHosts(
  names: readonly string[],
  certificate: () => Certificate | undefined = () => undefined,
): KnownHosts {
  const known = new Set(names.map((name) => hostName(`http://${name.includes(':') ? `[${name}]` : name}`)));
  const isOurs = (host: string | undefined): host is string =>
    host !== undefined && (LOOPBACK.test(host) || known.has(host) || isFor(certificate(), host));

  /** Most requests have the Host of the one before, and to parse it costs a tenth of a read. */
  let lastKnown: string | undefined;
  let lastCertificate: Certificate | undefined;

  return {
    assertKnown(headers, url) {
      const header = headers.get('host');
      const origin = headers.get('origin');
      const present = certificate();
      if (header !== null && header === lastKnown && present === lastCertificate && origin === null) return;
      const host = hostName(`http://${header ?? new URL(url).host}`);
      if (!isOurs(host) && !(host !== undefined && ADDRESS.test(host))) {
        const detail = `The Host ${shown(header)} is not a name of this server. Use a loopback name, its address, or a name of its certificate, or set ONAIR_PUBLIC_URL to the name it is reached by.`;
        const remedy = 'Reach the server by a name that is its own.';
        throw new AppError('forbidden', detail, { facts: { header: 'Host' }, remedy });
      }
      lastKnown = header ?? undefined;
      lastCertificate = present;
      if (origin === null) return;
      const page = hostName(origin);
      if (isOurs(page) || (page !== undefined && page === host)) return;
      const detail = `Pages of the Origin ${shown(origin)} may not call this server. Call it from its own pages, or without an Origin header.`;
      const remedy = 'Call it from a page of its own, or from no page.';
      throw new AppError('forbidden', detail, { facts: { header: 'Origin' }, remedy });
    },
  };
}

function isFor(certificate: Certificate | undefined, host: string): boolean {
  const name = ADDRESS.test(host) ? certificate?.checkIP(host.replace(/^\[|\]$/gu, '')) : certificate?.checkHost(host);
  return name !== undefined;
}

/** The name without the dot that a full domain name may end with. */
function hostName(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase().replace(/\.$/u, '') : undefined;
}

function shown(value: string | null): string {
  return JSON.stringify((value ?? '').slice(0, 100));
}
