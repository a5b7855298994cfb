/** Who asked what over MCP, and what became of it: the audit names the operation, whichever way it was called. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { seedBroadcast } from '../helpers/seed.ts';
import { type McpApi, startMcpApi, structured } from '../app/mcp-api.ts';

const CHANNEL = { name: 'Cam', type: 'Stream', settings: { url: 'http://a.example/' } };

/** Operation, arguments, profile of the connection, outcome; null: not audited. */
const CALLS: [string, Record<string, unknown>, string, string | null][] = [
  ['addChannel', CHANNEL, 'full', 'ok'],
  ['addChannel', CHANNEL, 'readonly', 'profile_forbidden'],
  ['addChannel', { ...CHANNEL, colour: 'red' }, 'full', 'invalid_input'],
  ['deleteLivestream', { livestreamId: 999 }, 'full', 'not_found'],
  ['deleteLivestream', { livestreamId: 1 }, 'voice', 'profile_forbidden'],
  ['addDevice', {}, 'full', 'forbidden'],
  ['addDevice', {}, 'voice', 'profile_forbidden'],
  ['getAllUsers', {}, 'full', 'forbidden'],
  ['getLivestreamById', { livestreamId: 1 }, 'voice', 'profile_forbidden'],
  ['start_livestream', { livestream: 'Show' }, 'readonly', 'profile_forbidden'],
  ['start_livestream', { livestream: 'No such' }, 'full', 'not_found'],
  ['stop_livestream', { livestream: 'Show' }, 'full', 'ok'],
  ['stop_livestream', { livestream: 'Show', dry_run: true }, 'full', null],
  [
    'toggle_destination',
    { livestream: 'Show', destination: 'Web', path: 'primary', enabled: true },
    'full',
    'wrong_state',
  ],
  ['getLivestreamById', { livestreamId: 1 }, 'full', null],
  ['getLivestreamById', { livestreamId: 999 }, 'full', null],
];

const DEEP = JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40)) as object;
/** Calls that dispatch never sees, as they are sent, and the operation that is meant. */
const UNREADABLE_CALL: [string, { name: string; arguments: object; _meta?: object }, string | null][] = [
  ['arguments too deep', { name: 'addChannel', arguments: DEEP }, 'addChannel'],
  [
    'arguments beside the name',
    { name: 'call_tool', arguments: { operationId: 'addChannel', ...CHANNEL, name: undefined, alias: 'x' } },
    'addChannel',
  ],
  [
    'arguments too deep, inside',
    { name: 'call_tool', arguments: { operationId: 'addChannel', arguments: DEEP } },
    'addChannel',
  ],
  [
    'a text that is no JSON',
    { name: 'call_tool', arguments: { operationId: 'addChannel', arguments: '{' } },
    'addChannel',
  ],
  ['a key that is a number', { name: 'addChannel', arguments: CHANNEL, _meta: { idempotencyKey: 5 } }, 'addChannel'],
  ['no operation', { name: 'call_tool', arguments: {} }, 'call_tool'],
  ['call_tool in itself', { name: 'call_tool', arguments: { operationId: 'call_tool', arguments: {} } }, 'call_tool'],
  ['a read', { name: 'getAllChannels', arguments: DEEP }, null],
];

/** Names that no tool has, and what is written of them. */
const NAMELESS: [string, string, string][] = [
  ['nearly one', 'deleteLivestreams', 'deleteLivestreams'],
  ['with what nobody sees', 'delete\u200bLive\u202estream\u0007 \n now', 'deleteLivestream now'],
  ['of many letters', 'x'.repeat(100), 'x'.repeat(100)],
];

describe('the audit of calls over MCP', () => {
  let api: McpApi;
  /** Entries that were there before the test. */
  let offset: number;
  const clients = new Map<string, Promise<Client>>();
  before(async () => {
    api = await startMcpApi();
    await seedBroadcast(api.store);
  });
  after(() => api.close());
  beforeEach(async () => ({ total: offset } = await api.store.find('audit', {})));
  afterEach(() =>
    api.store.tx((tx) => {
      for (const { id, name } of tx.find('channels', {}).rows) if (name === CHANNEL.name) tx.delete('channels', id);
    }),
  );

  function client(profile: string): Promise<Client> {
    const known = clients.get(profile) ?? api.client('operator', { 'x-onair-profile': profile });
    clients.set(profile, known);
    return known;
  }

  for (const [operation, args, profile, outcome] of CALLS) {
    for (const by of ['its own name', 'call_tool']) {
      it(`the audit entry of ${operation} under ${profile} called by ${by} is right: ${outcome ?? 'not audited'}`, async () => {
        const call =
          by === 'call_tool'
            ? { name: by, arguments: { operationId: operation, arguments: args } }
            : { name: operation, arguments: args };
        const { code } = structured(await (await client(profile)).callTool(call));
        const entries = (await api.store.find('audit', { offset })).rows;
        if (outcome === null) return assert.deepEqual(entries, []);
        assert.equal(code, outcome === 'ok' ? undefined : outcome);
        const message = entries.map((entry) => [
          entry.operation,
          entry.outcome,
          entry.user,
          entry.token_kid,
          entry.via,
        ]);
        assert.deepEqual(message, [[operation, outcome, 'operator', 'operator', 'mcp']]);
      });
    }
  }

  for (const [what, call, operation] of UNREADABLE_CALL) {
    it(`the audit names the operation of a call that cannot be read, ${what}: ${operation ?? 'not audited'}`, async () => {
      const { code } = structured(await (await client('full')).callTool(call as never));
      const entries = (await api.store.find('audit', { offset })).rows.map((entry) => [entry.operation, entry.outcome]);
      assert.deepEqual(entries, operation === null ? [] : [[operation, code]]);
      assert.ok(['invalid_input', 'unknown_operation'].includes(code), code);
    });
  }

  for (const [what, name, operation] of NAMELESS) {
    for (const by of ['its own name', 'call_tool']) {
      it(`the audit names a tool that does not exist, ${what}, called by ${by}`, async () => {
        const call =
          by === 'call_tool'
            ? { name: by, arguments: { operationId: name, arguments: { colour: 1 } } }
            : { name, arguments: { colour: 1 } };
        assert.equal(structured(await (await client('full')).callTool(call)).code, 'unknown_operation');
        const [entry, ...others] = (await api.store.find('audit', { offset })).rows;
        assert.deepEqual(
          [entry?.operation, entry?.outcome, entry?.resource, entry?.resource_id, entry?.changed, others],
          [operation, 'unknown_operation', '(unknown)', null, ['colour'], []],
        );
      });
    }
  }
});
