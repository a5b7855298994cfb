/** The one place where a zod schema becomes JSON Schema. */
import { z } from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';

export type JsonSchema = Record<string, unknown>;

const converted = new WeakMap<z.ZodTypeAny, JsonSchema>();

/**
 * JSON Schema (2020-12 subset that MCP and OpenAPI 3.1 share) of a zod/v3 schema, without references.
 * Throws on a zod 4 schema: the converter would answer an empty schema without an error and break every client's tool list.
 */
export function toJsonSchema(schema: z.ZodTypeAny): JsonSchema {
  if (!(schema instanceof z.ZodType))
    throw new TypeError('Only zod/v3 schemas can be converted; import { z } from "zod/v3".');
  let known = converted.get(schema);
  if (known === undefined) {
    const { $schema: _dialect, ...rest } = zodToJsonSchema(schema, {
      $refStrategy: 'none',
      target: 'jsonSchema2019-09',
    }) as JsonSchema;
    known = rest;
    converted.set(schema, known);
  }
  return known;
}
