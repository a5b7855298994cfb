/** A name that is nearly another's changes nothing, whoever sends it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { AppError } from '../../domain/base/errors.ts';
import { startMcpApi, structured, textOf, type McpApi } from '../app/mcp-api.ts';
import { openRestApi, type RestApi } from '../app/rest-api.ts';
import { TOKENS } from '../app/users.ts';
import { onair } from '../helpers/cli.ts';
import { listen } from '../rest/rest-app.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

type Arguments = Record<string, unknown>;

let app: WorkflowApp;
let mcp: McpApi;
let api: RestApi;
let server: Awaited<ReturnType<typeof listen>>;
let assistant: Client;
let voice: Client;

/** A change of a wrong row would show in it. */
function state(): Promise<string> {
  return app.store.tx((view) => {
    const names = ['livestreams', 'channels', 'publishings', 'schedules', 'plannedActions', 'deviceGroups'] as const;
    const runs = view
      .find('runs', {})
      .rows.map(({ id, desired, status, inForce }) => ({ id, desired, status, inForce }));
    return JSON.stringify([runs, ...names.map((name) => view.find(name, {}).rows)]);
  });
}

before(async () => {
  app = await startWorkflowApp();
  await onAir(app);
  await app.store.tx((tx) => {
    tx.put('livestreams', { ...tx.get('livestreams', app.livestreamId)!, name: 'Studio A' });
    tx.put('channels', { ...tx.get('channels', 1)!, name: 'Camera A' });
    const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    tx.insert('deviceGroups', { ...stamps, description: null, name: 'Pool A', devices: [] });
    tx.insert('remoteFolders', {
      ...stamps,
      name: 'Archive A',
      protocol: 'NFS',
      host: 'a.example',
      folder: '/',
    } as never);
  });
  api = await openRestApi(app);
  mcp = await startMcpApi(undefined, { app });
  server = await listen(api.rest);
  assistant = await mcp.client();
  voice = await mcp.client('admin', { 'x-onair-profile': 'voice' });
});
after(async () => {
  await server.close();
  await mcp.close();
  await app.close();
});

const TIMES = { start: '2090-01-02T20:00:00Z', end: '2090-01-02T21:00:00Z' };
/** Every workflow that changes something, by the Live stream `name`. */
const changes = (livestream: string): [string, Arguments][] => [
  ['start_livestream', { livestream }],
  ['stop_livestream', { livestream }],
  ['schedule_livestream', { livestream, ...TIMES }],
  ['toggle_destination', { livestream, destination: 'Web', path: 'primary', enabled: false }],
  ['update_destination_stream_key', { livestream, destination: 'Web', stream_key: 'a key' }],
];
/** Other rows than Live streams, of which there is one each that is nearly called so. */
const OTHER_ROWS: [string, Arguments, string][] = [
  ['toggle_destination', { livestream: 'Studio A', destination: 'Wbe', path: 'primary', enabled: false }, 'Web'],
  ['start_livestream', { livestream: 'Studio A', target: 'studia' }, 'studio'],
  ['start_livestream', { livestream: 'Studio A', deviceId: 'studia' }, 'studio'],
  ['schedule_livestream', { livestream: 'Studio A', ...TIMES, idEncoderGroup: 'Pool B' }, 'Pool A'],
];
const NAMES = ['Studio B', 'Studio a1', 'Stduio A'];

/** The refusal is for people and programs, names the one row that there is, and has the call that would run with it. */
async function isHelpful(problem: Record<string, any>, name: string): Promise<void> {
  assert.deepEqual([problem['code'], problem['corrected_call']], ['not_found', undefined]);
  assert.match(problem['detail'], new RegExp(`^There is no .*\\. The nearest: (?:Device )?"${name}"`, 'u'));
  const { call, ...row } = problem['nearest'][0];
  assert.equal(row.name, name);
  await assert.doesNotReject(
    app.run(call.name, { ...call.arguments, dry_run: true, stream_key: undefined }).catch(passes),
  );
}

/** A dry run may be refused for the state that it finds, and not for the name. */
function passes(error: AppError): void {
  if (['not_found', 'conflict'].includes(error.code)) throw error;
}

