/** A transcription provider by docs/transcription.md: it checks method, path, key and content, and can be told to misbehave. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { closed } from './key-server.ts';
import { wordsOf } from '../words.ts';

export type Fault =
  'failure' | 'silence' | 'huge' | 'not json' | 'outside' | 'echo' | 'redirect' | 'other asset' | 'busy';

export interface TranscriptionProvider {
  /** The URL of the tenant, below which /v1 is. */
  url: string;
  apiKey: string;
  /** Paths that were answered. */
  paths: string[];
  fault: Fault | undefined;
  assets: Record<string, unknown>;
  /** The uploads: what was announced, and the content once it was taken. */
  handed: Map<string, { announced: Record<string, unknown>; content: Buffer | undefined }>;
  /** So many of the next uploads lose their connection in the middle. */
  cuts: number;
  uploads: number;
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
    if (request.method !== 'GET') return void take(provider, request, say);
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
    handed: new Map(),
    cuts: 0,
    uploads: 0,
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

const ASSETS = '/tenants/station/v1/assets';
type Say = (status: number, body: unknown) => void;

async function take(provider: TranscriptionProvider, request: IncomingMessage, say: Say): Promise<void> {
  const { method, url = '', headers } = request;
  const [, id, content] = /\/assets\/([^/]+)(\/content)?$/u.exec(url) ?? [];
  if (method === 'POST' && url === ASSETS) return announce(provider, request, say);
  const handed = id === undefined ? undefined : provider.handed.get(id);
  if (id === undefined || handed === undefined) return say(404, { error: 'no such asset' });
  if (method === 'DELETE' && content === undefined) {
    provider.handed.delete(id);
    return say(204, '');
  }
  if (method !== 'PUT' || content === undefined) return say(405, { error: `no ${method} here` });
  provider.uploads += 1;
  if (provider.cuts > 0) {
    provider.cuts -= 1;
    request.once('data', () => request.socket.resetAndDestroy());
    return;
  }
  const bytes = await buffer(request);
  const digest = `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
  const isWhole = Number(headers['content-length']) === bytes.length && handed.announced['size_bytes'] === bytes.length;
  const isSame = handed.announced['sha256'] === createHash('sha256').update(bytes).digest('hex');
  if (!isWhole || !isSame || headers['content-digest'] !== digest) return say(422, { error: 'not what was announced' });
  if (headers['content-type'] !== handed.announced['content_type']) return say(415, { error: 'another type' });
  handed.content = bytes;
  const now = '2026-01-01T00:00:00Z';
  provider.assets[id] = { asset_id: id, status: 'queued', progress: 0, error: null, updated_at: now };
  say(200, { asset_id: id });
}

const FIELDS = wordsOf(
  'collection content_type duration_seconds filename language sha256 size_bytes source template title',
);

async function announce(provider: TranscriptionProvider, request: IncomingMessage, say: Say): Promise<void> {
  const key = request.headers['idempotency-key'];
  const announced = JSON.parse((await buffer(request)).toString('utf8')) as Record<string, unknown>;
  if (typeof key !== 'string' || Object.keys(announced).sort().join() !== FIELDS.join()) {
    return say(400, { error: `fields ${Object.keys(announced).join()}` });
  }
  const known = COLLECTIONS.some(({ id }) => id === announced['collection']);
  if (announced['collection'] !== null && !known) return say(422, { error: 'no such collection' });
  const id = `h-${key}`;
  if (!provider.handed.has(id)) provider.handed.set(id, { announced, content: undefined });
  say(201, { asset_id: id });
}
