/** Shortens schemas, which a model reads and pays for by the token. A shorter schema still holds for the same answers. */
import type { JsonSchema } from '../../toolkit/input/json-schema.ts';

/** English and JSON come to about four characters a token. */
export const CHARS_PER_TOKEN = 4;

/**
 * The schema down to `depth` levels of properties. Deeper values have only their type, and the list of required fields is left out, because
 * it would repeat their names; so is the refusal of other fields, because an answer that was shortened has a note. The result is looser than the original, so whatever fits that fits this.
 */
export function outline(schema: JsonSchema, depth: number): JsonSchema {
  const { type, description, enum: values, properties, items } = schema;
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
  };
}

/** The server refuses or corrects these faults and says so, so a model can fill in a call without them. */
const CHECKS = ['minLength', 'maxLength', 'exclusiveMinimum', 'additionalProperties'];

/**
 * The schema with only what a model needs to fill in a call: names, types, ranges, formats and defaults. The default of a flag is left out,
 * because a flag is off without a value. Whatever fits it fits the original, but for the checks.
 */
export function fillable(schema: JsonSchema): JsonSchema {
  const { properties, anyOf, type: listed, ...rest } = schema;
  const types = [Array.isArray(anyOf) ? anyOf.map((branch: JsonSchema) => branch['type']) : listed].flat();
  // Some clients cannot send a field of several types. Every id may come as a text, and null as nothing.
  const type = types.includes('string') ? 'string' : types[0];
  const entries = Object.entries(rest).filter(
    ([key, value]) => !CHECKS.includes(key) && !(key === 'default' && value === false),
  );
  const fields = isSchema(properties) ? Object.entries(properties) : [];
  return {
    ...(type !== undefined && { type }),
    ...Object.fromEntries(entries),
    ...(fields.length > 0 && {
      properties: Object.fromEntries(fields.map(([name, field]) => [name, fillable(field as JsonSchema)])),
    }),
  };
}

/** The schema without its prose. */
export function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (!isSchema(schema)) return schema;
  const entries = Object.entries(schema).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutDescriptions(value)]));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
