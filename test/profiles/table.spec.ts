/** The table of who may call what, held against every road to a call: dispatch, search_tools, and the list of tools. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { ROLE, type Caller } from '../../domain/shapes/installation/security.ts';
import { buildSurface } from '../../mcp/calls/surface.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { NOT_YET_OFFERED, SPECIFIED } from '../contract/specification.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { type TestApp, catalogue, startTestApp } from '../app/test-app.ts';
import { ROWS, type ProfileName } from './table.ts';

const PROFILES: readonly ProfileName[] = ['voice', 'readonly', 'operator', 'full'];
const ROLES = ['operator', 'admin'] as const;
const tools = new Map([...catalogue.operations, ...catalogue.workflows].map((tool) => [tool.name, tool]));

let app: TestApp<Clock>;
before(async () => {
  app = await startTestApp({ clock: systemClock });
});
after(() => app.close());

/** The code with which a call is refused whose arguments are wrong: past profile and role it is that. */
async function refusal(operation: string, profile: ProfileName, role: (typeof ROLES)[number]): Promise<string> {
  const caller: Caller = {
    userId: 1,
    username: role,
    role: ROLE[role],
    api: false,
    tokenKid: role,
    sealKey: Buffer.alloc(32),
  };
  const call = {
    operation,
    args: { no_such_field: true },
    caller,
    requestId: 'table',
    profile: profileByName(profile),
  };
  return app.dispatcher.dispatch({ ...call, via: 'mcp' }).then(
    () => 'none',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
}

describe('the table of profiles, roles and operations', () => {
  it('the table names every operation of the interface and every workflow once', () => {
    const named = ROWS.map(({ name }) => name);
    assert.equal(new Set(named).size, named.length, 'no name twice');
    const missing = [...SPECIFIED.keys(), ...NOT_YET_OFFERED.keys(), ...tools.keys()].filter(
      (name) => !named.includes(name),
    );
    assert.deepEqual(missing, []);
  });

  for (const profile of PROFILES) {
    for (const role of ROLES) {
      it(`profile ${profile} with role ${role} allows and refuses what the table says`, async () => {
        for (const { name, ...allowed } of ROWS) {
          if (!tools.has(name)) continue;
          const isAllowed = allowed[role].includes(profile);
          const expected = isAllowed
            ? 'invalid_input'
            : allowed.admin.includes(profile)
              ? 'forbidden'
              : 'profile_forbidden';
          assert.equal(await refusal(name, profile, role), expected, name);
        }
      });

      it(`search under profile ${profile} finds what role ${role} may call, and the list shows all workflows`, () => {
        const { allows, list } = buildSurface(catalogue, profileByName(profile), ROLE[role]);
        const reached = [...tools.values()].filter(allows).map(({ name }) => name);
        const expected = ROWS.filter((row) => tools.has(row.name) && row[role].includes(profile));
        assert.deepEqual(reached.sort(), expected.map(({ name }) => name).sort());
        for (const { name } of catalogue.workflows)
          assert.ok(
            list.some((tool) => tool.name === name),
            name,
          );
      });
    }
  }
});
