/** The fields of an operation as people type them: `--settings.url` reaches a field within another. All of it follows from the schema. */
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import type { Tool } from '../../toolkit/tool.ts';

export interface TypedField {
  /** `settings.url`. */
  path: string;
  /** `text`, `number`, `true | false`, `a,b,…` of a list, `JSON`. */
  type: string;
  about: string;
  isNeeded: boolean;
  /** The values that it takes, where they are few words; of the items of a list too. */
  choices?: string[];
  default?: unknown;
}

export function fieldsOf({ input }: Pick<Tool, 'input'>): TypedField[] {
  return within(toJsonSchema(input), '', true);
}

function within(object: JsonSchema, before: string, isOuterNeeded: boolean): TypedField[] {
  const needed = (object['required'] ?? []) as string[];
  return Object.entries((object['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, schema]) => {
    const isNeeded = isOuterNeeded && needed.includes(name);
    const choices = choicesOf(schema);
    const field: TypedField = {
      path: `${before}${name}`,
      type: typeOf(schema),
      about: String(schema['description'] ?? ''),
      isNeeded,
      ...(choices && { choices }),
      ...(schema['default'] !== undefined && { default: schema['default'] }),
    };
    return [field, ...(schema['properties'] ? within(schema, `${before}${name}.`, isNeeded) : [])];
  });
}

function choicesOf(schema: JsonSchema): string[] | undefined {
  const { enum: values, items } = schema as { enum?: unknown[]; items?: JsonSchema };
  if (values !== undefined) return values.filter((value) => value !== null).map(String);
  return items === undefined ? undefined : choicesOf(items);
}

function typeOf(schema: JsonSchema): string {
  const { anyOf, items, enum: values } = schema as { anyOf?: JsonSchema[]; items?: JsonSchema; enum?: unknown[] };
  if (values !== undefined) return 'choice';
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].filter((type) => type !== 'null').join(' | ');
  const types = [schema['type'] ?? 'object'].flat().filter((type) => type !== 'null') as string[];
  const [type = 'object'] = types;
  if (type === 'string') return 'text';
  if (type === 'integer') return 'number';
  if (type === 'boolean') return 'true | false';
  if (type !== 'array') return type === 'object' ? 'JSON' : type;
  const item = items === undefined ? 'JSON' : typeOf(items);
  return item === 'JSON' ? 'JSON' : `${item},…`;
}
