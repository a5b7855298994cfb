/** The one place where a zod schema becomes JSON Schema. */
import { z } from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';

export type JsonSchema = Record<string, unknown>;

const converted = new WeakMap<z.ZodTypeAny, JsonSchema>();

/**
 * JSON Schema (the part that draft 7, 2020-12, MCP and OpenAPI 3.1 share) of a zod/v3 schema, without references.
 * Throws on a zod 4 schema: the converter would answer an empty schema without an error and break every client's tool list.
 */
export function toJsonSchema(schema: z.ZodTypeAny): JsonSchema {
  if (!(schema instanceof z.ZodType))
    throw new TypeError('Only zod/v3 schemas can be converted; import { z } from "zod/v3".');
  let known = converted.get(schema);
  if (known === undefined) {
    // Any target but jsonSchema7 writes draft 4's boolean `exclusiveMinimum`, which no validator of a later draft accepts.
    const { $schema: _dialect, ...rest } = zodToJsonSchema(schema, {
      $refStrategy: 'none',
      target: 'jsonSchema7',
    }) as JsonSchema;
    known = compact(rest) as JsonSchema;
    converted.set(schema, known);
  }
  return known;
}

/** A model cannot use a pattern over classes of characters, and `\\p` breaks clients whose regular expressions do not know it. */
const UNHELPFUL_PATTERN = /\\[pu]/u;

/**
 * Shortens a schema without changing it, because a model reads every schema: `X or null` is one type list, and a default that follows from
 * the rest is left out (null, or an object whose fields have their own).
 */
function compact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(compact);
  if (!isSchema(node)) return node;
  const { anyOf, default: initial, pattern, ...rest } = node;
  const compacted = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'properties' ? compactEach(value) : compact(value)]),
  );
  const branches = Array.isArray(anyOf) ? (anyOf.map(compact) as JsonSchema[]) : undefined;
  return {
    ...(branches && (nullable(branches) ?? { anyOf: branches })),
    ...compacted,
    ...(typeof pattern === 'string' && !UNHELPFUL_PATTERN.test(pattern) && { pattern }),
    ...(initial !== undefined && initial !== null && !isEmpty(initial) && { default: initial }),
  };
}

function compactEach(properties: unknown): unknown {
  return isSchema(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, compact(field)]))
    : properties;
}

function nullable([schema, none, ...more]: JsonSchema[]): JsonSchema | undefined {
  if (schema === undefined || none?.['type'] !== 'null' || more.length > 0 || typeof schema['type'] !== 'string')
    return undefined;
  const values: unknown = schema['enum'];
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] as unknown[] }),
  };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return isSchema(value) && Object.keys(value).length === 0;
}
