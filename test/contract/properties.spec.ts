/** Whatever is sent, the service answers in its own words, in time, and keeps its rows whole. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { COLLECTIONS, type CollectionName } from '../../domain/ports/collections.ts';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { routeOf, type Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { countOf } from '../helpers/counts.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import { toIso } from '../../domain/time/clock.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import type { Service } from '../helpers/service.ts';
import { type RestApi, openRestApi } from '../app/rest-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import type { Args } from './apis.ts';
import { EXAMPLES } from './examples.ts';
import { createSchemaCheck, type SchemaCheck } from './schemas.ts';
import { twists } from './strange-requests.ts';
import { addStoredSecrets } from './stored-secrets.ts';
import { createResources, type Resources } from './resources.ts';
import { documentOf } from '../helpers/store-document.ts';

const SEED = 20_260_101;
/** A new twin after so many requests: by then the last one has been deleted, or twisted out of use. */
const USES = 10;
/** Codes of services that do not answer here, and of a machine that is full. */
const EXCUSED = new Set(['upstream_failed', 'timeout', 'no_capacity', 'unavailable']);
/** Written by a refusal itself, or by what runs beside the call. */
const BESIDE = new Set<CollectionName>(['audit', 'idempotency', 'runs', 'events']);
/** Another machine's agent is a process of its own: what is sent here are requests that never reach one. */
const NO_AGENT: Args = {
  name: 'far',
  ip_address: '127.0.0.1:9',
  type: 'standalone',
  register_username: 'a',
  register_password: 'b',
};

/** Those who send the requests: one of them, once inactive, would end it all. */
const CALLERS = /^\/users\/0*[1-4](?!\d)/u;

let app: TestApp;
let api: RestApi;
let resources: Resources;
let schemaCheck: SchemaCheck;
let changed: string[] = [];
const twins = new Map<string, { args: Args; uses: number }>();

before(async () => {
  const issuer = makeIssuer();
  app = await startTestApp({ licenceKey: issuer.publicPem });
  api = await openRestApi(app);
  const rest: Service['rest'] = async (method, path, body) => {
    const response = await api.send(method, path, { body });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  resources = createResources({ rest }, issuer);
  schemaCheck = createSchemaCheck((await rest('GET', '/openapi.json')).body as object);
  await addStoredSecrets(resources);
  app.store.onChange((changes) => {
    for (const { collection, id } of changes) if (!BESIDE.has(collection)) changed.push(`${collection} ${id}`);
  });
});
after(() => app.close());

async function argsOf(tool: Tool): Promise<Args> {
  const known = twins.get(tool.name);
  if (known !== undefined && known.uses < USES) {
    known.uses += 1;
    return known.args;
  }
  const args = await exampleOf(tool);
  twins.set(tool.name, { args, uses: 1 });
  return args;
}

async function exampleOf(tool: Tool): Promise<Args> {
  if (tool.name === 'addDevice') return NO_AGENT;
  if (['deleteDevice', 'drainDevice', 'undrainDevice'].includes(tool.name)) return { deviceId: 9 };
  if (tool.name === 'createClip') return { recordingId: await recordingId(), in: 0.5, out: 1.5 };
  if ('recordingId' in tool.input.shape) return { recordingId: await recordingId() };
  if (tool.name === 'getRecordings') return {};
  if (tool.name === 'acknowledgeEvent') return { eventId: await eventId() };
  const example = EXAMPLES[tool.name];
  assert.ok(example, `no example for ${tool.name}`);
  return example(resources);
}

async function eventId(): Promise<number> {
  const facts = { kind: 'source_lost', severity: 'error', message: 'The source is lost.' } as const;
  await app.store.tx((tx) => addEvent(tx, toIso(app.clock.now()), null, facts));
  const sort = { field: 'id', descending: true };
  return (await app.store.find('events', { sort, limit: 1 })).rows[0]!.id;
}

/** A row alone: no encoder runs here that could record. */
async function recordingId(): Promise<number> {
  const row = recordingRow({ name: `Show ${randomUUID()}`, runId: randomUUID(), deviceId: app.deviceId });
  return (await app.store.tx((tx) => tx.insert('recordings', row))).id;
}

describe('strange requests', () => {
  for (const { name, seed, runs } of [
    { name: 'of a known seed', seed: SEED, runs: countOf(150, 4000) },
    { name: 'of another seed', seed: SEED + 1, runs: countOf(50, 1000) },
  ]) {
    it(`${runs} strange requests ${name} (${seed}) find no fault`, async () => {
      const found = new Map<string, string>();
      const property = fc.asyncProperty(fc.nat({ max: operations.length - 1 }), twists, async (at, twist) => {
        const tool = operations[at]!;
        const args = await argsOf(tool).catch((error: unknown) => `no twin: ${String(error)}`);
        if (typeof args === 'string') return void found.set(`${tool.name}: ${args}`, '');
        const { path, body, headers } = twist(tool, args);
        if (CALLERS.test(path)) return;
        changed = [];
        const faults = await faultsOf(tool, path, body, headers).catch((error: unknown) => [String(error)]);
        const request = `${path.slice(0, 200)} ${JSON.stringify(headers)} ${body?.slice(0, 500)}`;
        for (const fault of faults) found.set(`${tool.name}: ${fault}`, request);
      });
      // Each request meets what those before it have left: a smaller run of them would not fail the same way.
      await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
      assert.deepEqual([...found], [], `seed ${seed}`);
      assert.deepEqual(await brokenReferences(), []);
    });
  }
});

/** A set-up stays when only its start has failed. */
function isKept({ name }: Tool, code: string): boolean {
  return name === 'setUpBroadcast' && EXCUSED.has(code);
}

/** A broadcast that was set up and started waits for its outcome by the application's clock, which nobody else moves. */
async function answered(sent: Response | Promise<Response>): Promise<Response> {
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const later = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), 500)));
    const response = await Promise.race([sent, later]);
    clearTimeout(timer);
    if (response !== undefined) return response;
    app.clock.advance(10_000);
  }
}

