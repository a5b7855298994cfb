/** A transcription provider by docs/transcription.md: it checks method, path and key, and can be told to misbehave. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closed } from './key-server.ts';

export type Fault =
  'failure' | 'silence' | 'huge' | 'not json' | 'outside' | 'echo' | 'redirect' | 'other asset' | 'busy';

export interface TranscriptionProvider {
  /** Of the tenant, below which /v1 is. */
  url: string;
  apiKey: string;
  /** Paths that were answered. */
  paths: string[];
  fault: Fault | undefined;
  assets: Record<string, unknown>;
  close(): Promise<void>;
}

const ACCOUNT = { account_id: 'acc-1', name: 'Station', minutes_used: 12.5, minutes_included: 600, region: 'eu' };
const COLLECTIONS = [
  { id: 'c2', name: 'News', created: 1 },
  { id: 'c1', name: 'Sport' },
  { id: 'c3', name: 'Nature' },
];
const TEMPLATES = [{ id: 't1', name: 'English captions' }];

export async function startTranscriptionProvider(apiKey = 'canary-transcription-key'): Promise<TranscriptionProvider> {
  const server: Server = createServer((request, response) => {
    const say = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    const { authorization } = request.headers;
    if (authorization !== `Bearer ${provider.apiKey}`) return say(401, { error: `unknown key ${authorization}` });
    if (request.method !== 'GET') return say(405, { error: 'GET only' });
    const { fault } = provider;
    if (fault === 'silence') return undefined;
    if (fault === 'failure') return say(500, { error: 'queue is down' });
    if (fault === 'busy') return say(429, { error: 'slow down' });
    if (fault === 'echo') return say(400, { error: `bad call with ${authorization}` });
    if (fault === 'huge') return say(200, { ...ACCOUNT, padding: 'x'.repeat(3_000_000) });
    if (fault === 'not json') return say(200, '<html>maintenance</html>');
    if (fault === 'outside') return say(200, { ...ACCOUNT, minutes_used: 'many', items: [{ id: 1 }], progress: 300 });
    if (fault === 'redirect') return say(302, {}, { location: 'https://elsewhere.example.org/' });
    const path = request.url ?? '';
    provider.paths.push(path);
    if (path === '/tenants/station/v1/account') return say(200, ACCOUNT);
    if (path === '/tenants/station/v1/collections') return say(200, { items: COLLECTIONS });
    if (path === '/tenants/station/v1/templates') return say(200, { items: TEMPLATES });
    const asset = /^\/tenants\/station\/v1\/assets\/([^/]+)$/u.exec(path)?.[1];
    const status = asset === undefined ? undefined : provider.assets[decodeURIComponent(asset)];
    if (status === undefined) return say(404, { error: 'no such thing' });
    return say(200, { ...(status as object), ...(fault === 'other asset' && { asset_id: 'another' }) });
  });
  const provider: TranscriptionProvider = {
    url: '',
    apiKey,
    paths: [],
    fault: undefined,
    assets: {
      'a-1': {
        asset_id: 'a-1',
        status: 'processing',
        progress: 40,
        error: null,
        updated_at: '2026-01-01T00:00:00.000Z',
      },
      'a-2': { asset_id: 'a-2', status: 'failed', progress: 7, error: 'no speech', updated_at: '2026-01-01T00:00:00Z' },
    },
    close: () => closed(server),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenants/station`;
  return provider;
}
