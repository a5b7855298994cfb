/** How the API description is made: its examples, and what single declarations become. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod/v3';
import { EXAMPLE_BODIES } from '../../rest/openapi/example-values.ts';
import { openApiDocument } from '../../rest/openapi/openapi.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { startTestApp } from '../app/test-app.ts';
import { makeTool, uploadAsset } from './tools.ts';
import { wordsOf } from '../helpers/words.ts';

interface Operation {
  parameters: object[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content: Record<string, { schema: { properties: Record<string, object> } }> }>;
}
interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: Record<string, object> }> };
}

function documentOf(tools: readonly Tool[], serverUrl?: string): Document {
  return openApiDocument({ operations: tools, workflows: [] }, { version: '1.0.0', serverUrl }) as unknown as Document;
}

describe('the examples of the document', () => {
  /** Name what must exist first, by ids that another installation has other resources under. */
  const NEED_OTHERS = wordsOf(
    'addLivestream addLivestreamAction addEncodingGroup addPublishingGroup addDevice createDeviceGroup createDisplayLink',
  );

  it('the examples of the OpenAPI document are of operations that exist', () => {
    const names = [...operations, ...workflows].map((tool) => tool.name);
    assert.deepEqual(
      Object.keys(EXAMPLE_BODIES).filter((name) => !names.includes(name)),
      [],
    );
  });

  it('the examples of the OpenAPI document are calls that the service accepts', async () => {
    const app = await startTestApp();
    try {
      for (const { name, effect } of operations) {
        const body = EXAMPLE_BODIES[name];
        if (effect !== 'create' || body === undefined || NEED_OTHERS.includes(name)) continue;
        // It makes its rows at once, and is on air later.
        const expected = name === 'setUpBroadcast' ? 202 : 201;
        assert.equal((await app.call(name, body)).status, expected, name);
      }
    } finally {
      await app.close();
    }
  });

  it('the examples of the OpenAPI document keep secrets that were sent out of the answer', () => {
    const { paths } = documentOf(operations);
    for (const item of Object.values(paths)) {
      for (const { responses } of Object.values(item)) {
        const text = JSON.stringify(responses ?? {});
        for (const secret of ['correct horse', 'a-password-of', 'a-secret-key', 'a-token-of', 'as-shown-by'])
          assert.ok(!text.includes(secret), secret);
      }
    }
  });
});

describe('openApiDocument', () => {
  it('openApiDocument puts the prefix into the server, relative without a public URL', () => {
    const urls = (serverUrl?: string): string[] => {
      const { servers, paths } = documentOf([], serverUrl);
      const atRoot = paths['/healthz'] as unknown as Document;
      return [...servers, ...atRoot.servers].map(({ url }) => url);
    };
    assert.deepEqual(urls(), ['/svcapiv2', '/']);
    assert.deepEqual(urls('https://onair.example/'), ['https://onair.example/svcapiv2', 'https://onair.example']);
  });

  it('openApiDocument describes arrays in a query as comma-separated', () => {
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

  it('openApiDocument offers a form and JSON for an upload', () => {
    const content = documentOf([uploadAsset]).paths['/assets']?.['post']?.requestBody?.content ?? {};
    const form = content['multipart/form-data']?.schema as { properties: object; required: string[] };
    assert.deepEqual(Object.keys(form.properties).sort(), ['file', 'fileType', 'filename']);
    assert.deepEqual(form.required.sort(), ['file', 'fileType']);
    assert.ok('application/json' in content);
  });

  it('openApiDocument says a shape once: what two operations answer, what two shapes hold, nullable or not', () => {
    const size = z.object({ width: z.number(), height: z.number() }).strict();
    const thing = z
      .object({ size, spare: size.nullable().describe('Spare.'), alone: z.object({ a: z.number() }).strict() })
      .strict();
    const parts = (name: string, rest: string) =>
      ({ name, rest, effect: 'read', input: z.object({}).strict() }) as const;
    const output = z.object({ data: thing }).strict();
    const { components, paths } = documentOf([
      makeTool({ ...parts('getThingById', 'GET /thing'), output }, () => null),
      makeTool({ ...parts('getOtherThing', 'GET /other'), output }, () => null),
    ]);
    const { Thing, ThingSize } = components.schemas;
    assert.deepEqual(Object.keys(ThingSize?.properties ?? {}), ['width', 'height']);
    const $ref = '#/components/schemas/ThingSize';
    assert.deepEqual(Thing?.properties['size'], { $ref });
    assert.deepEqual(Thing?.properties['spare'], { anyOf: [{ $ref }, { type: 'null' }], description: 'Spare.' });
    assert.ok('properties' in (Thing?.properties['alone'] ?? {}), 'a shape that is used once stays where it is');
    for (const path of ['/thing', '/other']) {
      const schema = paths[path]?.['get']?.responses['200']?.content['application/json']?.schema;
      assert.deepEqual(schema?.properties['data'], { $ref: '#/components/schemas/Thing' });
    }
  });
});
