import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLE, type Role } from '../../domain/security.ts';
import { instructionsFor } from '../../mcp/instructions.ts';
import { buildSurface } from '../../mcp/surface.ts';
import { profiles } from '../../profiles/profiles.ts';
import { workflows } from '../../workflows/index.ts';
import { catalogue } from './door.ts';

const tokens = (value: unknown): number => JSON.stringify(value).length / 4;
const surfaces = profiles.flatMap((profile) =>
  Object.values(ROLE).map((role: Role) => ({ profile, role, ...buildSurface(catalogue, profile, role) })),
);

test('every profile and role sees the workflows, search_tools and call_tool', () => {
  const expected = [...workflows.map((tool) => tool.name), 'search_tools', 'call_tool'];
  for (const { list } of surfaces) {
    assert.deepEqual(list.map((tool) => tool.name), expected); // prettier-ignore
    assert.ok(Object.isFrozen(list));
  }
});

test('the whole list costs at most 4,000 tokens, one tool at most 700', () => {
  for (const { list, profile, role } of surfaces) {
    assert.ok(tokens({ tools: list }) <= 4000, `${profile.name} ${role}: ${tokens({ tools: list })}`);
    for (const tool of list) assert.ok(tokens(tool) <= 700, `${tool.name}: ${tokens(tool)}`);
  }
});

test('a title, all four hints, an input schema without a union and an output schema on every tool', () => {
  for (const tool of surfaces.flatMap(({ list }) => list)) {
    assert.deepEqual(Object.keys(tool.annotations).sort(), [
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
      'title',
    ]);
    assert.equal(tool.inputSchema.type, 'object');
    assert.equal(tool.inputSchema['anyOf'], undefined);
    assert.equal(tool.outputSchema.type, 'object');
    assert.ok(tool.title.length > 0);
  }
});

test('call_tool is annotated by what profile and role can reach', () => {
  for (const { profile, list } of surfaces) {
    const hints = list.find((tool) => tool.name === 'call_tool')?.annotations;
    assert.equal(hints?.readOnlyHint, profile.name === 'readonly', profile.name);
    assert.equal(hints?.destructiveHint, profile.name !== 'readonly', profile.name);
  }
});

test('instructions fit 2,000 characters', () => {
  for (const profile of profiles) assert.ok(instructionsFor(profile).length <= 2000);
});
