import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { openApiDocument } from '../../rest/openapi/openapi.ts';
import { toJsonSchema } from '../../toolkit/input/json-schema.ts';
import { operations } from '../../tools/index.ts';
import { isMutating } from '../../toolkit/access.ts';
import { workflows } from '../../workflows/index.ts';
import { defaultsIn, optionalIn, SOMETIMES_ANSWERED } from './openapi-fields.ts';
import { wordsOf } from '../helpers/words.ts';

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
  explode?: boolean;
}
type Schema = Record<string, unknown>;
interface Media {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: Parameter[];
  security: Record<string, string[]>[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { $ref?: string; headers?: object; content?: Record<string, Media> }>;
}
interface Document {
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, { headers: object; content: Record<string, Media> }>;
    parameters: Record<string, Parameter>;
    headers: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}
const KINDS = ['schemas', 'responses', 'parameters', 'headers'] as const;
/** Which body it is depends on the type: the schema of the operation that it is for bounds it. */
const JUDGED_BY_ANOTHER = [
  'addLivestreamAction.payload.* takes anything',
  'updatePlannedAction.payload.* takes anything',
];

/** Paths that are described beside the operations of the catalogue. */
const BESIDE = wordsOf(`
  login renewSession logout changePassword getMe listAssistants endAssistant getFeed getFeedPictures getFeedMedia getFeedWall openApiDocument healthz
  readyz metrics
`);

const tools = [...operations, ...workflows];
const CHANGING = new Set(tools.filter(isMutating).map(({ name }) => name));
/** A workflow that reads is a POST too, so that the method does not say it. */
const changes = ({ operationId }: Operation): boolean => CHANGING.has(operationId);

describe('the OpenAPI document of the product', () => {
  let document: Document;
  let everything: { path: string; method: string; operation: Operation }[];
  let all: typeof everything;
  before(() => {
    // As a client gets it: what JSON drops must not matter.
    document = JSON.parse(JSON.stringify(openApiDocument({ operations, workflows }, { version: '1.0.0' }))) as Document;
    everything = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'servers')
        .map(([method, operation]) => ({ path, method, operation: resolved(document, operation) })),
    );
    all = everything.filter(({ operation }) => !BESIDE.includes(operation.operationId));
  });

  it('the OpenAPI document has every operation once, under its own name', () => {
    const names = all.map(({ operation }) => operation.operationId).sort();
    assert.deepEqual(names, tools.map((tool) => tool.name).sort());
    assert.equal(new Set(names).size, names.length);
  });

  it('the OpenAPI document declares every parameter of a path, and each once', () => {
    for (const { path, operation } of all) {
      const inPath = [...path.matchAll(/\{(\w+)\}/gu)].map((match) => match[1]);
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      assert.deepEqual(declared.map(({ name }) => name).sort(), inPath.sort(), operation.operationId);
      assert.ok(declared.every(({ required }) => required));
      const keys = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      assert.equal(new Set(keys).size, keys.length, operation.operationId);
    }
  });

