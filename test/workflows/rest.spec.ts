/** The workflows over REST: what they answer, refuse, replay and leave in the audit is what they do over MCP. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { startMcpApi, structured, type McpApi } from '../app/mcp-api.ts';
import { openRestApi, type RestApi } from '../app/rest-api.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { TOKENS, type TokenOwner } from '../app/users.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { weakHashOf } from '../helpers/weak-hash.ts';
import { listen } from '../rest/rest-app.ts';

const PASSWORD = 'correct horse battery';
const EVENING = { start: '2090-01-02T20:00:00Z', end: '2090-01-02T21:00:00Z' };

/** Arguments with which each workflow tells the same twice, for what it would do or what there is. */
const CALLS: Readonly<Record<string, object>> = {
  channel_slot_usage: {},
  get_livestream_status: { livestream: 'Show' },
  get_start_targets: { livestream: 'SHOW' },
  schedule_livestream: { livestream: 'Show', ...EVENING, dry_run: true },
  start_livestream: { livestream: 'show', dry_run: true },
  stop_livestream: { livestream: 'Show', dry_run: true },
  update_destination_stream_key: { livestream: 'Show', destination: 'Push', stream_key: 'canary', dry_run: true },
};

let app: TestApp<Clock>;
let api: RestApi;
let livestreamId: number;
let mcp: McpApi;
/** Timers of the service hold no process; where nothing but time is waited for, this does. */
let awake: NodeJS.Timeout;

beforeEach(async () => {
  awake = setInterval(() => undefined, 1000);
  app = await startTestApp({ clock: systemClock });
  livestreamId = await seedBroadcast(app.store);
  const settings = { url: 'rtmp://127.0.0.1:9/live', stream_key: 'the first key' };
  const push = await app.data('addPublishing', { name: 'Push', type: 'RTMP', settings });
  const livestream = (await app.store.get('livestreams', livestreamId))!.row;
  const group = await app.data('addPublishingGroup', { name: 'All', elements: [livestream.publishingId, push.id] });
  await app.data('updateLivestream', { livestreamId, publishingId: null, publishingGroupId: group.id });
  api = await openRestApi(app);
  mcp = await startMcpApi(undefined, { app });
});
afterEach(async () => {
  clearInterval(awake);
  await mcp.close();
  await app.close();
});

interface Answer {
  status: number;
  headers: Headers;
  body: any;
}
interface More {
  who?: TokenOwner;
  headers?: Record<string, string>;
}

