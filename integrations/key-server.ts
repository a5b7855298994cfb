/** Content keys from a key server by SPEKE v2, or from the provider's own row. */
import { contentKeyId } from '../domain/shapes/destinations/content-key-id.ts';
import type { DrmProvider } from '../domain/shapes/destinations/drm-provider.ts';
import { AppError } from '../domain/base/errors.ts';
import type { ContentKeys, KeyRequest } from '../domain/shapes/installation/integrations.ts';
import { called } from '../domain/base/sentence.ts';
import type { Finding } from '../domain/base/validation.ts';
import { buildRequest, parseAnswer } from './cpix.ts';
import { exchange, findingOf, refusedBy, type Exchanged } from './exchange.ts';
import { staticKeys } from './static-keys.ts';

/** A key server derives or looks up a handful of keys; one that needs longer would hold up the start of a broadcast. */
const TIMEOUT_MS = 10_000;
/** A document for two keys and three systems is below 20 kB, certificates and licence URLs included. */
const MAX_BYTES = 262_144;
/** No Destination has this content id, so a check never meets the keys of a real one. */
const PROBE_CONTENT = 'onair-validation';

export async function requestKeys(
  provider: Readonly<DrmProvider>,
  request: KeyRequest,
  signal: AbortSignal,
): Promise<ContentKeys> {
  if (provider.provider_type === 'STATIC') return staticKeys(provider, request);
  if (provider.speke_url === null)
    throw new AppError('rule_violated', `${called('DRM provider', provider)} has no speke_url.`);
  const delivery = provider.encrypt_keys === true ? provider.delivery_key : null;
  const options = {
    service: 'key server',
    url: new URL(provider.speke_url),
    method: 'POST' as const,
    headers: headersOf(provider),
    body: buildRequest(request, delivery),
    secrets: secretsOf(provider),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  };
  const answer = await exchange(options);
  if (answer.status !== 200) throw refusedBy(options, refusalOf(options.url.host, answer), answer.text);
  return parseAnswer(answer.text, request, delivery);
}

/** The key id is derived from content and track: a repeated check asks for the same key, and no keys pile up at the server. */
export async function checkDrmProvider(provider: Readonly<DrmProvider>, signal: AbortSignal): Promise<Finding> {
  const { provider_type: type, supported_systems: systems, credentials } = provider;
  const [first] = credentials?.keys ?? [];
  const contentid = type === 'STATIC' ? (first?.contentid ?? PROBE_CONTENT) : PROBE_CONTENT;
  const track = type === 'STATIC' ? (first?.track ?? 'ALL') : 'ALL';
  const encryption_mode = systems.includes('FAIRPLAY') ? 'cbcs' : 'cenc';
  const kids = { [track]: contentKeyId(contentid, track) };
  try {
    await requestKeys(provider, { contentid, kids, systems, encryption_mode }, signal);
    return { valid: true };
  } catch (error) {
    return findingOf(error);
  }
}

function headersOf({ tenant_id, credentials }: Readonly<DrmProvider>): Record<string, string> {
  const { username = null, password = null, api_key = null } = credentials ?? {};
  return {
    'content-type': 'application/xml',
    accept: 'application/xml',
    'x-speke-version': '2.0',
    ...(tenant_id !== null && { 'x-tenant-id': tenant_id }),
    ...(username !== null && { authorization: `Basic ${basicCredentials(username, password)}` }),
    ...(api_key !== null && { authorization: `Bearer ${api_key}` }),
  };
}

function basicCredentials(username: string, password: string | null): string {
  return Buffer.from(`${username}:${password ?? ''}`).toString('base64');
}

function secretsOf({ credentials }: Readonly<DrmProvider>): string[] {
  if (credentials === null) return [];
  const { username, password, api_key } = credentials;
  const pair = username === null ? null : basicCredentials(username, password);
  return [password, api_key, pair].flatMap((secret) => secret ?? []);
}

function refusalOf(host: string, { status }: Exchanged): string {
  const who = `The key server at ${host}`;
  if (status === 401 || status === 403)
    return `${who} refuses the credentials (HTTP ${status}); correct credentials or tenant_id.`;
  if (status === 404 || status === 405)
    return `${who} has no SPEKE service at this URL (HTTP ${status}); correct speke_url.`;
  if (status === 400 || status === 422) return `${who} refuses the request for keys (HTTP ${status}).`;
  return `${who} failed (HTTP ${status}).`;
}
