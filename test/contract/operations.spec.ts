/** Every operation and workflow, on a service as it is run: who may call it, what it refuses, and that all four doors answer the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import type { StoreDocument } from '../../domain/ports/store.ts';
import { isMutating } from '../../toolkit/access.ts';
import { isWorkflow, routeOf, type Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { someOf } from '../helpers/counts.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { APIS, openApis, type Api, type Args, type Apis, type Outcome } from './apis.ts';
import { EXAMPLES } from './examples.ts';
import { REFUSED } from './refused.ts';
import { withoutDifferences } from './sameness.ts';
import { createSchemaCheck, type SchemaCheck } from './schemas.ts';
import { CANARY, createResources, type Resources } from './resources.ts';
import { addStoredSecrets } from './stored-secrets.ts';

/** A valid id that no resource has. */
const NO_SUCH_ID = 999_999_999;
/** Operations on something that has no version. */
const UNVERSIONED = new Set(['acknowledgeEvent', 'revokeApiToken', 'revokeDisplayLink', 'revokeJoinToken']);

let service: Service;
let readonlyService: Service;
let admin: Apis;
let readonly: Apis;
let resources: Resources;
let schemaCheck: SchemaCheck;
let operatorToken: string;
/** Whatever the service has said, word for word. */
const seen: string[] = [];
const made = new Map<string, Promise<Args>>();

before(async () => {
  const issuer = makeIssuer();
  [service, readonlyService] = await Promise.all([
    startService({ ONAIR_LICENSE_KEY: issuer.publicPem, ONAIR_RATE_LIMIT: '0' }),
    startService({ TOOL_PROFILE: 'readonly' }),
  ]);
  resources = createResources(service, issuer);
  const bearer = service.env['ONAIR_BOOTSTRAP_TOKEN'] ?? '';
  admin = await openApis(service, bearer, seen);
  readonly = await openApis(readonlyService, bearer, seen);
  schemaCheck = createSchemaCheck((await service.rest('GET', '/openapi.json')).body as object);
  await addStoredSecrets(resources);
  operatorToken = await tokenOfAnOperator();
});
after(async () => {
  await Promise.allSettled([admin?.close(), readonly?.close(), resources?.close()]);
  await Promise.all([service?.dispose(), readonlyService?.dispose()]);
});

async function tokenOfAnOperator(): Promise<string> {
  const names = { username: 'olive', first_name: 'Olive', last_name: 'Operator', email: 'olive@example.org' };
  const person = await resources.post('/users', { ...names, password: `${CANARY}-password`, user_role: 2 });
  return (await resources.post('/security/tokens', { name: 'olive', userId: person.id }))['token'] as string;
}

/** The same for all refusals of an operation: a refused call leaves its resources as they are. */
function argsOf(tool: Tool): Promise<Args> {
  let args = made.get(tool.name);
  if (args === undefined) {
    args = twinOf(tool);
    made.set(tool.name, args);
  }
  return args;
}

async function twinOf(tool: Tool): Promise<Args> {
  const example = EXAMPLES[tool.name];
  assert.ok(example, `no example for ${tool.name}: add it to test/contract/examples.ts`);
  return example(resources);
}

const tools = [...operations, ...workflows];
const mutations = operations.filter(isMutating);
const reads = operations.filter((tool) => !isMutating(tool));
/** Those that are called by the CLI too. */
const byCli = new Set(someOf(tools, 8));
const apisOf = (tool: Tool): readonly Api[] => APIS.filter((api) => api !== 'CLI' || byCli.has(tool));

it('every operation and workflow has an example, and every example has one of them', () => {
  const names = tools.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !(name in EXAMPLES)).map((name) => `no example for ${name}`),
    [],
  );
  assert.deepEqual(
    Object.keys(EXAMPLES).filter((name) => !names.includes(name)),
    [],
  );
});

describe('a call without a token', () => {
  for (const tool of tools) {
    it(`${tool.name} is refused without a token`, async () => {
      const { status, headers, body } = await admin.rest(tool, await argsOf(tool), { token: null });
      assertProblem(tool, { status, body }, 'unauthenticated');
      assert.equal(headers.get('www-authenticate'), 'Bearer');
      assert.equal(headers.get('content-type'), 'application/problem+json');
      assert.equal(headers.get('x-request-id'), body.request_id);
    });
  }
});

