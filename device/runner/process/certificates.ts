/** The certificate authorities that this machine trusts, for delivery over TLS. */
import { existsSync, readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { environment } from '../../environment.ts';

/** Their places in Debian, Fedora, SUSE and Alpine. */
const KNOWN = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** The authorities as one PEM file; SSL_CERT_FILE comes first, as in OpenSSL. Undefined when the system has none. */
export function authoritiesFile(): string | undefined {
  const path = environment().variables['SSL_CERT_FILE'];
  return path !== undefined && path !== '' ? path : KNOWN.find((file) => existsSync(file));
}

/** The authorities for Node's own TLS: those it brings along, and SSL_CERT_FILE. Throws the filesystem's own error. */
export function authorities(): string[] {
  const path = environment().variables['SSL_CERT_FILE'];
  return path === undefined || path === '' ? [...rootCertificates] : [...rootCertificates, readFileSync(path, 'utf8')];
}
