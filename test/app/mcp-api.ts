/** The MCP door on the real rooms: memory store, control with a fake Device, auth, the real tools, a node http server. */
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createAuth } from '../../auth/auth.ts';
import { createControl, type ControlRuntime } from '../../control/control.ts';
import { systemClock } from '../../domain/clock.ts';
import type { AssetFiles } from '../../domain/control.ts';
import { hashToken, ROLE, type Role } from '../../domain/security.ts';
import type { Store } from '../../domain/store.ts';
import { createMcpApi, type McpHttpParts } from '../../mcp/http.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { openApiDocument } from '../../rest/openapi/openapi.ts';
import { openStore } from '../../store/open.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { createDispatcher, type Dispatcher } from '../../toolkit/dispatch.ts';
import type { RateLimit } from '../../toolkit/rate-limit.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { surroundings } from './surroundings.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { silentLog } from '../helpers/silent-log.ts';

export const TOKENS = {
  admin: 'onair_admin_token_of_the_tests',
  operator: 'onair_operator_token_of_the_tests',
} as const;
export type Who = keyof typeof TOKENS;

const NO_FILES: AssetFiles = {
  receive: () => Promise.reject(new Error('no files here')),
  cut: () => Promise.reject(new Error('no files here')),
  path: (bucket, filename) => `/nowhere/${bucket}/${filename}`,
  remove: () => Promise.resolve(),
  quota: {},
};
export const catalogue = createCatalogue(operations, workflows);

export interface Rooms {
  store: Store;
  device: FakeDevice;
  control: ControlRuntime;
  dispatcher: Dispatcher;
  auth: McpHttpParts['auth'];
}

export async function openRooms(rateLimit?: RateLimit): Promise<Rooms> {
  const clock = systemClock;
  const store = await openStore({ kind: 'memory', clock });
  await addCaller(store, 'admin', ROLE.admin);
  await addCaller(store, 'operator', ROLE.operator);
  const device = new FakeDevice();
  const control = await createControl({ store, clock, log: silentLog, assetFiles: NO_FILES });
  await control.attachLocalDevice(device, 'studio');
  const dispatcher = createDispatcher({
    catalogue,
    profiles,
    store,
    control,
    clock,
    log: silentLog,
    rateLimit,
    ...surroundings(),
  });
  return { store, device, control, dispatcher, auth: createAuth({ store, clock }) };
}

async function addCaller(store: Store, username: Who, role: Role): Promise<void> {
  const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
  await store.tx((tx) => {
    const profile = { role, api: true, admin: role === ROLE.admin, language: 'en', password_version: 1 };
    const names = { username, first_name: '', last_name: '', email: `${username}@onair.invalid`, password_hash: '' };
    const user = tx.insert('users', { ...stamps, ...names, user_role: role, active: true, profile });
    const token = { kid: username, name: 'test', userId: user.id, token_hash: hashToken(TOKENS[username]) };
    tx.insert('tokens', { ...stamps, ...token, expires_at: null, revoked_at: null });
  });
}

export interface Door extends Rooms {
  url: string;
  /** A real SDK client; closed with the door. */
  client(who?: Who, headers?: Record<string, string>): Promise<Client>;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Ends standing connections as a server does that is closing. */
  endLines(withinMs: number): void;
  close(): Promise<void>;
}

export async function openDoor(
  profileName?: string,
  options: Partial<McpHttpParts> & { port?: number; rooms?: Rooms } = {},
): Promise<Door> {
  const rooms = options.rooms ?? (await openRooms());
  const { dispatcher, auth } = rooms;
  const mcp = createMcpApi({
    ...{ dispatcher, auth, profile: profileByName(profileName), version: '0.0.0-test' },
    openApi: () => JSON.stringify(openApiDocument(catalogue, { version: '0.0.0-test' })),
    ...options,
  });
  // As `onair serve` has it: a test that computes for seconds comes back to a connection that is still there.
  const server = createServer({ keepAliveTimeout: 60_000 }, getRequestListener(mcp.answer));
  mcp.listenOn(server);
  const url = await listen(server, options.port ?? 0);
  const clients: Client[] = [];
  return {
    ...rooms,
    url,
    async client(who = 'admin', headers = {}) {
      const client = new Client({ name: 'test', version: '0' });
      const requestInit = { headers: { authorization: `Bearer ${TOKENS[who]}`, ...headers } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      clients.push(client);
      return client;
    },
    post: (body, headers = {}) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKENS.admin}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    endLines: mcp.close,
    async close() {
      for (const client of clients) await client.close();
      server.closeAllConnections();
      mcp.close(0);
      await new Promise((resolve) => server.close(resolve));
      if (options.rooms === undefined) await closeRooms(rooms);
    },
  };
}

export async function closeRooms({ control, store }: Rooms): Promise<void> {
  control.close();
  await store.close();
}

function listen(server: HttpServer, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** The one text of a result. */
export function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n');
}

export function structured(result: unknown): Record<string, any> {
  return (result as { structuredContent: Record<string, unknown> }).structuredContent;
}