describe('an operation for Administrators alone, called by an Operator', () => {
  for (const tool of operations.filter(({ access }) => access === 'admin')) {
    it(`${tool.name} is refused to an Operator`, async () => {
      assertProblem(tool, await admin.rest(tool, await argsOf(tool), { token: operatorToken }), 'forbidden');
    });
  }
});

describe('a change under the profile readonly', () => {
  for (const tool of tools.filter(isMutating)) {
    it(`${tool.name} is refused under the profile readonly`, async () => {
      const args = await argsOf(tool);
      assertProblem(tool, await readonly.rest(tool, args), 'profile_forbidden');
      assert.equal((await readonly.call('MCP call_tool', tool, args)).code, 'profile_forbidden');
    });
  }
});

describe('a field that the operation does not have', () => {
  for (const tool of tools) {
    it(`${tool.name} refuses a field that it does not have`, async () => {
      const reply = await admin.rest(tool, { ...(await argsOf(tool)), no_such_field: 1 });
      assertProblem(tool, reply, 'invalid_input');
      const fields = (reply.body.errors as { field: string; code: string }[]).map(
        ({ field, code }) => `${field} ${code}`,
      );
      assert.deepEqual(fields, ['no_such_field unknown_field']);
    });
  }
});

describe('an id that does not exist', () => {
  for (const tool of operations) {
    const params = routeOf(tool).params.filter((name) => name !== 'assetId');
    if (params.length === 0) continue;
    it(`${tool.name} refuses an id that does not exist`, async () => {
      const args = await argsOf(tool);
      const wrong = params.map((name) => [name, typeof args[name] === 'number' ? NO_SUCH_ID : `no-such-${name}`]);
      assertProblem(tool, await admin.rest(tool, { ...args, ...Object.fromEntries(wrong) }), 'not_found');
    });
  }
});

describe('a version that is not the present one', () => {
  const versioned = operations.filter(({ effect }) => effect === 'update' || effect === 'delete');
  for (const tool of versioned.filter((each) => routeOf(each).params.length > 0 && !UNVERSIONED.has(each.name)))
    it(`${tool.name} refuses a version that is not the present one`, async () => {
      const reply = await admin.rest(tool, await argsOf(tool), { headers: { 'if-match': '"987654321"' } });
      assertProblem(tool, reply, 'version_mismatch');
    });
});

describe('a read over every API', { concurrency: 2 }, () => {
  for (const tool of reads) {
    it(`${tool.name} reads the same over every API`, async () => {
      const args = await argsOf(tool);
      const outcomes: Outcome[] = [];
      for (const api of apisOf(tool)) outcomes.push(await admin.call(api, tool, args));
      assertSame(tool, outcomes);
    });
  }
});

// They tell how full Devices are, so nothing may run beside them.
describe('a workflow over every API', () => {
  for (const tool of workflows) {
    it(`${tool.name} answers the same over every API`, async () => {
      const outcomes: Outcome[] = [];
      for (const api of apisOf(tool)) {
        outcomes.push(await admin.call(api, tool, isMutating(tool) ? await twinOf(tool) : await argsOf(tool)));
        if (tool.name === 'start_livestream')
          await stop(objectOf(tool, outcomes.at(-1)!.body)['livestreamId'] as number);
      }
      assertSame(tool, outcomes);
    });
  }
});

describe('a change over every API', { concurrency: 2 }, () => {
  for (const tool of mutations) {
    it(`${tool.name} changes the same over every API`, async () => {
      const outcomes: Outcome[] = [];
      for (const api of apisOf(tool)) {
        const args = await twinOf(tool);
        outcomes.push(await admin.call(api, tool, args));
        if (tool.name === 'startLivestream') await stop(args['livestreamId'] as number);
      }
      assertSame(tool, outcomes);
    });
  }
});

/** A machine of the tests has room for one broadcast at a time. */
async function stop(livestreamId: number): Promise<void> {
  await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
  await until('status 0', async () => {
    return (await service.rest('GET', `/livestreams/${livestreamId}/status`)).body.data.status === 0;
  });
}