describe('on air is Studio A alone', () => {
  for (const name of NAMES)
    it(`${name} is not taken for it by REST, MCP and voice, and each refusal has the call that would run`, async () => {
      const before = await state();
      for (const [operation, args] of changes(name).flatMap(([each, with_]): [string, Arguments][] => [
        [each, with_],
        [each, { ...with_, dry_run: true }],
      ])) {
        const reply = await api.send('POST', `/workflows/${operation}`, { body: args });
        assert.equal(reply.status, 404);
        await isHelpful((await reply.json()) as Record<string, unknown>, 'Studio A');
        const read = await assistant.callTool({ name: operation, arguments: args });
        assert.match(
          textOf(read),
          new RegExp(`If you mean "Studio A": \\{"name":"${operation}","arguments":\\{"livestream":"Studio A"`, 'u'),
        );
        await isHelpful(structured(read), 'Studio A');
        // A key is nothing to say aloud.
        if ('stream_key' in args) continue;
        const heard = await voice.callTool({ name: operation, arguments: args });
        assert.match(textOf(heard), /^There is no Live stream .*Did you mean Studio A\?/u);
        await isHelpful(structured(heard), 'Studio A');
      }
      assert.equal(await state(), before);
    });

  it('other rows than Live streams are held to the same: Destinations, Devices, places and groups', async () => {
    const before = await state();
    for (const [operation, args, name] of OTHER_ROWS) {
      const read = await assistant.callTool({ name: operation, arguments: args });
      await isHelpful(structured(read), name);
    }
    assert.equal(await state(), before);
  });

  it('a name in an id field that is nearly another row has no corrected call, and the nearest row with a call for it', async () => {
    const before = await state();
    const calls: [string, Arguments, string, Arguments][] = [
      ['updateChannel', { channelId: 'Camera B', enabled: false }, 'Camera A', { channelId: 1, enabled: false }],
      ['updateDeviceGroup', { groupId: 'Pool B', devices: [] }, 'Pool A', { groupId: 1, devices: [] }],
      ['deleteRemoteFolder', { folderId: 'Archive B' }, 'Archive A', { folderId: 1 }],
      [
        'addLivestreamAction',
        { livestreamId: 'Studio B', type: 'stop', execute_at: TIMES.start },
        'Studio A',
        { livestreamId: 1, type: 'stop', execute_at: TIMES.start },
      ],
      [
        'addLivestreamAction',
        { livestreamId: 1, type: 'sourceSwitch', execute_at: TIMES.start, payload: { channelId: 'Camera B' } },
        'Camera A',
        { livestreamId: 1, type: 'sourceSwitch', execute_at: TIMES.start, payload: { channelId: 1 } },
      ],
    ];
    for (const [operationId, args, name, corrected] of calls) {
      const refused = await assistant.callTool({ name: 'call_tool', arguments: { operationId, arguments: args } });
      const { nearest, corrected_call, detail } = structured(refused);
      assert.equal(corrected_call, undefined);
      assert.match(detail, new RegExp(`There is no .* "\\w+ B"\\. The nearest: "${name}"`, 'u'));
      assert.deepEqual([nearest[0].name, nearest[0].call?.arguments], [name, corrected]);
    }
    assert.equal(await state(), before);
  });

  it('the commands of people end with 3 and the command that would run; a command that looks takes the nearest and says so', async () => {
    const env = { ...process.env, ONAIR_URL: server.url, ONAIR_TOKEN: TOKENS.admin };
    const before = await state();
    for (const words of [
      ['stop', 'Studio B'],
      ['start', 'Studio a1', '--dry-run'],
      ['text', 'Stduio A', 'Hello'],
      ['black', 'Studio B'],
      ['schedule', 'Studio B', '--start', '2090-01-02T20:00:00Z', '--end', '+1h'],
    ]) {
      const { code, stderr } = await onair(words, env);
      assert.equal(code, 3, stderr);
      const command = ['onair', ...words.map((word) => (word.startsWith('St') ? "'Studio A'" : word))].join(' ');
      assert.ok(stderr.includes(`\n  if you mean "Studio A": ${command}\n`), stderr);
    }
    const user = await onair(['user', 'disable', 'oeprator'], env);
    assert.equal(user.code, 3);
    assert.match(user.stderr, /if you mean "operator": onair user disable operator\n/u);
    assert.equal(await state(), before);
    const looked = await onair(['logs', 'Studio B'], env);
    assert.equal(looked.code, 0, looked.stderr);
    assert.equal(looked.stderr, 'onair: There is no Live stream "Studio B"; the nearest is "Studio A".\n');
  });

  it('what only reads takes the nearest, and says which one in its sentence and in taken_for', async () => {
    for (const operation of ['get_livestream_status', 'get_start_targets']) {
      const answer = await app.run(operation, { livestream: 'Stduio A' });
      assert.deepEqual([answer.name, answer.taken_for], ['Studio A', 'Stduio A']);
      assert.match(answer.message, /^There is no Live stream "Stduio A"; the nearest is "Studio A"\. /u);
      assert.equal((await app.run(operation, { livestream: 'studio' })).taken_for, undefined);
    }
    const use = await app.run('channel_slot_usage', { deviceId: 'studoi' });
    assert.deepEqual([use.devices[0].name, use.taken_for], ['studio', 'studoi']);
  });
});