async function faultsOf(
  tool: Tool,
  path: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<string[]> {
  const init = {
    method: routeOf(tool).method,
    headers: { authorization: `Bearer ${TOKENS.admin}`, accept: 'application/json', ...headers },
  };
  const response = await answered(
    api.rest.request(`/svcapiv2${path}`, { ...init, ...(body !== undefined && { body }) }),
  );
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  if (status < 400 && !type.startsWith('application/json')) {
    await response.arrayBuffer();
    return status === 200 || status === 206 ? [] : [`status ${status} with ${type}`];
  }
  const answer = (await response.json()) as { code?: string; request_id?: string };
  if (status < 400) return schemaCheck.faultsOf(tool, status, answer);
  const { code = '' } = answer;
  const known = ERROR_CODES[code as keyof typeof ERROR_CODES] as { status: number } | undefined;
  const text = JSON.stringify(answer);
  return [
    ...(/node_modules|\.[mc]?[jt]s:\d+/u.test(text) ? [`a stack: ${text}`] : []),
    ...(text.length < 64 * 1024 ? [] : [`a refusal of ${text.length} characters`]),
    ...(type === 'application/problem+json' ? [] : [`a problem as ${type}`]),
    ...(known?.status === status ? [] : [`code ${code} with status ${status}`]),
    ...(status < 500 || EXCUSED.has(code) ? [] : [`status ${status}: ${JSON.stringify(answer)}`]),
    ...(changed.length === 0 || isKept(tool, code) ? [] : [`refused with ${code}, and changed ${changed.join(', ')}`]),
    // A path that is none of the operation's belongs to no operation's description.
    ...(code === 'unknown_operation' ? [] : schemaCheck.faultsOf(tool, status, answer)),
  ];
}

const REFERENCES: Record<string, CollectionName> = {
  channelId: 'channels',
  encodingId: 'encodings',
  encodingGroupId: 'encodingGroups',
  publishingId: 'publishings',
  publishingGroupId: 'publishingGroups',
  deviceId: 'devices',
  idEncoderGroup: 'deviceGroups',
  cloudAccountId: 'cloudAccounts',
  provider_id: 'drmProviders',
  remotefolder: 'remoteFolders',
};
const MEMBERS: Partial<Record<CollectionName, { field: string; of: CollectionName }>> = {
  encodingGroups: { field: 'elements', of: 'encodings' },
  publishingGroups: { field: 'elements', of: 'publishings' },
  userGroups: { field: 'elements', of: 'users' },
  deviceGroups: { field: 'devices', of: 'devices' },
};

/** References of stored rows that lead nowhere, and Live streams bound to both of a pair or to none. */
async function brokenReferences(): Promise<string[]> {
  const { collections } = await documentOf(app.store);
  const rowsOf = (name: CollectionName): Args[] => (collections[name] ?? []).map(({ row }) => row as unknown as Args);
  const ids = new Map(
    Object.keys(COLLECTIONS).map((name) => [name, new Set(rowsOf(name as CollectionName).map((row) => row['id']))]),
  );
  const broken: string[] = [];
  const look = (where: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const target = REFERENCES[name];
      if (target !== undefined && typeof inner === 'number' && ids.get(target)?.has(inner) !== true) {
        broken.push(`${where} names ${target} ${inner}`);
      }
      look(where, inner);
    }
  };
  // A run and the log tell what was; so may they name what has gone since.
  for (const name of ['livestreams', 'channels', 'publishings'] as const) {
    for (const row of rowsOf(name)) look(`${name} ${String(row['id'])}`, row);
  }
  for (const [name, { field, of }] of Object.entries(MEMBERS)) {
    for (const row of rowsOf(name as CollectionName)) {
      const lost = (row[field] as number[]).filter((id) => ids.get(of)?.has(id) !== true);
      if (lost.length > 0) broken.push(`${name} ${String(row['id'])} holds ${of} ${lost.join(', ')}`);
    }
  }
  for (const row of rowsOf('livestreams')) {
    for (const [one, other] of [
      ['encodingId', 'encodingGroupId'],
      ['publishingId', 'publishingGroupId'],
    ] as const) {
      if ((row[one] === null) === (row[other] === null))
        broken.push(`livestreams ${String(row['id'])}: ${one} and ${other}`);
    }
  }
  return broken;
}
