/**
 * Client id metadata documents: the id of a client is the https address of a document about it. A stranger names the address, so it is
 * fetched from public addresses alone, whatever the settings allow for sources, and every part of the exchange has a bound.
 */
import { lookup } from 'node:dns';
import { request } from 'node:https';
import { parseNetworks, Reach, type NetworkPolicy, type ResolveAll } from '../../domain/network/networks.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { MAX_CLIENT_ID } from '../../domain/shapes/installation/oauth.ts';
import { readMetadata, type OAuthClient } from './client-metadata.ts';
import { refusal } from './refusals.ts';

/** The special networks of IPv4 and IPv6 (RFC 6890 and its registries); of IPv6 only what is given out as global unicast is left. */
const NOT_PUBLIC =
  '!0.0.0.0/8,!10.0.0.0/8,!100.64.0.0/10,!127.0.0.0/8,!169.254.0.0/16,!172.16.0.0/12,!192.0.0.0/24,!192.0.2.0/24,!192.88.99.0/24,' +
  '!192.168.0.0/16,!198.18.0.0/15,!198.51.100.0/24,!203.0.113.0/24,!224.0.0.0/3,!::/0,2000::/3,!2001::/23,!2001:db8::/32,!2002::/16,!3fff::/20';

/** A document has some hundred bytes; the draft proposes 5 KB. */
const MAX_BYTES = 16 * 1024;
/** A person waits before an empty window meanwhile. */
const MAX_MS = 5000;
/** A document is read at each connection of an assistant, and seldom changed. */
const KEPT_MS = 10 * 60_000;
/** A stranger makes this server ask others no more often than that. */
const MAX_FETCHES = 60;
const WINDOW_MS = 60_000;
const MAX_KEPT = 200;

export interface ClientDocuments {
  /** Rejects with AppError invalid_client that says what is wrong with the document, or temporarily_unavailable. */
  read(id: string): Promise<OAuthClient>;
}

interface ClientDocumentDeps {
  clock: Pick<Clock, 'now'>;
  /** Tests have their documents on this machine, behind a certificate of their own. */
  network?: { policy?: NetworkPolicy; resolve: ResolveAll; ca?: string };
}

/** An id that is no such address is the id of a client that has registered itself. */
export function isDocumentId(id: string): boolean {
  return id.startsWith('https://');
}

export function createClientDocuments({ clock, network }: ClientDocumentDeps): ClientDocuments {
  const reach = new Reach(network?.policy ?? parseNetworks(NOT_PUBLIC), network?.resolve ?? lookup);
  const kept = new Map<string, { client: Promise<OAuthClient>; untilMs: number }>();
  let window = { sinceMs: clock.now(), fetches: 0 };

  function count(): void {
    if (Math.abs(clock.now() - window.sinceMs) >= WINDOW_MS) window = { sinceMs: clock.now(), fetches: 0 };
    window.fetches += 1;
    if (window.fetches > MAX_FETCHES)
      throw refusal('temporarily_unavailable', 'Too many client documents are being read. Try again in a minute.');
  }

  async function fetchClient(id: string): Promise<OAuthClient> {
    const url = new URL(id);
    const text = await readText(url, reach, network?.ca).catch((error: unknown) => {
      throw unreadable(id, error instanceof Error ? error.message : String(error));
    });
    return clientOf(id, url.host, text);
  }

  return {
    async read(id) {
      assertDocumentId(id);
      const nowMs = clock.now();
      const known = kept.get(id);
      if (known !== undefined && known.untilMs > nowMs) return known.client;
      count();
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      const client = fetchClient(id);
      kept.set(id, { client, untilMs: nowMs + KEPT_MS });
      // Whoever corrects a document tries again at once.
      client.catch(() => kept.delete(id));
      return client;
    },
  };
}

/** Throws AppError: an id is compared as it is written, so that it must be written as a URL is. */
function assertDocumentId(id: string): void {
  const url = URL.canParse(id) && id.length <= MAX_CLIENT_ID ? new URL(id) : undefined;
  const isWhole = url?.href === id && url.pathname !== '/' && url.hash === '' && url.username === '';
  if (!isWhole || url.password !== '')
    throw refusal('invalid_client', `${JSON.stringify(id.slice(0, 200))} is no https address of a client document.`);
}

function clientOf(id: string, host: string, text: string): OAuthClient {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw unreadable(id, 'it is no JSON');
  }
  const { client_id, client_secret, token_endpoint_auth_method: method } = (document ?? {}) as Record<string, unknown>;
  // Else any document of that host, or a copy of one elsewhere, would speak for that client.
  if (client_id !== id) throw unreadable(id, 'its client_id is not the address that it lies at');
  if (client_secret !== undefined) throw unreadable(id, 'it has a client_secret, which everybody can read');
  if (method !== undefined && method !== 'none')
    throw unreadable(id, 'its token_endpoint_auth_method is not none, which is all that this server knows');
  return { id, ...readMetadata(document), documentHost: host };
}

function unreadable(id: string, why: string): Error {
  return refusal(
    'invalid_client',
    `The document of the client ${JSON.stringify(id.slice(0, 200))} does not count: ${why}.`,
  );
}

/** Follows no redirect: it could lead into this network. */
function readText(url: URL, reach: Reach, ca: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    reach.assertHost(url.hostname);
    const headers = { Accept: 'application/json', 'User-Agent': 'onair' };
    const signal = AbortSignal.timeout(MAX_MS);
    const options = { headers, lookup: reach.lookup, agent: false, signal, ...(ca !== undefined && { ca }) } as const;
    const sent = request(url, options, (response) => {
      const type = response.headers['content-type'] ?? '';
      if (response.statusCode !== 200 || !/^application\/(?:[\w.+-]+\+)?json *(?:;|$)/iu.test(type)) {
        sent.destroy();
        return reject(
          new Error(
            `it was answered with the status ${response.statusCode} and the type ${JSON.stringify(type.slice(0, 100))}`,
          ),
        );
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BYTES) sent.destroy(new Error(`it has more than ${MAX_BYTES} bytes`));
        else chunks.push(chunk);
      });
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.once('error', reject);
    });
    sent.once('error', (error) =>
      reject(signal.aborted ? new Error(`it did not come within ${MAX_MS / 1000} s`) : error),
    );
    sent.end();
  });
}