async function rest(name: string, args: object, { who = 'operator', headers = {} }: More = {}): Promise<Answer> {
  const response = await api.send('POST', `/workflows/${name}`, { token: TOKENS[who], body: args, headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function overMcp(name: string, args: object, meta: object = {}): Promise<any> {
  const client = await mcp.client('operator');
  return client.callTool({ name, arguments: args as Record<string, unknown>, _meta: meta as Record<string, unknown> });
}

/** Without the instant of the call, and what a machine measures. */
function lasting(body: Record<string, any>): object {
  const { server_time: _at, devices, ...others } = body;
  return { ...others, devices: (devices as { deviceId: number }[] | undefined)?.map(({ deviceId }) => deviceId) };
}

async function goOnAir(): Promise<void> {
  const started = rest('start_livestream', { livestream: 'Show' });
  app.device.running(await until('a run at the Device', () => app.device.runIds.at(-1)));
  const { status, body } = await started;
  assert.deepEqual([status, body.data.on_air, body.data.changed], [202, true, true]);
}

describe('workflows over REST', () => {
  it('each workflow answers under data what it answers over MCP', async () => {
    for (const [name, args] of Object.entries(CALLS)) {
      const { status, headers, body } = await rest(name, args);
      assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
      assert.equal(headers.get('content-type'), 'application/json');
      assert.equal(headers.get('etag'), null);
      assert.deepEqual(Object.keys(body), ['data']);
      assert.deepEqual(lasting(body.data), lasting(structured(await overMcp(name, args))), name);
    }
  });

  it('a start, a switch of a path and a stop over REST wait for their outcome', async () => {
    await goOnAir();
    const args = { livestream: 'Show', destination: 'Push', path: 'primary', enabled: false, dry_run: true };
    const planned = await rest('toggle_destination', args);
    assert.deepEqual([planned.status, planned.body.data.changed], [200, false]);
    assert.deepEqual(planned.body.data, structured(await overMcp('toggle_destination', args)));
    const stopped = rest('stop_livestream', { livestream: 'Show' });
    const { status, body } = await stopped;
    assert.deepEqual([status, body.data.status, body.data.changed], [200, 0, true]);
  });

  it('a plan is 201, and its dry run is 200 and plans nothing', async () => {
    const dry = await rest('schedule_livestream', { livestream: 'Show', ...EVENING, dry_run: true });
    assert.deepEqual([dry.status, dry.body.data.scheduleId], [200, null]);
    assert.equal((await app.store.find('schedules', {})).total, 0);
    const made = await rest('schedule_livestream', { livestream: 'Show', ...EVENING });
    assert.deepEqual([made.status, made.body.data.changed], [201, true]);
    assert.equal((await app.store.find('schedules', {})).total, 1);
  });

  it('a retry under the same Idempotency-Key is answered as the first call was, by either API', async () => {
    const args = { livestream: 'Show', ...EVENING };
    const headers = { 'Idempotency-Key': 'one' };
    const first = await rest('schedule_livestream', args, { headers });
    const again = await rest('schedule_livestream', args, { headers });
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true']);
    assert.deepEqual(again.body, first.body);
    const byMcp = await overMcp('schedule_livestream', args, { idempotencyKey: 'one' });
    assert.deepEqual(structured(byMcp), first.body.data);
    assert.equal(byMcp._meta.idempotencyReplayed, true);
    const other = await rest('schedule_livestream', { ...args, name: 'Other' }, { headers });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
    assert.equal((await app.store.find('schedules', {})).total, 1);
  });

  it('a workflow over REST is audited once, with the names of its fields and the id of its Live stream', async () => {
    await rest('stop_livestream', { livestream: 'Show' });
    await rest('get_start_targets', { livestream: 'Show' });
    await rest('start_livestream', { livestream: 'Nobody' });
    const { rows } = await app.store.find('audit', { where: { resource: 'Workflows' } });
    assert.deepEqual(
      rows.map(({ operation, outcome, user, via, resource_id }) => [operation, outcome, user, via, resource_id]),
      [
        ['stop_livestream', 'ok', 'operator', 'rest', livestreamId],
        ['start_livestream', 'not_found', 'operator', 'rest', null],
      ],
    );
    assert.deepEqual(rows[0]?.changed, ['livestream', 'wait_seconds', 'dry_run']);
  });

  it('wrong arguments, an unknown workflow, another method and a caller without a token are refused', async () => {
    const wrong = await rest('start_livestream', { livestraem: 'Show' });
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'invalid_input']);
    assert.deepEqual(wrong.body.errors.map(({ field }: { field: string }) => field).sort(), [
      'livestraem',
      'livestream',
    ]);
    const unknown = await rest('raise_curtain', {});
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'unknown_operation']);
    const read = await api.send('GET', '/workflows/get_livestream_status');
    assert.deepEqual([read.status, read.headers.get('allow')], [405, 'POST, OPTIONS']);
    const nobody = await api.rest.request('/svcapiv2/workflows/start_livestream', { method: 'POST' });
    assert.equal(nobody.status, 401);
  });

  it('a server under the profile readonly answers the workflows that read, and refuses the others', async () => {
    api = await openRestApi(app, { profile: 'readonly' });
    const reading = ['channel_slot_usage', 'get_livestream_status', 'get_start_targets'];
    for (const [name, args] of Object.entries(CALLS)) {
      const { status, body } = await rest(name, args, { who: 'admin' });
      const expected = reading.includes(name) ? [200, undefined] : [403, 'profile_forbidden'];
      assert.deepEqual([status, body.code], expected, name);
    }
  });

  it('a signed-in person needs the CSRF token for a workflow that changes something', async () => {
    await app.store.tx((tx) => {
      for (const row of tx.find('users', {}).rows) tx.put('users', { ...row, password_hash: weakHashOf(PASSWORD) });
    });
    const login = await api.rest.request('/svcapiv2/security/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'operator', password: PASSWORD }),
    });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { data } = (await login.json()) as { data: { csrf_token: string } };
    const send = async (name: string, args: object, more: object = {}): Promise<[number, string | undefined]> => {
      const response = await api.rest.request(`/svcapiv2/workflows/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...more },
        body: JSON.stringify(args),
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    assert.deepEqual(await send('stop_livestream', { livestream: 'Show' }), [403, 'forbidden']);
    assert.deepEqual(await send('stop_livestream', { livestream: 'Show' }, { 'X-CSRF-Token': data.csrf_token }), [
      200,
      undefined,
    ]);
    assert.deepEqual(await send('get_start_targets', { livestream: 'Show' }), [200, undefined]);
    const { rows } = await app.store.find('audit', { where: { operation: 'stop_livestream', outcome: 'ok' } });
    assert.deepEqual(
      rows.map(({ via }) => via),
      ['ui'],
    );
  });
});

describe('the progress of a workflow over REST', () => {
  let server: Awaited<ReturnType<typeof listen>>;
  beforeEach(async () => void (server = await listen(api.rest)));
  afterEach(() => server.close());

  const call = (name: string, args: object): Promise<Response> =>
    fetch(`${server.url}/svcapiv2/workflows/${name}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKENS.operator}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-request-id': 'mine',
      },
      body: JSON.stringify(args),
    });

  const eventsIn = (text: string): [string, any][] =>
    text
      .split('\n\n')
      .filter((block) => block.startsWith('event: '))
      .map((block) => {
        const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/u.exec(block) ?? [];
        return [event, JSON.parse(data)];
      });

  it('a start that waits tells its progress, and ends with its answer', async () => {
    const response = await call('start_livestream', { livestream: 'Show' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('x-request-id'), 'mine');
    app.device.running(await until('a run at the Device', () => app.device.runIds.at(-1)));
    const events = eventsIn(await response.text());
    assert.deepEqual(events[0], ['progress', { progress: 0, total: 30, message: '"Show" is starting.' }]);
    assert.ok(events.slice(0, -1).every(([event]) => event === 'progress'));
    const [event, body] = events.at(-1)!;
    assert.deepEqual([event, body.data.on_air, body.data.changed], ['answer', true, true]);
  });

  it('a start that fails after its progress ends with the problem', async () => {
    const response = await call('start_livestream', { livestream: 'Show' });
    app.device.failed(await until('a run at the Device', () => app.device.runIds.at(-1)), 'The source is gone.');
    const [event, problem] = eventsIn(await response.text()).at(-1)!;
    assert.deepEqual([event, problem.code, problem.status], ['problem', 'upstream_failed', 502]);
    assert.deepEqual([problem.upstream, problem.request_id], ['The source is gone.', 'mine']);
  });

  it('what needs no wait keeps its status and is JSON, for a caller who takes both', async () => {
    const done = await call('stop_livestream', { livestream: 'Show' });
    assert.deepEqual([done.status, done.headers.get('content-type')], [200, 'application/json']);
    const refused = await call('start_livestream', { livestream: 'Nobody' });
    assert.deepEqual([refused.status, refused.headers.get('content-type')], [404, 'application/problem+json']);
  });

  it('a caller who leaves ends the wait, and the start goes on', async () => {
    const response = await call('start_livestream', { livestream: 'Show', wait_seconds: 240 });
    await response.body!.cancel();
    app.device.running(await until('a run at the Device', () => app.device.runIds.at(-1)));
    await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
  });
});
