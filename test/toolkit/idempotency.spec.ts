import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { z } from 'zod/v3';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import { dataOf } from '../../toolkit/output/page.ts';
import { defineTool, type Upload } from '../../toolkit/tool.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { documentOf } from '../helpers/store-document.ts';

const HOUR_MS = 3_600_000;
let release: (() => void) | undefined;
let fail: AppError | undefined;
let calls = 0;

const common = {
  summary: '',
  description: '',
  tag: 'Tests',
  aliases: [],
  access: 'operator',
  effect: 'control',
} as const;
const input = z
  .object({ a: z.number().default(0), b: z.object({ x: z.number(), y: z.number() }).strict().optional() })
  .strict();
const output = dataOf(z.object({ call: z.number(), secret: z.string().optional() }).strict());

const count = defineTool({
  ...common,
  name: 'count',
  rest: 'POST /tests/count',
  input,
  output,
  async handle() {
    if (fail !== undefined) throw fail;
    calls += 1;
    return { body: { data: { call: calls } }, status: 202 };
  },
});
const slow = defineTool({
  ...common,
  name: 'slow',
  rest: 'POST /tests/slow',
  input,
  output,
  async handle() {
    await new Promise<void>((resolve) => (release = resolve));
    return { body: { data: { call: 0 } } };
  },
});
const secret = defineTool({
  ...common,
  name: 'secret',
  rest: 'POST /tests/secret',
  secretAnswer: true,
  input,
  output,
  handle: async () => ({ body: { data: { call: 0, secret: 'canary-secret' } } }),
});
/** Commits at once and answers more after a wait, as the workflows do. */
const waiting = defineTool({
  ...common,
  name: 'waiting',
  rest: 'POST /tests/waiting',
  input,
  output,
  async handle(ctx) {
    await ctx.commit(() => ({ body: { data: { call: 1 } } }));
    if (fail !== undefined) throw fail;
    return { body: { data: { call: 2 } } };
  },
});