  it('the OpenAPI document has a success and problems for every operation, and resolves every reference', () => {
    for (const { operation } of all) {
      const statuses = Object.keys(operation.responses);
      assert.ok(
        statuses.some((status) => status.startsWith('2')),
        operation.operationId,
      );
      for (const status of ['400', '401', '403', '404', '500'])
        assert.ok(statuses.includes(status), `${operation.operationId} ${status}`);
    }
    const text = JSON.stringify(document);
    for (const [, target = ''] of text.matchAll(/"\$ref":"([^"]+)"/gu)) {
      const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([\w-]+)$/u.exec(target) ?? [];
      assert.ok(name in (document.components[kind as (typeof KINDS)[number]] ?? {}), target);
    }
    for (const kind of KINDS) {
      const unused = Object.keys(document.components[kind]).filter(
        (name) => !text.includes(`"#/components/${kind}/${name}"`),
      );
      assert.deepEqual(unused, [], `${kind} that nothing refers to`);
    }
  });

  it('the OpenAPI document holds schemas that are valid JSON Schema 2020-12, and examples that fit them', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: true });
    ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/u);
    ajv.addFormat('uri', (text) => URL.canParse(text));
    for (const format of ['email', 'password', 'binary', 'ipv4', 'ipv6']) ajv.addFormat(format, true);
    for (const [name, schema] of Object.entries(document.components.schemas))
      ajv.addSchema(schema, `#/components/schemas/${name}`);
    const holds = ({ schema, examples }: Media, where: string): void => {
      assert.ok(ajv.validateSchema(schema), `${where}: ${JSON.stringify(ajv.errors)}`);
      const validate = ajv.compile(schema);
      for (const { value } of Object.values(examples ?? {}))
        assert.ok(validate(value), `${where}: ${JSON.stringify(value)} ${JSON.stringify(validate.errors)}`);
    };
    for (const { operation } of everything) {
      const { operationId } = operation;
      for (const parameter of operation.parameters ?? []) holds(parameter, `${operationId} ${parameter.name}`);
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        holds(media, operationId);
        if (type === 'application/json') assert.ok(media.examples, `${operationId} has an example of its body`);
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const [type, media] of Object.entries(response.content ?? {})) {
          holds(media, `${operationId} ${status}`);
          if (type === 'application/json') assert.ok(media.examples, `${operationId} has an example of its answer`);
        }
      }
    }
    for (const [name, { content }] of Object.entries(document.components.responses))
      for (const media of Object.values(content)) holds(media, name);
  });

  it('the OpenAPI document bounds and describes everything that a caller sends', () => {
    const faults: string[] = [];
    const look = (schema: Schema, where: string, isNamed = true): void => {
      const types = [schema['type']].flat();
      const { enum: allowed, format, properties, items, anyOf } = schema;
      const isFixed = allowed !== undefined || 'const' in schema;
      if (isNamed && schema['description'] === undefined) faults.push(`${where} has no description`);
      if (
        types.includes('string') &&
        !isFixed &&
        format !== 'date-time' &&
        !('contentMediaType' in schema) &&
        schema['maxLength'] === undefined
      )
        faults.push(`${where} has no maxLength`);
      if (types.includes('array') && schema['maxItems'] === undefined) faults.push(`${where} has no maxItems`);
      const others = schema['additionalProperties'];
      if (properties === undefined && typeof others === 'object') look(others as Schema, `${where}.*`, false);
      else if (types.includes('object') && others !== false) faults.push(`${where} takes any property`);
      if (!isFixed && anyOf === undefined && types[0] === undefined) faults.push(`${where} takes anything`);
      for (const [name, field] of Object.entries((properties ?? {}) as Record<string, Schema>))
        look(field, `${where}.${name}`);
      if (items !== undefined) look(items as Schema, `${where}[]`, false);
      for (const branch of (anyOf ?? []) as Schema[]) look(branch, where, false);
    };
    for (const { operation } of all) {
      for (const { name, description, schema } of operation.parameters)
        look({ ...schema, description }, `${operation.operationId} ${name}`);
    }
    for (const tool of tools) look(toJsonSchema(tool.input), tool.name, false);
    assert.deepEqual([...new Set(faults)], JUDGED_BY_ANOTHER);
  });

  it('the OpenAPI document describes every field of every shape', () => {
    const faults: string[] = [];
    const look = (schema: Schema, where: string): void => {
      for (const [name, field] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
        if (field['description'] === undefined) faults.push(`${where}.${name}`);
        look(field, `${where}.${name}`);
      }
      if (schema['items'] !== undefined) look(schema['items'] as Schema, `${where}[]`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema as Schema, name);
    assert.deepEqual(faults, []);
  });

  it('the OpenAPI document describes every tag', () => {
    assert.deepEqual(
      document.tags.filter(({ description }) => description === undefined).map(({ name }) => name),
      [],
    );
  });

  it('the OpenAPI document says how each caller signs, and that a change by a session needs its token', () => {
    const { bearer, session, csrf } = document.components.securitySchemes;
    assert.ok(bearer && session && csrf);
    for (const { operation } of all) {
      const cookie = operation.security.find((way) => 'session' in way);
      assert.equal(cookie !== undefined && 'csrf' in cookie, changes(operation), operation.operationId);
    }
    for (const name of ['openApiDocument', 'healthz', 'readyz', 'metrics', 'login'])
      assert.deepEqual(
        everything.find(({ operation }) => operation.operationId === name)?.operation.security,
        [],
        name,
      );
  });

  it('the OpenAPI document says when to come back, and which answer is a repeated one', () => {
    for (const status of [409, 429, 503])
      assert.ok('Retry-After' in (document.components.responses[`Problem${status}`]?.headers ?? {}), String(status));
    for (const { operation } of all) {
      const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
      assert.ok('429' in operation.responses, operation.operationId);
      assert.equal('Idempotency-Replayed' in (success?.headers ?? {}), changes(operation), operation.operationId);
      assert.ok('X-Request-Id' in (success?.headers ?? {}), operation.operationId);
    }
  });

  it('the OpenAPI document states the limits that the specification names', () => {
    const byName = new Map(all.map(({ operation }) => [operation.operationId, operation]));
    const body = document.components.schemas['CreateApiTokenBody'] as { properties: Record<string, object> };
    assert.deepEqual(pick(body.properties['name'], ['minLength', 'maxLength']), { minLength: 1, maxLength: 100 });
    assert.deepEqual(pick(body.properties['expires_days'], ['minimum', 'maximum']), { minimum: 1, maximum: 3650 });
    const list = byName.get('getAllLivestreams')?.parameters.map(({ name }) => name) ?? [];
    for (const name of ['page', 'pageSize', 'sort', 'search', 'fields', 'includeDestinations', 'includeChannel'])
      assert.ok(list.includes(name), name);
  });

  it('the OpenAPI document offers the headers that the service heeds', () => {
    for (const { method, operation } of all) {
      const headers = operation.parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      assert.equal(headers.includes('Idempotency-Key'), changes(operation), operation.operationId);
      if (method === 'put' || method === 'delete')
        assert.ok(
          headers.includes('If-Match') || operation.operationId === 'updateLivestreamOptions',
          operation.operationId,
        );
    }
  });

  it('the OpenAPI document has a Problem with the closed list of codes', () => {
    const { code } = (document.components.schemas['Problem'] as { properties: { code: { enum: string[] } } })
      .properties;
    assert.deepEqual(code.enum, Object.keys(ERROR_CODES));
  });

  it('the OpenAPI document tells generators which fields a caller may leave out, and which are always answered', () => {
    const bodies = Object.entries(document.components.schemas).filter(([name]) => name.endsWith('Body'));
    assert.ok(bodies.length > 50, `${bodies.length} bodies`);
    const defaults = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      defaultsIn(schema as Schema, name),
    );
    assert.deepEqual(defaults, [], 'a field with a default is taken for one that is always there');
    const answered = all.flatMap(({ operation: { operationId, responses } }) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, response]) =>
          optionalIn(document.components.schemas, response.content?.['application/json']?.schema, operationId),
        ),
    );
    const ofAnyType = answered.filter((path) => !path.startsWith('Channel.settings.'));
    assert.deepEqual([...new Set(ofAnyType)].sort(), SOMETIMES_ANSWERED);
  });
});

/** The operation with its shared parameters in place. */
function resolved(document: Document, operation: Operation): Operation {
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const name = (parameter as { $ref?: string }).$ref?.split('/').at(-1);
    return name === undefined ? parameter : (document.components.parameters[name] as Parameter);
  });
  return { ...operation, parameters };
}

function pick(schema: object | undefined, names: string[]): object {
  return Object.fromEntries(Object.entries(schema ?? {}).filter(([name]) => names.includes(name)));
}
