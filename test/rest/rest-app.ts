/** A REST door over a memory store: Channel tools of the product, and a few of our own for what those do not show. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { z } from 'zod/v3';
import { createAuth } from '../../auth/auth.ts';
import { createSessions } from '../../auth/sessions.ts';
import { systemClock, type Clock } from '../../domain/clock.ts';
import type { Control } from '../../domain/control.ts';
import { hashToken, type Role } from '../../domain/security.ts';
import type { Store, StoreHealth } from '../../domain/store.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { createRestApp, type RestLimits } from '../../rest/app.ts';
import { proxiesAt } from '../../rest/client-address.ts';
import { openStore } from '../../store/open.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { createDispatcher } from '../../toolkit/dispatch.ts';
import { dataOf } from '../../toolkit/output/page.ts';
import type { RateLimit } from '../../toolkit/rate-limit.ts';
import { defineTool, type Tool, type ToolContext } from '../../toolkit/tool.ts';
import { addChannel } from '../../tools/addChannel.ts';
import { deleteChannel } from '../../tools/deleteChannel.ts';
import { getAllChannels } from '../../tools/getAllChannels.ts';
import { getChannelById } from '../../tools/getChannelById.ts';
import { updateChannel } from '../../tools/updateChannel.ts';
import { surroundings } from '../app/surroundings.ts';

export const ADMIN = 'admin-token-of-the-tests';
export const OPERATOR = 'operator-token-of-the-tests';
const CHANNEL_TOOLS = [addChannel, deleteChannel, getAllChannels, getChannelById, updateChannel];

export interface World {
  app: Hono;
  store: Store;
  dir: string;
  uploadDir: string;
  /** What was logged as warning or error. */
  logged: { facts: object; message: string }[];
  health: StoreHealth;
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
  close(): Promise<void>;
}