describe('secrets that were stored', () => {
  it('secrets that were stored are in no answer of any API', () => {
    assert.ok(seen.length > 5 * operations.length, `${seen.length} answers were looked at`);
    assertNoCanary(seen);
  });

  it('secrets that were stored are in no audit entry and no event', async () => {
    const audit = await pages('/system/audit?pageSize=500');
    assert.ok(audit.length > mutations.length);
    const livestreams = await resources.rows('/livestreams?pageSize=500');
    const events = await Promise.all(
      livestreams.map(({ id }) => resources.rows(`/livestreams/${id}/events?pageSize=500`)),
    );
    assert.ok(events.flat().length > 0);
    assertNoCanary([...audit, ...events.flat()].map((row) => JSON.stringify(row)));
  });

  it('secrets that were stored are in nothing that the service and its Device have logged', () => {
    const logs = logFiles(service.dataDir);
    assertNoCanary([service.output(), readonlyService.output(), ...logs]);
  });
});

async function pages(path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const more = await resources.rows(`${path}&page=${page}`);
    if (more.length === 0) return rows;
    rows.push(...more);
  }
}

/** Why a Device did not answer stands there alone. */
function logs(): string {
  return [service.output(), ...logFiles(service.dataDir)].map((text) => text.slice(-4000)).join('\n');
}

function logFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.log'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

function assertNoCanary(texts: readonly string[]): void {
  for (const secret of resources.secrets) {
    for (const text of texts) {
      const at = text.indexOf(secret);
      assert.ok(at < 0, `…${text.slice(Math.max(0, at - 200), at + 100)}…`);
    }
  }
}

describe('the store after all operations', () => {
  it('the store after all operations is exported, and imported as it is', async () => {
    await service.kill('SIGTERM');
    const onair = (data: string, ...args: string[]): unknown =>
      execFileSync(process.execPath, [PROGRAM, ...args], { env: { ...service.env, ONAIR_DATA: data }, stdio: 'pipe' });
    const [first, second] = ['first.json', 'second.json'].map((name) => join(service.scratch, name)) as [
      string,
      string,
    ];
    const other = join(service.scratch, 'other');
    onair(service.dataDir, 'export', first);
    onair(other, 'import', first);
    onair(other, 'export', second);
    const [sent, come] = [first, second].map((file) => JSON.parse(readFileSync(file, 'utf8')) as StoreDocument);
    assert.deepEqual(come!.collections, sent!.collections);
    const filled = Object.values(sent!.collections).filter((rows) => rows.length > 0);
    assert.ok(filled.length > 20, `rows in ${filled.length} collections`);
  });
});

function assertProblem(
  tool: Tool,
  { status, body }: { status: number; body: Args },
  code: keyof typeof ERROR_CODES,
): void {
  assert.deepEqual({ status, code: body['code'] }, { status: ERROR_CODES[code].status, code }, JSON.stringify(body));
  assert.deepEqual(schemaCheck.faultsOf(tool, status, body), []);
}

/** The object of a workflow, which is under data over REST alone; the whole answer of an operation. */
function objectOf(tool: Tool, body: any): Record<string, unknown> {
  return isWorkflow(tool) && 'data' in body ? body.data : body;
}

/** The first outcome is that of REST. */
function assertSame(tool: Tool, outcomes: readonly Outcome[]): void {
  const [rest, ...others] = outcomes as [Outcome & { status: number }, ...Outcome[]];
  const refusal = REFUSED[tool.name];
  assert.equal(rest.code, refusal, `${JSON.stringify(rest.body)}\n${rest.code === 'unavailable' ? logs() : ''}`);
  assert.deepEqual(schemaCheck.faultsOf(tool, rest.status, rest.body), [], 'the OpenAPI document');
  for (const [at, { code, body }] of others.entries()) {
    const api = APIS[at + 1];
    assert.equal(code, rest.code, `${api}: ${JSON.stringify(body)}`);
    if (code === undefined)
      assert.deepEqual(withoutDifferences(body), withoutDifferences(objectOf(tool, rest.body)), api);
  }
  if (refusal !== undefined) return;
  const fit = tool.output.safeParse(objectOf(tool, rest.body));
  assert.ok(fit.success, String(fit.error));
}
