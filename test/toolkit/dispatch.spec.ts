/** The order of the one road, and what each station guarantees. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { z } from 'zod/v3';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import type { AuditEntry } from '../../domain/shapes/installation/security.ts';
import { dataOf } from '../../toolkit/output/page.ts';
import { defineTool, type Tool, type ToolContext } from '../../toolkit/tool.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

type Parts = Partial<Pick<Tool, 'access' | 'effect' | 'output'>>;
type Handle = (ctx: ToolContext, input: { word: string; dry_run?: boolean | undefined }) => Promise<{ body: unknown }>;

function tool(name: string, deps: Parts, handle: Handle): Tool {
  return defineTool({
    name,
    summary: '',
    description: '',
    tag: 'Tests',
    aliases: [],
    rest: `POST /tests/${name}`,
    access: 'operator',
    effect: 'update',
    input: z.object({ word: z.string().max(10), dry_run: z.boolean().optional() }).strict(),
    output: dataOf(z.object({ word: z.string() }).strict()),
    ...deps,
    handle: handle as never,
  });
}

const echo: Handle = (ctx, { word }) => ctx.commit(() => ({ body: { data: { word } } }));
/** Leaves a trace in the store, to tell whether its commit went through. */
const trace =
  (body: unknown): Handle =>
  (ctx) =>
    ctx.commit((tx, now) => {
      tx.insert('events', { at: now, livestreamId: 1, kind: 'adopted', severity: 'info', message: 'trace', data: {} });
      return { body };
    });

const TOOLS = [
  tool('adminOnly', { access: 'admin' }, echo),
  tool('change', {}, echo),
  tool('look', { effect: 'read' }, async (_ctx, { word }) => ({ body: { data: { word } } })),
  tool('lookAndWrite', { effect: 'read' }, echo),
  tool('leak', {}, trace({ data: { word: 'a', token_hash: 'canary' } })),
  tool('leakLate', {}, async (ctx) => {
    await trace({ data: { word: 'a' } })(ctx, { word: '' });
    return { body: { data: { word: 'a', token_hash: 'canary' } } };
  }),
  tool('changeWithTrace', {}, trace({ data: { word: 'tried' } })),
  tool('commitTwice', {}, async (ctx, input) => {
    await echo(ctx, input);
    return echo(ctx, input);
  }),
  tool('explode', {}, () => Promise.reject(new Error('password canary-secret at /etc'))),
  tool('refuse', {}, () => Promise.reject(new AppError('conflict', 'No.'))),
  tool('withoutCommit', { effect: 'control' }, async (_ctx, { word }) => ({ body: { data: { word } } })),
  tool('version', {}, async (ctx) => ({ body: { data: { word: String(ctx.request.expectedVersions) } } })),
];

