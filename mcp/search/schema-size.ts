/** Schemas are read by a model and paid for by the token: shorter ones that still hold for the same answers. */
import type { JsonSchema } from '../../toolkit/input/json-schema.ts';

/** English and JSON come to about four characters a token. */
export const CHARS_PER_TOKEN = 4;

/**
 * The schema down to `depth` levels of properties; what is below is named by its type alone, and which fields are always there is not
 * said: their names would be paid for twice. Looser than the original, so whatever fits that fits this.
 */
export function outline(schema: JsonSchema, depth: number): JsonSchema {
  const { type, description, enum: values, properties, items, additionalProperties } = schema;
  const plain = {
    ...(type !== undefined && { type }),
    ...(values !== undefined && { enum: values }),
    ...(description !== undefined && { description }),
  };
  if (depth <= 0) return plain;
  return {
    ...plain,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, outline(value as JsonSchema, depth - 1)]),
      ),
    }),
    ...(isSchema(items) && { items: outline(items, depth - 1) }),
    ...(additionalProperties === false && { additionalProperties }),
  };
}

/** What the server refuses or mends, and says so: a model that fills in a call can do without. */
const CHECKS = ['minLength', 'maxLength', 'exclusiveMinimum', 'additionalProperties'];

/**
 * What it takes to fill in a call: names, types, ranges, formats and defaults, but for flags, which are off when left out. Looser than
 * the original, so whatever fits that fits this.
 */
export function fillable(schema: JsonSchema): JsonSchema {
  const { properties, anyOf, ...rest } = schema;
  const kept = Object.entries(rest).filter(
    ([key, value]) => !CHECKS.includes(key) && !(key === 'default' && value === false),
  );
  const fields = isSchema(properties) ? Object.entries(properties) : [];
  return {
    ...(Array.isArray(anyOf) && { type: anyOf.map((branch: JsonSchema) => branch['type']) }),
    ...Object.fromEntries(kept),
    ...(fields.length > 0 && {
      properties: Object.fromEntries(fields.map(([name, field]) => [name, fillable(field as JsonSchema)])),
    }),
  };
}

/** The schema without its prose. */
export function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (!isSchema(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
