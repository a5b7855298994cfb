/** The answers of operations in the OpenAPI description. */
import { z } from 'zod/v3';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { dataOf } from '../../toolkit/output/page.ts';
import { isWorkflow, type Tool } from '../../toolkit/tool.ts';
import { isSchema, propertiesOf } from './openapi-components.ts';

const answerSchemas = new WeakMap<z.ZodTypeAny, z.ZodTypeAny>();

/**
 * A field with a default is always there in an answer. A row of a list has all its fields, unless `fields` selects fewer, which no schema of
 * an answer can say (docs/decisions/conventions.md).
 */
export function outputOf(tool: Tool): JsonSchema {
  let schema = answerSchemas.get(tool.output);
  if (schema === undefined) {
    schema = withoutDefaults(withWholeRows(inEnvelope(tool)));
    answerSchemas.set(tool.output, schema);
  }
  return toJsonSchema(schema);
}

/** REST answers every object under `data`; a workflow declares the object alone, as it is answered over MCP. */
function inEnvelope(tool: Tool): z.ZodTypeAny {
  return isWorkflow(tool) ? dataOf(tool.output) : tool.output;
}

/** The schema of an answer with its defaults, for the example. */
export function exampleSchemaOf(tool: Tool): JsonSchema {
  return withDefaults(outputOf(tool), toJsonSchema(inEnvelope(tool)));
}

function withDefaults(schema: JsonSchema, declared: JsonSchema): JsonSchema {
  const { items } = schema;
  const fields = propertiesOf(declared);
  const properties = Object.entries(propertiesOf(schema)).map(([name, field]) => [
    name,
    withDefaults(field, fields[name] ?? {}),
  ]);
  return {
    ...schema,
    ...('default' in declared && { default: declared['default'] }),
    ...('properties' in schema && { properties: Object.fromEntries(properties) as JsonSchema }),
    ...(isSchema(items) && isSchema(declared['items']) && { items: withDefaults(items, declared['items']) }),
  };
}

/** Lists declare `row.partial()`, which makes each field optional once more: a field that was optional before is so twice. */
function withWholeRows(output: z.ZodTypeAny): z.ZodTypeAny {
  const shape = output instanceof z.ZodObject ? (output.shape as z.ZodRawShape) : {};
  const { rows } = shape;
  if (!(rows instanceof z.ZodArray) || !(rows.element instanceof z.ZodObject)) return output;
  const fields = Object.entries(rows.element.shape as z.ZodRawShape).map(
    ([name, field]) => [name, field instanceof z.ZodOptional ? (field.unwrap() as z.ZodTypeAny) : field] as const,
  );
  return withShape(output as z.AnyZodObject, {
    ...shape,
    rows: arrayLike(rows, withShape(rows.element as z.AnyZodObject, Object.fromEntries(fields))),
  });
}

/** The schema without defaults, at every level. */
function withoutDefaults(schema: z.ZodTypeAny): z.ZodTypeAny {
  const { description } = schema;
  const bare = withoutDefault(schema);
  return description === undefined || bare.description === description ? bare : bare.describe(description);
}

function withoutDefault(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodDefault) return withoutDefaults(schema.removeDefault() as z.ZodTypeAny);
  if (schema instanceof z.ZodOptional) return withoutDefaults(schema.unwrap() as z.ZodTypeAny).optional();
  if (schema instanceof z.ZodNullable) return withoutDefaults(schema.unwrap() as z.ZodTypeAny).nullable();
  if (schema instanceof z.ZodArray) return arrayLike(schema, withoutDefaults(schema.element as z.ZodTypeAny));
  if (!(schema instanceof z.ZodObject)) return schema;
  const fields = Object.entries(schema.shape as z.ZodRawShape).map(
    ([name, field]) => [name, withoutDefaults(field)] as const,
  );
  return withShape(schema as z.AnyZodObject, Object.fromEntries(fields));
}

function withShape(object: z.AnyZodObject, shape: z.ZodRawShape): z.ZodTypeAny {
  return new z.ZodObject({ ...object._def, shape: () => shape });
}

function arrayLike(array: z.ZodArray<z.ZodTypeAny>, element: z.ZodTypeAny): z.ZodTypeAny {
  return new z.ZodArray({ ...array._def, type: element });
}
