/**
 * Makes example values from schemas; the same schema gives the same example. A field has a value that fits its name where there is one, a
 * body has what a first call would send.
 */
import type { JsonSchema } from '../../toolkit/input/json-schema.ts';
import { EXAMPLE_BODIES, FIELD_VALUES } from './example-values.ts';
import { isNullable, propertiesOf } from './openapi-components.ts';

type Fields = Record<string, unknown>;

/** The fields that hold another resource, each with the operation that creates such a resource. */
const MADE_BY: Readonly<Record<string, string>> = {
  channel: 'addChannel',
  destination: 'addPublishing',
  publishing: 'addPublishing',
  encoding: 'addEncoding',
};

/** Fills in every member within its bounds; `name` is that of the field. */
export function exampleOf(schema: JsonSchema, name: string): unknown {
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  const fitting = (FIELD_VALUES[name] ?? []).find((value) => fits(value, schema));
  if (fitting !== undefined) return fitting;
  if (isNullable(schema)) return null;
  const operation = MADE_BY[name];
  if (operation !== undefined && typeOf(schema) === 'object') return overlay(schema, EXAMPLE_BODIES[operation], 'data');
  const { enum: allowed, anyOf } = schema;
  if (Array.isArray(allowed)) return allowed[0] as unknown;
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema, name);
  switch (typeOf(schema)) {
    case 'object':
      return objectExample(schema);
    case 'array':
      return arrayExample(schema, name);
    case 'string':
      return stringExample(schema, name);
    case 'integer':
    case 'number':
      return numberExample(schema);
    case 'boolean':
      return !/^(?:has_|backup|scteMarkers|isDefault)/u.test(name);
    default:
      return {};
  }
}

/** The body of a call: the example of the operation, else its required fields, else the first field that can be changed. */
export function bodyExample(operation: string, schema: JsonSchema): Fields {
  const body = EXAMPLE_BODIES[operation];
  if (body !== undefined) return body;
  const properties = propertiesOf(schema);
  const required = (schema['required'] ?? []) as string[];
  const [first] = Object.keys(properties);
  const names = required.length > 0 || first === undefined ? required : [first];
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, name)]));
}

/** The answer to a call that sent the example body. */
export function answerExample(answer: JsonSchema, sent: Fields | undefined): unknown {
  const { data, rows, pagination } = propertiesOf(answer);
  if (rows !== undefined && pagination !== undefined) {
    const row = overlay(rows['items'] as JsonSchema, sent, 'rows');
    return { rows: [row], pagination: { page: 1, pageSize: 100, total: 1, totalPages: 1 } };
  }
  return data === undefined ? exampleOf(answer, 'answer') : { data: overlay(data, sent, 'data') };
}

/** For an object that was sent, the example has the parts that were sent and those that every answer has. */
function overlay(schema: JsonSchema, sent: unknown, name: string): unknown {
  if (sent === undefined) return exampleOf(schema, name);
  if (!isFields(sent)) return fits(sent, schema) ? sent : exampleOf(schema, name);
  const required = (schema['required'] ?? []) as string[];
  const isWhole = name === 'data' || name === 'rows';
  const fields = Object.entries(propertiesOf(schema)).filter(
    ([field]) => isWhole || field in sent || required.includes(field),
  );
  // A part that may be null and was not sent is null; a whole resource shows what it might hold.
  const valueOf = (field: string, inner: JsonSchema): unknown =>
    !isWhole && !(field in sent) && isNullable(inner) ? null : overlay(inner, sent[field], field);
  return Object.fromEntries(fields.map(([field, inner]) => [field, valueOf(field, inner)]));
}

function objectExample(schema: JsonSchema): Fields {
  return Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([name, field]) => [name, exampleOf(field, name)]),
  );
}

function arrayExample(schema: JsonSchema, name: string): unknown[] {
  const items = schema['items'];
  return isFields(items) ? [exampleOf(items, name.replace(/s$/u, ''))] : [];
}

function stringExample(schema: JsonSchema, name: string): string {
  if (schema['format'] === 'date-time' || /(?:_at|^since|^at|^start|^end)$/u.test(name))
    return '2026-03-14T18:00:00.000Z';
  const { minLength = 0, maxLength = 255 } = schema as { minLength?: number; maxLength?: number };
  return name
    .replaceAll(/[^a-zA-Z\d]+/gu, '-')
    .padEnd(minLength, 'x')
    .slice(0, maxLength);
}

function numberExample({ minimum, exclusiveMinimum }: JsonSchema): number {
  if (typeof minimum === 'number') return minimum;
  return typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1;
}

/** The table is for every field of a name, so a value counts only where the bounds of the field allow it. */
function fits(value: unknown, schema: JsonSchema): boolean {
  const { enum: allowed, pattern, format } = schema as { enum?: unknown[]; pattern?: string; format?: string };
  if (value === null) return isNullable(schema);
  if (allowed !== undefined) return allowed.includes(value);
  if (typeof value === 'string') {
    if (typeOf(schema) !== 'string') return false;
    const { minLength = 0, maxLength = Infinity } = schema as { minLength?: number; maxLength?: number };
    const isDate = format !== 'date-time' || /^\d{4}-\d\d-\d\dT.*Z$/u.test(value);
    return (
      isDate &&
      value.length >= minLength &&
      value.length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(value))
    );
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema as { minimum?: number; maximum?: number };
    const isKind = typeOf(schema) === 'number' || (typeOf(schema) === 'integer' && Number.isInteger(value));
    return isKind && value >= minimum && value <= maximum;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return (
      typeOf(schema) === 'array' &&
      isFields(items) &&
      value.every((element) => isFields(element) || fits(element, items))
    );
  }
  return typeOf(schema) === typeof value;
}

function typeOf(schema: JsonSchema): unknown {
  const { type } = schema;
  return Array.isArray(type) ? (type as unknown[]).find((name) => name !== 'null') : type;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
