/** Whom this machine trusts, for delivery over TLS. */
import { existsSync, readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { environment } from '../../environment.ts';

/** Debian, Fedora, SUSE, Alpine. */
const KNOWN = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Certificate authorities as one PEM file; SSL_CERT_FILE comes first, as for OpenSSL. Undefined: the system has none. */
export function authoritiesFile(): string | undefined {
  const own = environment().variables['SSL_CERT_FILE'];
  return own !== undefined && own !== '' ? own : KNOWN.find((path) => existsSync(path));
}

/** For Node's own TLS: what it brings along, and SSL_CERT_FILE. Throws what the filesystem says. */
export function authorities(): string[] {
  const own = environment().variables['SSL_CERT_FILE'];
  return own === undefined || own === '' ? [...rootCertificates] : [...rootCertificates, readFileSync(own, 'utf8')];
}
