import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod/v3';
import { AppError, type FieldIssue } from '../../domain/base/errors.ts';
import { parseInput } from '../../toolkit/input/input.ts';

const schema = z
  .object({
    name: z.string().min(2).max(5),
    days: z.number().int().min(1).max(10).optional(),
    kind: z.enum(['a', 'b']).optional(),
    size: z.union([z.literal(0), z.literal(128)]).optional(),
    ids: z.array(z.number()).max(2).optional(),
    drm: z
      .object({ systems: z.array(z.enum(['Widevine'])) })
      .strict()
      .optional(),
    at: z.string().datetime().optional(),
  })
  .strict();

function issuesOf(value: unknown): FieldIssue[] {
  try {
    parseInput(schema, value);
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid_input');
    return error.extras.errors ?? [];
  }
  return [];
}

describe('parseInput', () => {
  const cases: [string, object, { field: string; code: string } & Record<string, unknown>][] = [
    ['a text that is too long', { name: 'abcdef' }, { field: 'name', code: 'too_long', max: 5 }],
    ['a text that is too short', { name: 'a' }, { field: 'name', code: 'too_short', min: 2 }],
    ['a missing field', {}, { field: 'name', code: 'required' }],
    ['a null where none may be', { name: null }, { field: 'name', code: 'invalid_type' }],
    ['an unknown field', { name: 'abc', naem: 1 }, { field: 'naem', code: 'unknown_field' }],
    ['an unknown nested field', { name: 'abc', drm: { systems: [], x: 1 } }, { field: 'drm.x', code: 'unknown_field' }],
    ['a number out of bounds', { name: 'abc', days: 11 }, { field: 'days', code: 'too_large', max: 10 }],
    ['a fraction', { name: 'abc', days: 1.5 }, { field: 'days', code: 'invalid_type' }],
    [
      'a word outside the list',
      { name: 'abc', kind: 'c' },
      { field: 'kind', code: 'invalid_value', allowed: ['a', 'b'] },
    ],
    [
      'a value outside the union',
      { name: 'abc', size: 64 },
      { field: 'size', code: 'invalid_value', allowed: [0, 128] },
    ],
    ['too many elements', { name: 'abc', ids: [1, 2, 3] }, { field: 'ids', code: 'too_many', max: 2 }],
    [
      'an element, by its dotted path',
      { name: 'abc', drm: { systems: ['Clear'] } },
      { field: 'drm.systems.0', code: 'invalid_value' },
    ],
    ['no instant', { name: 'abc', at: 'now' }, { field: 'at', code: 'invalid_format' }],
  ];
  for (const [what, value, expected] of cases) {
    it(`parseInput names ${what}`, () => {
      const issues = issuesOf(value);
      assert.equal(issues.length, 1);
      const [issue] = issues;
      for (const [key, fact] of Object.entries(expected)) assert.deepEqual(issue?.[key], fact, key);
      assert.ok((issue?.message.length ?? 0) > 5);
    });
  }

  it('parseInput reports every finding at once', () => {
    assert.deepEqual(
      issuesOf({ days: 0, other: 1 })
        .map(({ field }) => field)
        .sort(),
      ['days', 'name', 'other'],
    );
  });

  it('parseInput reports the first fifty of thousands of findings, with field names that are cut to a bounded length', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${at}${'x'.repeat(1000)}`, at]));
    const ids = Array.from({ length: 5000 }, () => 'x');
    for (const value of [unknown, { name: 'abc', ids }, { ...unknown, ids }]) {
      const issues = issuesOf(value);
      assert.equal(issues.length, 50);
      assert.ok(
        issues.every(({ field }) => field.length <= 200),
        'a field of more than 200 characters',
      );
    }
  });

  it('parseInput takes missing arguments for none', () => {
    assert.deepEqual(parseInput(z.object({}).strict(), undefined), {});
    assert.deepEqual(parseInput(z.object({}).strict(), null), {});
  });
});

describe('near misses', () => {
  const nearest = (value: unknown): unknown => issuesOf(value).find((issue) => 'nearest' in issue)?.['nearest'];
  const cases: [string, object, string | undefined][] = [
    ['a field by its letters', { name: 'abc', NAME_: 1, Kind: 'a' }, 'kind'],
    ['a field that is missed', { naem: 'abc' }, 'name'],
    ['a nested field', { name: 'abc', drm: { system: [] } }, 'systems'],
    ['a word of a list, by its letters', { name: 'abc', drm: { systems: ['wide vine'] } }, 'Widevine'],
    ['nothing for a field that is nothing like it', { name: 'abc', colour: 1 }, undefined],
    ['nothing for a word that is like several', { name: 'abc', kind: 'x' }, undefined],
    ['nothing for a field of a megabyte', { name: 'abc', ['z'.repeat(1_000_000)]: 1 }, undefined],
  ];
  for (const [what, value, expected] of cases)
    it(`parseInput offers as the nearest: ${what}`, () => assert.equal(nearest(value), expected));
});
