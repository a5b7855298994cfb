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

/** Says the same in fewer words, for every schema is read by a model: `X or null` as one type list, no `default: null`. */
function compact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(compact);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(
    ([key, value]) => [key, key === 'default' || key === 'enum' ? value : compact(value)] as const,
  );
  const { anyOf, ...rest } = Object.fromEntries(entries) as JsonSchema;
  if (rest['default'] === null) delete rest['default'];
  const orNull = anyOf === undefined ? undefined : nullable(anyOf as JsonSchema[]);
  return anyOf === undefined ? rest : { ...(orNull ?? { anyOf }), ...rest };
}

function nullable([schema, none, ...more]: JsonSchema[]): JsonSchema | undefined {
  if (schema === undefined || none?.['type'] !== 'null' || more.length > 0 || typeof schema['type'] !== 'string')
    return undefined;
  const values = schema['enum'];
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}
