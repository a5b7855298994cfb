/** The OpenAPI 3.1 description, generated from the catalogue: nothing in it is typed by hand twice. */
import { isMutating } from '../toolkit/access.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import { toJsonSchema, type JsonSchema } from '../toolkit/json-schema.ts';
import { routeOf, successStatus, type Route, type Tool } from '../toolkit/tool.ts';
import { fileTypeOf, takesForm } from './media.ts';
import { PROBLEM_SCHEMA, problemReferences, problemResponses } from './openapi-problems.ts';
import { PREFIX } from './routes.ts';

interface DocumentOptions {
  version: string;
  /** Public base URL of the server; left out: relative to where the document is served. */
  serverUrl?: string | undefined;
}

type Json = Record<string, unknown>;

export function openApiDocument(catalogue: Pick<Catalogue, 'operations'>, options: DocumentOptions): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const tool of catalogue.operations) {
    const route = routeOf(tool);
    if (route === undefined) continue;
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationObject(tool, route, components);
  }
  const tags = [...new Set(catalogue.operations.map((tool) => tool.tag))].sort().map((name) => ({ name }));
  return {
    openapi: '3.1.0',
    info: {
      title: 'onair',
      version: options.version,
      description:
        'Controls live video broadcasts. Every operation is also a tool of the MCP server under the name in operationId.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${options.serverUrl?.replace(/\/+$/u, '') ?? ''}${PREFIX}` }],
    security: [{ bearer: [] }],
    tags,
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'API token of a user; its role decides what it may do.',
        },
      },
      schemas: { Problem: PROBLEM_SCHEMA, ...components.schemas },
      responses: problemResponses(),
    },
  };
}

function operationObject(tool: Tool, route: Route, components: Components): Json {
  const schema = toJsonSchema(tool.input) as { properties?: Record<string, JsonSchema>; required?: string[] };
  const properties = schema.properties ?? {};
  const required = schema.required ?? [];
  const others = Object.keys(properties).filter((name) => !route.params.includes(name));
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE';
  const body = pickSchema(properties, required, others);
  return {
    operationId: tool.name,
    summary: tool.summary,
    description: `${tool.description}\n\nRole: ${tool.access === 'admin' ? 'System Administrator' : 'Operator or System Administrator'}.`,
    tags: [tool.tag],
    parameters: [
      ...route.params.map((name) => parameter(name, 'path', properties[name] ?? {}, true)),
      ...(takesBody
        ? []
        : others.map((name) => parameter(name, 'query', properties[name] ?? {}, required.includes(name)))),
      ...headerParameters(tool),
    ],
    ...(takesBody && others.length > 0 && { requestBody: requestBody(tool, body) }),
    responses: { ...successResponses(tool, components), ...problemReferences(tool.effect) },
  };
}

function parameter(name: string, place: 'path' | 'query' | 'header', schema: JsonSchema, required: boolean): Json {
  const { description, ...rest } = schema;
  return {
    name,
    in: place,
    required,
    ...(description !== undefined && { description }),
    schema: rest,
    ...(rest['type'] === 'array' && { style: 'form', explode: false }),
  };
}

function headerParameters(tool: Tool): Json[] {
  if (!isMutating(tool)) return [];
  const text = (name: string, maxLength: number, description: string): Json =>
    parameter(name, 'header', { type: 'string', minLength: 1, maxLength, description }, false);
  const headers = [
    text('Idempotency-Key', 255, 'A retry with the same key and arguments gets the stored answer; kept for 24 hours.'),
  ];
  if (tool.effect === 'update' || tool.effect === 'delete') {
    headers.push(text('If-Match', 64, 'ETag that the resource must still have; 412 otherwise.'));
  }
  return headers;
}

function requestBody(tool: Tool, schema: Json): Json {
  const required = (schema['required'] as string[]).length > 0;
  if (!takesForm(tool)) return { required, content: { 'application/json': { schema } } };
  const { content_base64: _json, ...texts } = schema['properties'] as Record<string, JsonSchema>;
  const form = {
    type: 'object',
    properties: {
      ...texts,
      file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The content.' },
    },
    required: [...(schema['required'] as string[]), 'file'],
    additionalProperties: false,
  };
  return { required: true, content: { 'multipart/form-data': { schema: form }, 'application/json': { schema } } };
}

function pickSchema(
  properties: Record<string, JsonSchema>,
  required: readonly string[],
  names: readonly string[],
): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    required: names.filter((name) => required.includes(name)),
    additionalProperties: false,
  };
}

function successResponses(tool: Tool, components: Components): Json {
  const fileType = fileTypeOf(tool);
  const headers = {
    'X-Request-Id': { description: 'Id of the call, for the log and the audit.', schema: { type: 'string' } },
  };
  const response = {
    description: 'Done.',
    headers,
    content: {
      'application/json': { schema: components.extract(toJsonSchema(tool.output)) },
      ...(fileType !== undefined && { [fileType]: { schema: { type: 'string', contentMediaType: fileType } } }),
    },
  };
  const file = fileType === undefined ? {} : { '206': { ...response, description: 'The byte range asked for.' } };
  // An operation that steers a broadcast may answer before the Device has done it.
  const accepted =
    tool.effect === 'control'
      ? { '202': { ...response, description: 'Accepted; the status tells when it is done.' } }
      : {};
  return { [String(successStatus(tool.effect))]: response, ...file, ...accepted };
}

/** Schemas that say what they are (`Live stream: a named broadcast.`) become named components, once each. */
class Components {
  readonly schemas: Json = {};
  readonly #names = new Map<string, string>();

  /** The schema of an answer with its `data` replaced by a reference, where that has a name. */
  extract(answer: JsonSchema): JsonSchema {
    const properties = answer['properties'] as Record<string, JsonSchema> | undefined;
    const data = properties?.['data'];
    const name = data === undefined ? undefined : this.#nameOf(data);
    return name === undefined
      ? answer
      : { ...answer, properties: { ...properties, data: { $ref: `#/components/schemas/${name}` } } };
  }

  #nameOf(schema: JsonSchema): string | undefined {
    const words = /^([A-Z][A-Za-z ]{1,40}): /u.exec(String(schema['description'] ?? ''))?.[1];
    if (words === undefined) return undefined;
    const text = JSON.stringify(schema);
    const base = words.replace(/ +(\w)/gu, (_match, letter: string) => letter.toUpperCase());
    let name = this.#names.get(text) ?? base;
    // Another shape under the same noun keeps its own name.
    for (let next = 2; !this.#names.has(text) && name in this.schemas; next += 1) name = `${base}${next}`;
    this.#names.set(text, name);
    this.schemas[name] = schema;
    return name;
  }
}
