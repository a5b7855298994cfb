import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv } from 'ajv';
import { ROLE, type Role } from '../../domain/shapes/installation/security.ts';
import { instructionsFor } from '../../mcp/calls/instructions.ts';
import { buildSurface, listed } from '../../mcp/calls/surface.ts';
import { profiles } from '../../profiles/profiles.ts';
import { workflows } from '../../workflows/index.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { catalogue } from '../app/test-app.ts';
import { TOKENS, type TokenOwner } from '../app/users.ts';

const tokens = (value: unknown): number => JSON.stringify(value).length / 4;
const surfaces = profiles.flatMap((profile) =>
  Object.values(ROLE).map((role: Role) => ({ profile, role, ...buildSurface(catalogue, profile, role) })),
);

const REVISION = '2026-07-28';
const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const GENERATIONS = { handshake: {}, stateless: { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/list' } };
type Generation = keyof typeof GENERATIONS;

let api: McpApi;
before(async () => {
  api = await startMcpApi();
});
after(() => api.close());

/** The whole result as a client gets it. */
async function listFor(generation: Generation, who: TokenOwner, profile: string): Promise<object> {
  const params = generation === 'stateless' ? { _meta: ABOUT } : {};
  const headers = { authorization: `Bearer ${TOKENS[who]}`, 'x-onair-profile': profile, ...GENERATIONS[generation] };
  const response = await api.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }, headers);
  const { result } = (await response.json()) as { result: object };
  return result;
}

const show = { livestream: 'Show' };
const evening = { start: '2026-01-31T20:00:00', end: '2026-01-31T22:00:00Z' };
/** Arguments of each workflow, with those that its short schema might have lost. */
const GIVEN: Readonly<Record<string, object[]>> = {
  channel_slot_usage: [{}, { deviceId: '3' }, { deviceId: 'Studio' }],
  get_livestream_status: [show],
  get_start_targets: [show],
  schedule_livestream: [
    { ...show, ...evening },
    {
      ...show,
      ...evening,
      recurrence: { type: 'weekly' },
      idEncoderGroup: 'Pool',
      timezone: 'Europe/Zurich',
    },
    { ...show, ...evening, name: 'Evening', recurrence: { type: 'daily', interval: 2, until: '2026-03-01T00:00:00Z' } },
  ],
  start_livestream: [show, { ...show, deviceId: '3', wait_seconds: 0 }, { ...show, target: 'Pool', dry_run: true }],
  stop_livestream: [show, { ...show, wait_seconds: 240, dry_run: false }],
  toggle_destination: [{ ...show, destination: 'Web', path: 'backup', enabled: false }],
  update_destination_stream_key: [{ ...show, destination: '4', stream_key: 'k' }],
};

test('every profile and role sees the workflows, search_tools and call_tool', () => {
  const expected = [...workflows.map((tool) => tool.name), 'search_tools', 'call_tool'];
  for (const { list } of surfaces) {
    assert.deepEqual(
      list.map((tool) => tool.name),
      expected,
    );
    assert.ok(Object.isFrozen(list));
  }
});

test('a tools/list result costs at most 2,500 tokens in either generation, and one tool at most 700', async (t) => {
  for (const profile of profiles) {
    for (const who of ['admin', 'operator'] as const) {
      for (const generation of Object.keys(GENERATIONS) as Generation[]) {
        const cost = tokens(await listFor(generation, who, profile.name));
        assert.ok(cost <= 2500, `${profile.name}, ${who}, ${generation}: ${cost}`);
        t.diagnostic(`${profile.name}, ${who}, ${generation}: ${Math.round(cost)} tokens`);
      }
    }
  }
  for (const { list } of surfaces) {
    for (const tool of list) assert.ok(tokens(tool) <= 700, `${tool.name}: ${tokens(tool)}`);
  }
});

test('the list costs at most 12 % of all definitions, were they listed in the same short form', (t) => {
  for (const { list, profile, role } of surfaces) {
    const everything = [...list, ...catalogue.operations.map(listed)];
    const share = tokens({ tools: list }) / tokens({ tools: everything });
    assert.ok(share <= 0.12, `${profile.name} ${role}: ${share}`);
    if (profile.name === 'full')
      t.diagnostic(`${(share * 100).toFixed(1)} % of ${Math.round(tokens({ tools: everything }))} tokens`);
  }
});

test('every tool has a title, all four hints, an input schema without a union and, but for call_tool, an output schema', () => {
  for (const tool of surfaces.flatMap(({ list }) => list)) {
    const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
    assert.deepEqual(Object.keys(tool.annotations), hints, tool.name);
    assert.equal(tool.inputSchema.type, 'object', tool.name);
    // Cursor cannot send a field of several types.
    assert.doesNotMatch(
      JSON.stringify(tool.inputSchema),
      /"(?:anyOf|oneOf|allOf|\$ref|\$schema)"|"type":\[/u,
      tool.name,
    );
    assert.equal(tool.outputSchema?.type, tool.name === 'call_tool' ? undefined : 'object', tool.name);
    assert.ok(tool.title.length > 0, tool.name);
  }
});

test('the short input schema takes whatever the tool itself takes', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const { name, input } of catalogue.workflows) {
    const short = surfaces[0]?.list.find((tool) => tool.name === name)?.inputSchema as object;
    assert.ok(GIVEN[name], name);
    for (const given of GIVEN[name]) {
      assert.ok(input.safeParse(given).success, `${name} ${JSON.stringify(given)}`);
      assert.ok(ajv.validate(short, given), `${name} ${JSON.stringify(given)}: ${ajv.errorsText()}`);
    }
    assert.deepEqual(Object.keys((short as { properties: object }).properties), Object.keys(input.shape), name);
  }
});

test('call_tool is annotated by what profile and role can reach', () => {
  for (const { profile, list } of surfaces) {
    const hints = list.find((tool) => tool.name === 'call_tool')?.annotations;
    assert.equal(hints?.readOnlyHint, profile.name === 'readonly', profile.name);
    assert.equal(hints?.destructiveHint, profile.name !== 'readonly', profile.name);
  }
  // A token by HTTP is limited so, which the second entry of docs/assistants.md is.
  const full = profiles.find(({ name }) => name === 'full')!;
  const { list } = buildSurface(catalogue, full, ROLE.admin, { profile: 'readonly', operations: null });
  const reads = list.find((tool) => tool.name === 'call_tool')!;
  assert.deepEqual([reads.annotations.readOnlyHint, reads.annotations.destructiveHint], [true, false]);
  assert.match(reads.description, /changes nothing here/u);
});

test('the instructions fit 2,000 characters', () => {
  for (const profile of profiles) {
    const instructions = instructionsFor(profile, 'America/Argentina/ComodRivadavia');
    assert.ok(instructions.length <= 2000);
    assert.match(instructions, /the zone America\/Argentina\/ComodRivadavia/u);
    assert.doesNotMatch(instructionsFor(profile, undefined), /undefined/u);
  }
});