interface SendOptions {
  /** null: no Authorization. Left out: the operator's token. */
  token?: string | null;
  /** An object is sent as JSON; a string as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

interface WorldOptions {
  tools?: readonly Tool[];
  profile?: string;
  /** Left out: one of its own. */
  uploadDir?: string;
  limits?: Partial<RestLimits>;
  rateLimit?: RateLimit | undefined;
  clock?: Clock;
  publicUrl?: string;
  /** As the setting has them. */
  trustedProxies?: string;
  /** Left out: one of its own. */
  store?: Store;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { clock = systemClock, publicUrl } = options;
  const allowedHosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const store = options.store ?? (await openStore({ kind: 'memory', clock }));
  if (options.store === undefined) {
    await addUser(store, 'admin', 1, ADMIN);
    await addUser(store, 'operator', 2, OPERATOR);
  }
  const dir = mkdtempSync(join(tmpdir(), 'onair-rest-'));
  const uploadDir = options.uploadDir ?? join(dir, 'uploads');
  const logged: World['logged'] = [];
  const keep = (facts: object, message: string): void => void logged.push({ facts, message });
  const log = { info: () => undefined, warn: keep, error: keep };
  const health: StoreHealth = { ok: true, problem: null };
  const catalogue = createCatalogue([...CHANNEL_TOOLS, ...(options.tools ?? [])], []);
  const dispatcher = createDispatcher({
    catalogue,
    profiles,
    store,
    control: { timezone: 'Europe/Zurich' } as Control,
    clock,
    log,
    rateLimit: options.rateLimit,
    ...surroundings(),
  });
  const app = createRestApp({
    dispatcher,
    auth: createAuth({ store, clock }),
    sessions: createSessions({ store, clock }),
    profile: profileByName(options.profile),
    config: {
      ...{ version: '1.2.3', publicUrl, allowedHosts },
      trustedProxies: options.trustedProxies === undefined ? undefined : proxiesAt(options.trustedProxies),
    },
    log,
    health: () => health,
    uploadDir,
    ...(options.limits && { limits: options.limits }),
  });
  return {
    app,
    store,
    dir,
    uploadDir,
    logged,
    health,
    async send(method, path, { token = OPERATOR, body, headers = {} } = {}) {
      const json =
        body !== undefined && typeof body !== 'string' && !(body instanceof FormData) && !(body instanceof Uint8Array);
      return app.request(path, {
        method,
        headers: {
          ...(token !== null && { Authorization: `Bearer ${token}` }),
          ...(json && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: json ? JSON.stringify(body) : (body as string | FormData) }),
      });
    },
    async close() {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function addUser(store: Store, username: string, role: Role, token: string): Promise<void> {
  const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
  const profile = { role, api: true, admin: role === 1, language: 'en', password_version: 1 };
  await store.tx((tx) => {
    const person = { username, first_name: username, last_name: 'Test', email: `${username}@example.org` };
    const user = tx.insert('users', {
      ...stamps,
      ...person,
      password_hash: '',
      user_role: role,
      active: true,
      profile,
    });
    const secret = { kid: `kid-${username}`, token_hash: hashToken(token), expires_at: null, revoked_at: null };
    tx.insert('tokens', { ...stamps, ...secret, name: username, userId: user.id });
  });
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

type ToolParts = Pick<Tool, 'name' | 'rest' | 'effect' | 'input'> &
  Partial<Pick<Tool, 'access' | 'output' | 'secretAnswer'>>;

/** A tool of the tests: the answer of `act` under `data`. */
export function makeTool(parts: ToolParts, act: (ctx: ToolContext, input: Record<string, unknown>) => unknown): Tool {
  return defineTool({
    summary: `Do ${parts.name}.`,
    description: 'A tool of the tests.',
    tag: 'Tests',
    aliases: [],
    access: 'operator',
    output: dataOf(z.any()),
    ...parts,
    handle: async (ctx, input) => ({ body: { data: await act(ctx, input as Record<string, unknown>) } }),
  });
}

/** Answers its input: shows what the door made of a request. */
export function echoTool(rest: string, shape: z.ZodRawShape, name = 'echoThing'): Tool {
  const effect = rest.startsWith('GET') ? 'read' : rest.startsWith('DELETE') ? 'delete' : 'control';
  return makeTool({ name, rest, effect, input: z.object(shape).strict() }, (_ctx, input) => input);
}

/** Takes a form and answers what arrived. */
export const uploadAsset = makeTool(
  {
    name: 'uploadAsset',
    rest: 'POST /assets',
    effect: 'create',
    input: z
      .object({
        filename: z.string().max(100).optional(),
        fileType: z.enum(['logos', 'files']),
        content_base64: z.string().optional(),
      })
      .strict(),
  },
  async (ctx, input) => {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of (ctx.request.upload?.content ?? []) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      size += chunk.byteLength;
    }
    return { ...input, uploadName: ctx.request.upload?.filename, size, sha256: hash.digest('hex') };
  },
);

/** Answers `content` as a file beside its JSON. */
export async function fileTool(dir: string, content: string): Promise<Tool> {
  const path = join(dir, 'asset.txt');
  await writeFile(path, content);
  return defineTool({
    name: 'readAsset',
    summary: 'Read a file.',
    description: 'A tool of the tests.',
    tag: 'Tests',
    aliases: [],
    rest: 'GET /assets/{filename}',
    access: 'operator',
    effect: 'read',
    input: z.object({ filename: z.string() }).strict(),
    output: dataOf(z.object({ filename: z.string() }).strict()),
    handle: async (_ctx, { filename }) => ({
      body: { data: { filename } },
      file: { path: filename === 'gone' ? join(dir, 'gone') : path, contentType: 'text/plain' },
    }),
  });
}

export async function problemOf(
  response: Response,
): Promise<Record<string, unknown> & { errors?: { field: string; code: string }[] }> {
  return (await response.json()) as never;
}
