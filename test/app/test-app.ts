/** The tools as a door calls them: real dispatch, memory store, control with a Device in memory, Asset files in a scratch folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createControl, type ControlRuntime } from '../../control/control.ts';
import { openAssetFiles } from '../../assets/asset-files.ts';
import { toIso } from '../../domain/clock.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Caller, Role } from '../../domain/security.ts';
import type { Store } from '../../domain/store.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { openStore } from '../../store/open.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { createDispatcher, type Call, type Reply } from '../../toolkit/dispatch.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { surroundings, type SurroundingOptions } from './surroundings.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { FakeNetwork } from '../helpers/fake-network.ts';
import { silentLog } from '../helpers/silent-log.ts';

export type Row = Record<string, unknown> & { id: number };

export interface Bench {
  store: Store;
  clock: FakeClock;
  control: ControlRuntime;
  device: FakeDevice;
  deviceId: number;
  /** Devices on other machines, which addDevice can pair with. */
  network: FakeNetwork;
  dir: string;
  /** Ids of the users admin (api), plain (Admin without api), operator and gone (inactive). */
  users: Record<UserName, number>;
  call(operation: string, args?: object, options?: CallOptions): Promise<Reply>;
  /** `data` of the answer. */
  data(operation: string, args?: object, options?: CallOptions): Promise<Row>;
  rows(operation: string, args?: object, options?: CallOptions): Promise<Row[]>;
  ids(operation: string, args?: object): Promise<number[]>;
  /** The call must be refused with this code. */
  refused(code: ErrorCode, operation: string, args?: object, options?: CallOptions): Promise<AppError>;
  /** What the server does before it closes its store. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

type UserName = 'admin' | 'plain' | 'operator' | 'gone';
export type CallOptions = Partial<Omit<Call, 'operation' | 'args' | 'caller' | 'profile'>> & {
  user?: UserName;
  profile?: string;
  sealKey?: Buffer;
};

const AT = '2026-01-01T00:00:00.000Z';
const ROLES: Record<UserName, Role> = { admin: 1, plain: 1, operator: 2, gone: 2 };

/** `kept`: a store to work on in place of one in memory. */
export async function openBench(
  extra: readonly Tool[] = [],
  settings: SurroundingOptions = {},
  kept?: Store,
): Promise<Bench> {
  const clock = new FakeClock(AT);
  const store = kept ?? (await openStore({ dir: '', clock, kind: 'memory' }));
  const dir = mkdtempSync(join(tmpdir(), 'onair-tools-'));
  const assetFiles = await openAssetFiles(dir, { maxBytes: 50_000_000, log: silentLog });
  const device = new FakeDevice({ now: () => toIso(clock.now()) });
  const network = new FakeNetwork();
  const control = await createControl({ store, clock, log: silentLog, assetFiles, network });
  const deviceId = await control.attachLocalDevice(device, 'encoder');
  const users = await addUsers(store);
  const catalogue = createCatalogue([...operations, ...extra], []);
  const dispatcher = createDispatcher({
    catalogue,
    profiles,
    store,
    control,
    clock,
    log: silentLog,
    ...surroundings({ clock, dataDir: dir, ...settings }),
  });

  const call: Bench['call'] = (
    operation,
    args = {},
    { user = 'admin', profile, sealKey = Buffer.alloc(32, 1), ...options } = {},
  ) => {
    const caller: Caller = {
      userId: users[user],
      username: user,
      role: ROLES[user],
      api: user === 'admin',
      tokenKid: 'kid',
      sealKey,
    };
    return dispatcher.dispatch({
      operation,
      args,
      caller,
      via: 'rest',
      profile: profileByName(profile),
      requestId: 'request',
      ...options,
    });
  };
  const bench: Bench = {
    store,
    clock,
    control,
    device,
    deviceId,
    network,
    dir,
    users,
    call,
    settle: () => dispatcher.settle(),
    data: async (...call_) => ((await call(...call_)).body as { data: Row }).data,
    rows: async (...call_) => ((await call(...call_)).body as { rows: Row[] }).rows,
    ids: async (...call_) => (await bench.rows(...call_)).map((row) => row.id),
    async refused(code, operation, args, options) {
      const error = await call(operation, args, options).then(
        (reply) => assert.fail(`${operation} was not refused: ${JSON.stringify(reply.body)}`),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code, `${error.message} ${String(error.extras.cause)}`);
      return error;
    },
    async close() {
      control.close();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return bench;
}

async function addUsers(store: Store): Promise<Record<UserName, number>> {
  const entries = await store.tx((tx) =>
    Object.entries(ROLES).map(([username, role]) => {
      const profile = { role, api: username === 'admin', admin: role === 1, language: 'en', password_version: 1 };
      const person = {
        username,
        first_name: username,
        last_name: 'Test',
        email: `${username}@example.org`,
        password_hash: '',
      };
      const row = { created_at: AT, updated_at: AT, ...person, user_role: role, active: username !== 'gone', profile };
      return [username, tx.insert('users', row).id] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<UserName, number>;
}

/** Fields that the error names. */
export function fieldsOf(error: AppError): string[] {
  return (error.extras.errors ?? []).map((issue) => issue.field);
}

/** One Channel, Encoding, Publishing of type HLS / TS and a Live stream of them. */
export async function addBroadcast(
  bench: Bench,
  mark = '',
): Promise<Record<'channelId' | 'encodingId' | 'publishingId' | 'livestreamId', number>> {
  const { id: channelId } = await bench.data('addChannel', {
    name: `Camera${mark}`,
    type: 'Stream',
    settings: { url: 'http://127.0.0.1:9/live.m3u8' },
  });
  const { id: encodingId } = await bench.data('addEncoding', { name: `720p${mark}` });
  const { id: publishingId } = await bench.data('addPublishing', { name: `Web${mark}`, type: 'HLS / TS' });
  const { id: livestreamId } = await bench.data('addLivestream', {
    name: `Show${mark}`,
    channelId,
    encodingId,
    publishingId,
  });
  return { channelId, encodingId, publishingId, livestreamId };
}

/** A 1×1 PNG. */
export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
