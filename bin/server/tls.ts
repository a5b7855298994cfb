/** TLS by this server itself: its pair from the settings, what it tells this machine of it, and the redirect of plain HTTP. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reachableHost } from '../../device/agent/media-server.ts';
import { certifiedHost, TlsPair, type TlsFiles, type TlsPairOptions } from '../../device/delivery/tls-pair.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Config } from '../settings/config.ts';
import { noteCertificate } from '../settings/credentials.ts';
import { openRedirect } from './redirect.ts';
import { VERSION } from '../version.ts';

export function tlsFiles({ tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>): TlsFiles | undefined {
  return tlsCert === undefined || tlsKey === undefined ? undefined : { certificate: tlsCert, key: tlsKey };
}

/** undefined where no certificate is set. Throws AppError invalid_input for a pair that does not fit. */
export function openTls(config: Config, deps: Omit<TlsPairOptions, 'files'>): TlsPair | undefined {
  const files = tlsFiles(config);
  return files && TlsPair.open({ files, ...deps });
}

/** `url` is where the server listens. Resolves with a function that ends it. Rejects with AppError unavailable for a port that is taken. */
export async function announceTls(
  tls: TlsPair | undefined,
  url: string,
  { host, httpPort, publicUrl }: Config,
  log: Log,
): Promise<() => void> {
  const close = httpPort === undefined ? undefined : await openRedirect({ host, port: httpPort, url, publicUrl });
  const note = (certificate?: string): void => {
    try {
      noteCertificate(url, certificate);
    } catch (error) {
      log.warn({ err: error }, 'The CLI and `onair mcp` are not told of the certificate; they may not trust it.');
    }
  };
  if (tls === undefined) note();
  else tls.onPair(({ leaf }) => note(leaf.toString()));
  return () => {
    close?.();
    tls?.close();
  };
}

/** The address under which others reach the server that listens at `url`; links have it. */
export function urlForOthers(url: string, { host, publicUrl }: Config, tls: TlsPair | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const address = new URL(url);
  address.hostname = certifiedHost(reachableHost(host), tls?.current?.leaf);
  return address.origin;
}

/** Tells a program and its certificates from others: a Device agent that outlives an update or a change of these is replaced. */
export function programIdentity(config: Pick<Config, 'tlsCert' | 'tlsKey'>): string {
  const hash = createHash('sha256').update(JSON.stringify([VERSION, tlsFiles(config)]));
  // The entry of the bundle names its chunks by their content. In a checkout that runs from its sources the file is not there.
  const entry = new URL('onair.js', import.meta.url);
  return hash.update(textOf(entry)).digest('hex').slice(0, 16);
}

function textOf(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The sources change while a developer works, and no agent is replaced for that.
    return '';
  }
}
