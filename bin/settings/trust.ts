/**
 * A certificate that this machine's own server has is trusted by the CLI and by `onair mcp`, whoever has signed it and whatever name is in
 * it: a self-signed one, and one for the public name of a server that is reached by its loopback address.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { certificateOf, isLoopback } from './credentials.ts';

/** The Debian package keeps the certificate of its server there; root alone may write it. */
const PACKAGE_CERTIFICATE = '/etc/onair/tls/cert.pem';

export type Trust = Required<Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>> & { allowPartialTrustChain: true };

/**
 * Options of a connection to `url`; undefined where it is plain HTTP, or nothing is known of its certificate beyond what every program
 * trusts. `certificate` is in PEM.
 */
export async function trustFor(url: string, certificate = certificateOf(url)): Promise<Trust | undefined> {
  if (!url.startsWith('https:')) return undefined;
  const known = certificate ?? textOf(PACKAGE_CERTIFICATE);
  const leaf = known === undefined ? undefined : leafOf(known);
  if (leaf === undefined || (certificate === undefined && !isFor(leaf, url))) return undefined;
  const { checkServerIdentity, rootCertificates } = await import('node:tls');
  const extra = textOf(process.env['NODE_EXTRA_CA_CERTS']);
  return {
    // A list takes the place of the authorities that Node trusts by itself.
    ca: [...rootCertificates, ...(extra === undefined ? [] : [extra]), leaf.toString()],
    // Without it OpenSSL trusts no certificate that another one has signed.
    allowPartialTrustChain: true,
    checkServerIdentity: (host, presented) =>
      presented.fingerprint256 === leaf.fingerprint256 ? undefined : checkServerIdentity(host, presented),
  };
}

function isFor(leaf: X509Certificate, url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopback(url) || (leaf.checkHost(hostname) ?? leaf.checkIP(hostname.replace(/^\[|\]$/gu, ''))) !== undefined;
}

function leafOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // The server, which has the file, says what is wrong with it.
    return undefined;
  }
}

function textOf(path: string | undefined): string | undefined {
  try {
    return path ? readFileSync(path, 'utf8') : undefined;
  } catch {
    // A file that this user may not read is no reason to refuse a server that others vouch for.
    return undefined;
  }
}
