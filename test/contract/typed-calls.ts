/** A program of calls for a generated client, made from the API description: each operation from what it needs to all that it takes. */
type Schema = Record<string, unknown>;
type Schemas = Record<string, Schema>;
interface Shape {
  properties?: Schemas;
  required?: string[];
  items?: Schema;
}
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}
interface Media {
  schema?: Schema;
  examples?: Record<string, { value: Record<string, unknown> }>;
}
interface Operation {
  operationId: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, Media> };
}
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; parameters: Record<string, Parameter> };
}
interface Call {
  operationId: string;
  method: string;
  path: string;
  init: object;
}

export function operationIdsOf({ paths }: ApiDocument): string[] {
  return methodsOf(paths).map(({ operation }) => operation.operationId);
}

/** TypeScript that calls every operation of the description; what is answered or refused is typed by the description alone. */
export function callsProgram(document: ApiDocument): string {
  const calls = methodsOf(document.paths).flatMap(({ path, method, operation }) =>
    initsOf(document, operation).map((init) => ({ operationId: operation.operationId, method, path, init })),
  );
  return [
    "import createClient from 'openapi-fetch';",
    "import type { components, paths } from './api.mjs';",
    'const client = createClient<paths>();',
    "type Problem = components['schemas']['Problem'];",
    ...calls.map(statementsOf),
  ].join('\n');
}

function methodsOf(paths: ApiDocument['paths']): { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => key !== 'servers')
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

function statementsOf({ operationId, method, path, init }: Call, index: number): string {
  const call = `await client.${method.toUpperCase()}(${JSON.stringify(path)}, ${JSON.stringify(init)})`;
  // It answers 503 with what is not ready in place of a problem.
  const refusal = operationId === 'readyz' ? 'error' : 'error satisfies Problem';
  return [
    `export async function ${operationId}${index}() {`,
    `  const { data, error } = ${call};`,
    '  if (error !== undefined) {',
    `    ${refusal};`,
    '    throw new Error(JSON.stringify(error));',
    '  }',
    // A range beyond the end of a file is refused without a body, so that there may be neither.
    operationId === 'getFeedMedia' ? '' : '  data satisfies {};',
    '  return data;',
    '}',
  ].join('\n');
}

/** With what is required alone, with each field of the example holding what is required in it alone, and with everything that may be said. */
function initsOf({ components }: ApiDocument, operation: Operation): object[] {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? components.parameters[nameOf(parameter.$ref)]! : parameter,
  );
  const needed = parameters.filter((parameter) => parameter.required);
  const { schema = {}, examples } = operation.requestBody?.content['application/json'] ?? {};
  const body = examples?.['typical']?.value;
  if (body === undefined) return distinct([initOf(needed, undefined), initOf(parameters, undefined)]);
  const { properties = {}, required = [] } = shapeOf(schema, components.schemas);
  const bare = Object.entries(body).map(
    ([name, value]) => [name, leastOf(properties[name] ?? {}, value, components.schemas)] as const,
  );
  const least = bare.filter(([name]) => required.includes(name));
  return distinct([
    ...[least, bare].map((fields) => initOf(needed, Object.fromEntries(fields))),
    initOf(parameters, body),
  ]);
}

function distinct(inits: readonly object[]): object[] {
  return [...new Set(inits.map((init) => JSON.stringify(init)))].map((text) => JSON.parse(text) as object);
}

/** A value without whatever its schema lets a caller leave out. */
function leastOf(schema: Schema, value: unknown, schemas: Schemas): unknown {
  const { properties, required = [], items } = shapeOf(schema, schemas);
  if (Array.isArray(value)) return value.map((item) => leastOf(items ?? {}, item, schemas));
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  const kept = Object.entries(value).filter(([name]) => required.includes(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, leastOf(properties[name] ?? {}, inner, schemas)]));
}

/** The content of a schema, found by its reference where it is one, beside null or not. */
function shapeOf(schema: Schema, schemas: Schemas): Shape {
  const [first] = (schema['anyOf'] ?? [schema]) as Schema[];
  const { $ref } = (first ?? {}) as { $ref?: string };
  return ($ref === undefined ? first : schemas[nameOf($ref)]) as Shape;
}

function nameOf($ref: string): string {
  return $ref.split('/').at(-1)!;
}

function initOf(parameters: readonly Parameter[], body: object | undefined): object {
  const inPlace = (place: string): object => {
    const own = parameters.filter((parameter) => parameter.in === place);
    return own.length === 0
      ? {}
      : { [place]: Object.fromEntries(own.map(({ name, schema }) => [name, valueOf(schema)])) };
  };
  const params = Object.assign({}, ...['path', 'query', 'header'].map(inPlace)) as object;
  return { ...(Object.keys(params).length > 0 && { params }), ...(body && { body }) };
}

function valueOf({ type, enum: words, format, minimum, items }: Schema): unknown {
  if (Array.isArray(words)) return words[0];
  const [kind] = [type].flat();
  if (kind === 'integer' || kind === 'number') return minimum ?? 7;
  if (kind === 'boolean') return true;
  if (kind === 'array') return [valueOf(items as Schema)];
  return format === 'date-time' ? '2030-01-01T00:00:00Z' : 'x';
}
