/** The REST API with the Channel tools of the product, and tools of the tests beside them. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import type { Store, StoreHealth } from '../../domain/ports/store.ts';
import type { RateLimit } from '../../toolkit/rate-limit.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { addChannel } from '../../tools/addChannel.ts';
import { deleteChannel } from '../../tools/deleteChannel.ts';
import { getAllChannels } from '../../tools/getAllChannels.ts';
import { getChannelById } from '../../tools/getChannelById.ts';
import { updateChannel } from '../../tools/updateChannel.ts';
import { openRestApi, type RestApiOptions } from '../app/rest-api.ts';
import { startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';

const CHANNEL_TOOLS = [addChannel, deleteChannel, getAllChannels, getChannelById, updateChannel];

export interface RestTestApp {
  rest: Hono;
  store: Store;
  dir: string;
  uploadDir: string;
  /** Warnings and errors. */
  logged: { facts: object; message: string }[];
  health: StoreHealth;
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
  close(): Promise<void>;
}

interface SendOptions {
  /** The operator's when left out; null sends no Authorization. */
  token?: string | null;
  /** An object is sent as JSON; a string as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

interface RestTestAppOptions extends Omit<RestApiOptions, 'log' | 'health'> {
  tools?: readonly Tool[];
  rateLimit?: RateLimit | undefined;
  clock?: Clock;
  /** A store in memory when left out. */
  store?: Store;
}

export async function startRestApp(options: RestTestAppOptions = {}): Promise<RestTestApp> {
  const { clock = systemClock, store, rateLimit, tools = [], ...apiOptions } = options;
  const logged: RestTestApp['logged'] = [];
  const keep = (facts: object, message: string): void => void logged.push({ facts, message });
  const log = { info: () => undefined, warn: keep, error: keep };
  const health: StoreHealth = { ok: true, problem: null };
  const app = await startTestApp({
    clock,
    ...(store !== undefined && { store }),
    tools: [...CHANNEL_TOOLS, ...tools],
    timezone: 'Europe/Zurich',
    log,
    rateLimit,
  });
  const { rest, uploadDir } = await openRestApi(app, { ...apiOptions, log, health: () => health });
  return {
    rest,
    store: app.store,
    dir: app.dir,
    uploadDir,
    logged,
    health,
    async send(method, path, { token = TOKENS.operator, body, headers = {} } = {}) {
      const json =
        body !== undefined && typeof body !== 'string' && !(body instanceof FormData) && !(body instanceof Uint8Array);
      return rest.request(path, {
        method,
        headers: {
          ...(token !== null && { Authorization: `Bearer ${token}` }),
          ...(json && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: json ? JSON.stringify(body) : (body as string | FormData) }),
      });
    },
    close: () => app.close(),
  };
}

/** The app on a free loopback port, for what only real HTTP shows. */
export async function listen(app: Hono): Promise<{ url: string; port: number; close(): Promise<void> }> {
  // Kept as long as `onair serve` keeps it, whatever a test does between two requests.
  const serverOptions = { keepAliveTimeout: 60_000 };
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

export async function problemOf(
  response: Response,
): Promise<Record<string, unknown> & { errors?: { field: string; code: string }[] }> {
  return (await response.json()) as never;
}
