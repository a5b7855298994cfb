import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z as zod4 } from 'zod';
import { z } from 'zod/v3';
import { toJsonSchema } from '../../toolkit/input/json-schema.ts';

const convert = (schema: z.ZodTypeAny): unknown => toJsonSchema(z.object({ field: schema }).strict());
const field = (schema: z.ZodTypeAny): unknown =>
  (convert(schema) as { properties: { field: unknown } }).properties.field;

describe('toJsonSchema', () => {
  it('toJsonSchema refuses a zod 4 schema, which would convert to nothing', () => {
    assert.throws(() => toJsonSchema(zod4.object({ name: zod4.string() }) as never), /zod\/v3/u);
  });

  it('toJsonSchema writes a strict object without references or a dialect', () => {
    const shared = z.object({ id: z.number().int().positive().describe('An id.') }).strict();
    assert.deepEqual(toJsonSchema(z.object({ a: shared, b: shared.optional() }).strict()), {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          properties: { id: { type: 'integer', exclusiveMinimum: 0, description: 'An id.' } },
          required: ['id'],
          additionalProperties: false,
        },
        b: {
          type: 'object',
          properties: { id: { type: 'integer', exclusiveMinimum: 0, description: 'An id.' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
      required: ['a'],
      additionalProperties: false,
    });
  });

  it('toJsonSchema writes bounds as numbers: a boolean exclusiveMinimum is draft 4', () => {
    assert.deepEqual(field(z.number().gt(0).lt(5)), { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 5 });
  });

  it('toJsonSchema writes what may be null as one list of types, and leaves out defaults that say nothing', () => {
    assert.deepEqual(field(z.string().max(5).nullable().default(null).describe('Text.')), {
      type: ['string', 'null'],
      maxLength: 5,
      description: 'Text.',
    });
    assert.deepEqual(field(z.enum(['a', 'b']).nullable()), { type: ['string', 'null'], enum: ['a', 'b', null] });
    assert.deepEqual(
      field(
        z
          .object({ on: z.boolean().default(true) })
          .strict()
          .default({}),
      ),
      {
        type: 'object',
        properties: { on: { type: 'boolean', default: true } },
        additionalProperties: false,
      },
    );
    assert.deepEqual(field(z.boolean().default(false)), { type: 'boolean', default: false });
  });

  it('toJsonSchema takes fields that are called as words of JSON Schema for what they are', () => {
    const schema = z
      .object({ default: z.string().nullable(), anyOf: z.number(), pattern: z.string().regex(/^\p{L}$/u) })
      .strict();
    assert.deepEqual((toJsonSchema(schema) as { properties: object }).properties, {
      default: { type: ['string', 'null'] },
      anyOf: { type: 'number' },
      pattern: { type: 'string' },
    });
  });

  it('toJsonSchema keeps patterns that every client can read', () => {
    assert.deepEqual(field(z.string().regex(/^#[0-9a-f]{6}$/u)), { type: 'string', pattern: '^#[0-9a-f]{6}$' });
  });
});
