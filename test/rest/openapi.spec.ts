import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod/v3';
import { ERROR_CODES } from '../../domain/errors.ts';
import { openApiDocument } from '../../rest/openapi.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { makeTool, uploadAsset } from './world.ts';

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown>; explode?: boolean }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Record<string, unknown> }> }>;
}
interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, object> };
}

function documentOf(tools: readonly Tool[], serverUrl?: string): Document {
  return openApiDocument({ operations: tools }, { version: '1.0.0', serverUrl }) as unknown as Document;
}

describe('the OpenAPI document of the product', () => {
  let document: Document;
  let all: { path: string; method: string; operation: Operation }[];
  before(() => {
    // As a client gets it: what JSON drops must not matter.
    document = JSON.parse(JSON.stringify(documentOf(operations))) as Document;
    all = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    );
  });

  it('has every operation once, under its own name', () => {
    const names = all.map(({ operation }) => operation.operationId).sort();
    assert.deepEqual(names, operations.map((tool) => tool.name).sort());
    assert.equal(new Set(names).size, names.length);
  });

  it('declares every parameter of a path, and each once', () => {
    for (const { path, operation } of all) {
      const inPath = [...path.matchAll(/\{(\w+)\}/gu)].map((match) => match[1]);
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      assert.deepEqual(declared.map(({ name }) => name).sort(), inPath.sort(), operation.operationId);
      assert.ok(declared.every(({ required }) => required));
      const keys = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      assert.equal(new Set(keys).size, keys.length, operation.operationId);
    }
  });

  it('has a success and problems for every operation, and resolves every reference', () => {
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
    for (const [, kind = '', name = ''] of text.matchAll(/"\$ref":"#\/components\/(schemas|responses)\/(\w+)"/gu)) {
      assert.ok(name in document.components[kind as 'schemas' | 'responses'], `${kind}/${name}`);
    }
    assert.equal(
      [...text.matchAll(/"\$ref":/gu)].length,
      [...text.matchAll(/"\$ref":"#\/components\/(?:schemas|responses)\/\w+"/gu)].length,
    );
  });

  it('holds schemas that are valid JSON Schema 2020-12 and compile', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [name, schema] of Object.entries(document.components.schemas))
      ajv.addSchema(schema, `#/components/schemas/${name}`);
    const compile = (schema: object, where: string): ValidateFunction => {
      assert.ok(ajv.validateSchema(schema), `${where}: ${JSON.stringify(ajv.errors)}`);
      return ajv.compile(schema);
    };
    for (const { operation } of all) {
      for (const parameter of operation.parameters)
        compile(parameter.schema, `${operation.operationId} ${parameter.name}`);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        compile(schema, operation.operationId);
      for (const response of Object.values(operation.responses)) {
        for (const { schema } of Object.values(response.content ?? {})) compile(schema, operation.operationId);
      }
    }
  });

  it('states the limits that the specification names', () => {
    const byName = new Map(all.map(({ operation }) => [operation.operationId, operation]));
    const body = byName.get('createApiToken')?.requestBody?.content['application/json']?.schema as {
      properties: Record<string, object>;
    };
    assert.deepEqual(pick(body.properties['name'], ['minLength', 'maxLength']), { minLength: 1, maxLength: 100 });
    assert.deepEqual(pick(body.properties['expires_days'], ['minimum', 'maximum']), { minimum: 1, maximum: 3650 });
    const list = byName.get('getAllLivestreams')?.parameters.map(({ name }) => name) ?? [];
    for (const name of ['page', 'pageSize', 'sort', 'search', 'fields', 'includeDestinations', 'includeChannel'])
      assert.ok(list.includes(name), name);
  });

  it('offers the headers that the service heeds', () => {
    for (const { method, operation } of all) {
      const headers = operation.parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      assert.equal(headers.includes('Idempotency-Key'), method !== 'get', operation.operationId);
      if (method === 'put' || method === 'delete')
        assert.ok(
          headers.includes('If-Match') || operation.operationId === 'updateLivestreamOptions',
          operation.operationId,
        );
    }
  });

  it('has a Problem with the closed list of codes', () => {
    const { code } = (document.components.schemas['Problem'] as { properties: { code: { enum: string[] } } })
      .properties;
    assert.deepEqual(code.enum, Object.keys(ERROR_CODES));
  });
});

describe('openApiDocument', () => {
  it('puts the prefix into the server, relative without a public URL', () => {
    assert.deepEqual(documentOf([]).servers, [{ url: '/svcapiv2' }]);
    assert.deepEqual(documentOf([], 'https://onair.example/').servers, [{ url: 'https://onair.example/svcapiv2' }]);
  });

  it('describes arrays in a query as comma-separated', () => {
    const input = z.object({ ids: z.array(z.number().int()).describe('Ids.') }).strict();
    const tool = makeTool({ name: 'list', rest: 'GET /list', effect: 'read', input }, () => null);
    const parameter = documentOf([tool]).paths['/list']?.['get']?.parameters[0];
    assert.deepEqual(parameter, {
      name: 'ids',
      in: 'query',
      required: true,
      description: 'Ids.',
      schema: { type: 'array', items: { type: 'integer' } },
      style: 'form',
      explode: false,
    });
  });

  it('offers a form and JSON for an upload', () => {
    const content = documentOf([uploadAsset]).paths['/assets']?.['post']?.requestBody?.content ?? {};
    const form = content['multipart/form-data']?.schema as { properties: object; required: string[] };
    assert.deepEqual(Object.keys(form.properties).sort(), ['file', 'fileType', 'filename']);
    assert.deepEqual(form.required.sort(), ['file', 'fileType']);
    assert.ok('application/json' in content);
  });
});

function pick(schema: object | undefined, names: string[]): object {
  return Object.fromEntries(Object.entries(schema ?? {}).filter(([name]) => names.includes(name)));
}