describe('Idempotency-Key', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startTestApp({ extraTools: [count, slow, secret, waiting] });
    fail = undefined;
    calls = 0;
  });
  afterEach(() => app.close());

  const keyed = { idempotencyKey: 'once' };

  it('a retry under an Idempotency-Key gets what was answered first, status included', async () => {
    const first = await app.call('count', { a: 1 }, keyed);
    const again = await app.call('count', { a: 1 }, keyed);
    assert.deepEqual([first.replayed, again.replayed, again.status, again.body], [false, true, 202, first.body]);
    assert.equal(calls, 1);
  });

  it('an Idempotency-Key takes the order of fields for no difference, and other arguments for a mistake', async () => {
    await app.call('count', { a: 1, b: { x: 1, y: 2 } }, keyed);
    assert.equal((await app.call('count', { b: { y: 2, x: 1 }, a: 1 }, keyed)).replayed, true);
    await app.refused('idempotency_mismatch', 'count', { a: 2 }, keyed);
  });

  it('an Idempotency-Key belongs to one user and one operation', async () => {
    await app.call('count', {}, keyed);
    assert.equal((await app.call('count', {}, { ...keyed, user: 'operator' })).replayed, false);
    assert.equal((await app.call('waiting', {}, keyed)).replayed, false);
  });

  it('an Idempotency-Key keeps an answer for 24 hours', async () => {
    await app.call('count', {}, keyed);
    app.clock.advance(24 * HOUR_MS - 1);
    assert.equal((await app.call('count', {}, keyed)).replayed, true);
    app.clock.advance(1);
    assert.equal((await app.call('count', {}, keyed)).replayed, false);
    assert.equal((await app.store.find('idempotency', {})).total, 1, 'the old entry is replaced');
  });

  it('expired idempotency records go as new ones come', async () => {
    for (let index = 0; index < 10; index += 1) await app.call('count', {}, { idempotencyKey: `old-${index}` });
    app.clock.advance(25 * HOUR_MS);
    for (let index = 0; index < 3; index += 1) await app.call('count', {}, { idempotencyKey: `new-${index}` });
    assert.equal((await app.store.find('idempotency', {})).total, 3);
  });

  it('an Idempotency-Key refuses a second call while the first still runs', async () => {
    const first = app.call('slow', {}, keyed);
    while (release === undefined) await new Promise(setImmediate);
    const error = await app.refused('conflict', 'slow', {}, keyed);
    assert.equal(error.extras.retryAfterSeconds, 1);
    release();
    await first;
    assert.equal((await app.call('slow', {}, keyed)).replayed, true);
  });

  const failures = ['internal', 'upstream_failed', 'no_capacity', 'unavailable', 'timeout'] as const;
  for (const code of [...failures, 'forbidden', 'rate_limited'] as const) {
    it(`an Idempotency-Key stores no ${code}: a retry is a new attempt`, async () => {
      fail = new AppError(code, 'Later.');
      const error = await app.refused(code, 'count', {}, keyed);
      assert.equal(error.extras.replayed, undefined);
      fail = undefined;
      assert.equal((await app.call('count', {}, keyed)).replayed, false);
    });
  }

  for (const code of [
    'invalid_input',
    'not_found',
    'conflict',
    'in_use',
    'wrong_state',
    'version_mismatch',
    'rule_violated',
  ] as const) {
    it(`a retry under an Idempotency-Key gets the ${code} that the operation refused with, facts included`, async () => {
      const errors = [{ field: 'a', code: 'too_small', message: 'must be at least 1', min: 1 }];
      fail = new AppError(code, 'No 7.', { facts: { allowed: [0, 3] }, errors, cause: new Error('canary-cause') });
      const first = await app.refused(code, 'count', {}, keyed);
      fail = undefined;
      const again = await app.refused(code, 'count', {}, keyed);
      assert.deepEqual([first.extras.replayed, again.extras.replayed], [undefined, true]);
      const problem = toProblem(again, 'second');
      assert.deepEqual(problem, { ...toProblem(first, 'first'), request_id: 'second' });
      assert.equal(calls, 0);
      assert.ok(!JSON.stringify(await documentOf(app.store)).includes('canary'));
      assert.equal((await app.store.find('audit', {})).total, 1, 'the retry did nothing');
      await app.refused('idempotency_mismatch', 'count', { a: 2 }, keyed);
    });
  }

  it('an Idempotency-Key stores no refusal that says when to try again', async () => {
    fail = new AppError('conflict', 'Busy.', { retryAfterSeconds: 1 });
    await app.refused('conflict', 'count', {}, keyed);
    fail = undefined;
    assert.equal((await app.call('count', {}, keyed)).replayed, false);
  });

  it('an Idempotency-Key keeps a refusal for 24 hours', async () => {
    fail = new AppError('conflict', 'No.');
    await app.refused('conflict', 'count', {}, keyed);
    fail = undefined;
    app.clock.advance(24 * HOUR_MS);
    assert.equal((await app.call('count', {}, keyed)).replayed, false);
  });

  it('a refusal of an operation without an Idempotency-Key is not stored', async () => {
    fail = new AppError('conflict', 'No.');
    await app.refused('conflict', 'count', {});
    assert.equal((await app.store.find('idempotency', {})).total, 0);
  });

  it('an Idempotency-Key takes another If-Match and another file for another call', async () => {
    const upload = (digest: string): { upload: Upload } => ({
      upload: { filename: 'a', content: new ReadableStream(), digest },
    });
    await app.call('count', {}, { ...keyed, ifMatch: '"1"', ...upload('A') });
    assert.equal((await app.call('count', {}, { ...keyed, ifMatch: ' "1"', ...upload('A') })).replayed, true);
    await app.refused('idempotency_mismatch', 'count', {}, { ...keyed, ifMatch: '"2"', ...upload('A') });
    await app.refused('idempotency_mismatch', 'count', {}, { ...keyed, ...upload('A') });
    await app.refused('idempotency_mismatch', 'count', {}, { ...keyed, ifMatch: '"1"', ...upload('B') });
  });

  it('a retry under an Idempotency-Key does not run while the refusal of the first call is being stored', async () => {
    fail = new AppError('conflict', 'No.');
    const first = app.refused('conflict', 'count', {}, keyed);
    const second = await app.refused('conflict', 'count', {}, keyed);
    assert.equal(second.extras.retryAfterSeconds, 1);
    await first;
  });

  it('an Idempotency-Key stores nothing for input that is refused', async () => {
    await app.refused('invalid_input', 'count', { a: 'x' }, keyed);
    await app.call('count', { a: 1 }, keyed);
  });

  it('an Idempotency-Key repeats the last answer of a call that waited after its commit', async () => {
    await app.call('waiting', {}, keyed);
    const again = await app.call('waiting', {}, keyed);
    assert.deepEqual([again.replayed, again.body], [true, { data: { call: 2 } }]);
  });

  it('a retry of a call that failed after its commit gets what it was answered: its refusal, or what was committed', async () => {
    fail = new AppError('conflict', 'Too late.');
    await app.refused('conflict', 'waiting', {}, keyed);
    const outcome = { idempotencyKey: 'unknown outcome' };
    fail = new AppError('timeout', 'No answer.');
    await app.refused('timeout', 'waiting', {}, outcome);
    fail = undefined;
    assert.equal((await app.refused('conflict', 'waiting', {}, keyed)).extras.replayed, true);
    const again = await app.call('waiting', {}, outcome);
    assert.deepEqual([again.replayed, again.body], [true, { data: { call: 1 } }]);
  });

  it('an Idempotency-Key is 1 to 255 printable characters', async () => {
    for (const [idempotencyKey, code] of [
      ['', 'too_short'],
      ['x'.repeat(256), 'too_long'],
      ['a\nb', 'invalid_format'],
      ['schlüssel', 'invalid_format'],
    ] as const) {
      const error = await app.refused('invalid_input', 'count', {}, { idempotencyKey });
      assert.deepEqual(
        error.extras.errors?.map((issue) => [issue.field, issue.code]),
        [['Idempotency-Key', code]],
      );
    }
    await app.call('count', {}, { idempotencyKey: 'x'.repeat(255) });
    await app.call('count', {}, { idempotencyKey: ' ~' });
  });

  it('an Idempotency-Key means nothing to a read', async () => {
    assert.equal((await app.call('getAllChannels', {}, keyed)).replayed, false);
    assert.equal((await app.call('getAllChannels', {}, keyed)).replayed, false);
  });

  it('an idempotency record seals an answer that shows a secret; only the credential that made the call opens it', async () => {
    const sealKey = randomBytes(32);
    await app.call('secret', {}, { ...keyed, sealKey });
    const stored = JSON.stringify(await documentOf(app.store));
    assert.ok(!stored.includes('canary') && !stored.includes(Buffer.from('canary').toString('base64').slice(0, 6)));
    assert.deepEqual((await app.call('secret', {}, { ...keyed, sealKey })).body, {
      data: { call: 0, secret: 'canary-secret' },
    });
    await app.refused('conflict', 'secret', {}, { ...keyed, sealKey: randomBytes(32) });
  });

  it('an idempotency record with a sealed answer that was tampered with is refused', async () => {
    await app.call('secret', {}, keyed);
    const [entry] = (await app.store.find('idempotency', {})).rows;
    assert.ok(entry);
    const { id: _id, ...stored } = entry;
    const bytes = Buffer.from(entry.answer, 'base64');
    bytes.writeUInt8(bytes.readUInt8(30) ^ 1, 30);
    // The newest entry of a key is the one that counts.
    await app.store.tx((tx) => tx.insert('idempotency', { ...stored, answer: bytes.toString('base64') }));
    await app.refused('conflict', 'secret', {}, keyed);
  });
});