describe('dispatch', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp({ extraTools: TOOLS })));
  afterEach(() => app.close());

  const audit = async (): Promise<readonly AuditEntry[]> => (await app.store.find('audit', {})).rows;
  const events = async (): Promise<number> => (await app.store.find('events', {})).total;

  it('dispatch checks in this order: operation, profile, role, input', async () => {
    const wrong = { word: 1, other: 2 };
    await app.refused('unknown_operation', 'adminOnli', wrong, { user: 'operator', profile: 'readonly' });
    await app.refused('profile_forbidden', 'adminOnly', wrong, { user: 'operator', profile: 'readonly' });
    await app.refused('forbidden', 'adminOnly', wrong, { user: 'operator' });
    await app.refused('invalid_input', 'adminOnly', wrong, { user: 'admin' });
    await app.call('adminOnly', { word: 'a' }, { user: 'admin' });
  });

  it('dispatch says which profile or role would allow a call', async () => {
    const profile = await app.refused('profile_forbidden', 'change', { word: 'a' }, { profile: 'readonly' });
    assert.deepEqual(profile.extras.facts?.['allowed_by'], ['operator', 'full']);
    const role = await app.refused('forbidden', 'adminOnly', { word: 'a' }, { user: 'operator' });
    assert.match(role.message, /System Administrator/u);
    const both = await app.refused('profile_forbidden', 'adminOnly', {}, { user: 'operator', profile: 'operator' });
    assert.match(both.message, /also needs the role System Administrator/u);
    assert.equal(both.extras.facts?.['needs_role'], 1);
    assert.ok(!('needs_role' in (profile.extras.facts ?? {})));
  });

  it('dispatch writes one audit entry a mutation, with the names of the fields and none of their values', async () => {
    await app.call('change', { word: 'canary' }, { user: 'operator', via: 'mcp', requestId: 'r-1' });
    await app.call('look', { word: 'a' });
    const [entry, ...others] = await audit();
    assert.equal(others.length, 0, 'a read leaves none');
    assert.deepEqual(entry, {
      id: 1,
      at: '2026-01-01T00:00:00.000Z',
      user: 'operator',
      token_kid: 'kid',
      via: 'mcp',
      operation: 'change',
      resource: 'Tests',
      resource_id: null,
      outcome: 'ok',
      request_id: 'r-1',
      changed: ['word'],
    });
  });

  it('dispatch writes one audit entry when nothing was committed, and when the call was refused', async () => {
    await app.call('withoutCommit', { word: 'a' });
    await app.refused('conflict', 'refuse', { word: 'a' });
    await app.refused('invalid_input', 'change', {});
    await app.refused('forbidden', 'adminOnly', { word: 'a' }, { user: 'operator' });
    assert.deepEqual(
      (await audit()).map((entry) => entry.outcome),
      ['ok', 'conflict', 'invalid_input', 'forbidden'],
    );
  });

  it('dispatch never answers an undeclared field, and commits nothing for such an answer', async () => {
    const error = await app.refused('internal', 'leak', { word: 'a' });
    assert.ok(!JSON.stringify(toProblem(error, 'r')).includes('canary'));
    assert.equal(await events(), 0);
    await app.refused('internal', 'leakLate', { word: 'a' });
  });

  it('dispatch lets a read commit nothing, and a dry run neither', async () => {
    await app.refused('internal', 'lookAndWrite', { word: 'a' });
    const tried = await app.call('changeWithTrace', { word: 'a', dry_run: true });
    assert.deepEqual(
      [tried.status, tried.body],
      [200, { data: { word: 'tried' } }],
      'the plan is made, and taken back',
    );
    assert.equal(await events(), 0);
    assert.equal((await audit()).filter((entry) => entry.outcome === 'ok').length, 0);
  });

  it('dispatch commits once a call', async () => {
    await app.refused('internal', 'commitTwice', { word: 'a' });
  });

  it('dispatch answers an unexpected throw with a fixed text', async () => {
    const error = await app.refused('internal', 'explode', { word: 'a' });
    const problem = toProblem(error, 'r-2');
    assert.ok(!JSON.stringify(problem).includes('canary'));
    assert.deepEqual([problem.status, problem.request_id, problem.type], [500, 'r-2', 'urn:onair:error:internal']);
  });

  it('dispatch reads If-Match in each of its forms', async () => {
    for (const [ifMatch, expected] of [
      ['"3"', '3'],
      ['"no", "3", "4"', '3,4'],
      ['W/"3"', ''],
      ['*', 'undefined'],
      [undefined, 'undefined'],
      ['3', ''],
      ['"x"', ''],
    ] as const) {
      const data = await app.data('version', { word: 'a' }, ifMatch === undefined ? {} : { ifMatch });
      assert.equal(data['word'], expected, String(ifMatch));
    }
  });

  it('the HTTP status of an answer follows from the effect', async () => {
    assert.equal((await app.call('change', { word: 'a' })).status, 200);
    assert.equal((await app.call('addEncoding', { name: 'a' })).status, 201);
  });
});
