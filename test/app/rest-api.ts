/** The REST door over a bench: every operation of the product, the bench's clock, real bearer tokens. */
import { join } from 'node:path';
import type { Hono } from 'hono';
import { createAuth } from '../../auth/auth.ts';
import { createSessions } from '../../auth/sessions.ts';
import { hashToken } from '../../domain/security.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { createRestApp, type RestLimits } from '../../rest/app.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { createDispatcher } from '../../toolkit/dispatch.ts';
import { operations } from '../../tools/index.ts';
import { surroundings, type SurroundingOptions } from './surroundings.ts';
import type { Bench } from './test-app.ts';
import { silentLog } from '../helpers/silent-log.ts';

export const ADMIN_TOKEN = 'bench-admin-token-0123456789';
export const OPERATOR_TOKEN = 'bench-operator-token-0123456789';

export interface Door {
  app: Hono;
  uploadDir: string;
  send(method: string, path: string, options?: { token?: string; body?: unknown; headers?: object }): Promise<Response>;
}

export async function openDoor(
  bench: Bench,
  settings: SurroundingOptions = {},
  limits: Partial<RestLimits> = {},
): Promise<Door> {
  const { store, control, clock, users } = bench;
  const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
  const lasting = { ...stamps, expires_at: null, revoked_at: null };
  await store.tx((tx) => {
    const add = (kid: string, userId: number, token: string): void =>
      void tx.insert('tokens', { ...lasting, kid, name: kid, userId, token_hash: hashToken(token) });
    add('door-admin', users.admin, ADMIN_TOKEN);
    add('door-operator', users.operator, OPERATOR_TOKEN);
  });
  const around = surroundings({ clock, dataDir: bench.dir, ...settings });
  const dispatcher = createDispatcher({
    catalogue: createCatalogue(operations, []),
    profiles,
    store,
    control,
    clock,
    log: silentLog,
    ...around,
  });
  const uploadDir = join(bench.dir, 'uploads');
  const app = createRestApp({
    dispatcher,
    auth: createAuth({ store, clock }),
    sessions: createSessions({ store, clock }),
    profile: profileByName(undefined),
    config: { version: '0.0.0' },
    log: silentLog,
    health: () => store.health(),
    uploadDir,
    limits,
    downloads: { store, files: control.recordings, links: around.system.links },
  });
  return {
    app,
    uploadDir,
    send: async (method, path, { token = ADMIN_TOKEN, body, headers = {} } = {}) => {
      const isForm = body instanceof FormData;
      return app.request(`/svcapiv2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
    },
  };
}
