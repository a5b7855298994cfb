/**
 * A certificate that this machine's own server has is trusted by the CLI and by `onair mcp`, whoever has signed it and whatever name is in
 * it: a self-signed one, and one for the public name of a server that is reached by its loopback address.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';

/** The Debian package keeps the certificate of its server there; root alone may write it. */
const PACKAGE_CERTIFICATE = '/etc/onair/tls/cert.pem';

/** A server, and its certificate in PEM where it is one of this machine. */
export interface ServerTarget {
  url: string;
  certificate?: string | undefined;
}

export type Trust = Required<Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>> & { allowPartialTrustChain: true };

/** undefined where nothing is known of the target's certificate beyond what every program of this machine trusts. */
export async function trustFor({ url, certificate }: ServerTarget): Promise<Trust | undefined> {
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

interface FetchOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal;
}

/** Answers as fetch does, but follows no redirect, and trusts the certificate of this machine's own server, which fetch cannot be given. */
export async function fetchFrom(target: ServerTarget, url: URL, init: FetchOptions = {}): Promise<Response> {
  const trust = await trustFor(target);
  const { body = null, ...options } = init;
  if (trust === undefined) return fetch(url, { ...options, body, redirect: 'manual' });
  const { request } = await import('node:https');
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { ...trust, ...options, agent: false }, resolve)
      .once('error', reject)
      .end(body);
  });
  const status = incoming.statusCode ?? 502;
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), { status, headers });
}

function isFor(leaf: X509Certificate, url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopback(url) || (leaf.checkHost(hostname) ?? leaf.checkIP(hostname.replace(/^\[|\]$/gu, ''))) !== undefined;
}

export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

function leafOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // The server, which has the file, says what is wrong with it.
    return undefined;
  }
}

export function textOf(path: string | undefined): string | undefined {
  try {
    return path ? readFileSync(path, 'utf8') : undefined;
  } catch {
    // A file that this user may not read is no reason to refuse a server that others vouch for.
    return undefined;
  }
}
