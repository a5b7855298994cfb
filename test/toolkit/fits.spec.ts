import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod/v3';
import { fitOf } from '../../toolkit/output/fits.ts';

const row = z
  .object({
    id: z.number().int().positive(),
    name: z
      .string()
      .trim()
      .min(1)
      .max(5)
      .regex(/^[^!]*$/u),
    at: z.string().datetime(),
    share: z.number().min(0).max(1).multipleOf(0.5),
    kind: z.enum(['a', 'b']),
    state: z.union([z.literal(0), z.literal(1)]),
    note: z.string().nullable().default(null),
    tags: z.array(z.string()).max(2).optional(),
    mail: z.string().email().optional(),
    data: z.unknown(),
    inner: z.object({ flag: z.boolean() }).strip(),
  })
  .strict();

const whole = {
  id: 1,
  name: 'x',
  at: '2026-01-31T10:00:00.000Z',
  share: 0.5,
  kind: 'a',
  state: 1,
  note: null,
  tags: ['t'],
  mail: 'a@b.org',
  data: { any: [1] },
  inner: { flag: true },
};

describe('fitOf', () => {
  const fits = fitOf(row);

  it('fitOf says yes to what the schema answers unchanged', () => {
    assert.ok(fits(whole));
    const { tags: _tags, mail: _mail, ...least } = whole;
    assert.ok(fits(least));
  });

  it('fitOf says no to what the schema refuses or changes', () => {
    const other = [
      { id: 0 },
      { id: 1.5 },
      { id: NaN },
      { name: '' },
      { name: ' x' },
      { name: 'toolong' },
      { name: 'a!' },
      { at: '2026-02-30T10:00:00.000Z' },
      { at: '2026-01-01' },
      { share: 2 },
      { share: 0.3 },
      { kind: 'c' },
      { state: 2 },
      { note: undefined },
      { tags: ['1', '2', '3'] },
      { tags: [1] },
      { mail: 'none' },
      { inner: { flag: true, more: 1 } },
      { inner: null },
      { more: 1 },
      { more: undefined },
    ];
    for (const change of other) assert.equal(fits({ ...whole, ...change }), false, JSON.stringify(change));
    const { note: _note, ...withoutDefault } = whole;
    for (const value of [withoutDefault, null, undefined, [], 'x', new Map(), Object.create(whole)]) {
      assert.equal(fits(value), false);
    }
  });

  it('fitOf never says yes where zod says otherwise', () => {
    const scalar = fc.oneof(
      fc.constantFrom(...Object.values(whole)),
      fc.string({ maxLength: 7 }),
      fc.double(),
      fc.integer({ min: -2, max: 3 }),
      fc.boolean(),
      fc.constantFrom(null, undefined, '2026-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z', '9999-12-31T23:59:59.999Z'),
    );
    const change = fc.dictionary(fc.constantFrom(...Object.keys(whole), 'more'), scalar, { maxKeys: 3 });
    fc.assert(
      fc.property(change, fc.subarray(Object.keys(whole)), (changed, dropped) => {
        const value: Record<string, unknown> = { ...whole, ...changed };
        for (const key of dropped.slice(0, 2)) delete value[key];
        if (!fits(value)) return;
        assert.deepEqual(row.parse(value), value);
      }),
      { seed: 1, numRuns: 3000 },
    );
  });
});
