import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod/v3';
import { type RestTestApp, problemOf, startRestApp } from './rest-app.ts';
import { echoTool } from './tools.ts';

const query = {
  livestreamId: z.number().int(),
  page: z.number().int().min(1).default(1).describe('Page.'),
  live: z.boolean().optional(),
  ids: z.array(z.number().int()).optional(),
  names: z.array(z.string()).optional(),
  status: z.union([z.literal(0), z.literal(1)]).optional(),
  parentId: z.number().nullable().optional(),
  kind: z.enum(['a', 'b']).optional(),
  text: z.string().optional(),
};
const filename = { filename: z.string(), fileType: z.enum(['logos', 'files']) };

describe('the meaning of a request', () => {
  let api: RestTestApp;
  before(async () => {
    api = await startRestApp({
      tools: [
        echoTool('GET /streams/{livestreamId}/things', query),
        echoTool('GET /streams/{livestreamId}/{kind}', { livestreamId: z.number(), kind: z.string() }, 'echoKind'),
        echoTool('DELETE /files/{filename}', filename, 'echoFile'),
      ],
    });
  });
  after(() => api.close());

  async function things(search: string): Promise<unknown> {
    const response = await api.send('GET', `/svcapiv2/streams/3/things${search}`);
    const body = (await response.json()) as { data: unknown; errors?: { field: string; code: string }[] };
    return response.status === 200 ? body.data : (body.errors ?? []).map(({ field, code }) => `${field}: ${code}`);
  }

  it('a request is coerced by the schema: numbers, booleans, arrays, literals, null', async () => {
    assert.deepEqual(await things('?page=2&live=true&status=1&parentId=null&kind=a'), {
      livestreamId: 3,
      page: 2,
      live: true,
      status: 1,
      parentId: null,
      kind: 'a',
    });
    assert.deepEqual(await things('?parentId=9&live=false'), { livestreamId: 3, page: 1, parentId: 9, live: false });
  });

  it('a request takes arrays with commas, repeated, and both', async () => {
    assert.deepEqual(await things('?ids=1,2&ids=3&names=x,%20y'), {
      livestreamId: 3,
      page: 1,
      ids: [1, 2, 3],
      names: ['x', 'y'],
    });
    assert.deepEqual(await things('?ids='), { livestreamId: 3, page: 1, ids: [] });
  });

  it('a request keeps text text', async () => {
    assert.deepEqual(await things('?text=007&names=1,true'), {
      livestreamId: 3,
      page: 1,
      text: '007',
      names: ['1', 'true'],
    });
    assert.deepEqual(await things('?text=a%2Cb+c'), { livestreamId: 3, page: 1, text: 'a,b c' });
  });

  it('a request that does not fit is refused with the name of the field', async () => {
    assert.deepEqual(await things('?page=two'), ['page: invalid_type']);
    assert.deepEqual(await things('?page=0'), ['page: too_small']);
    assert.deepEqual(await things('?live=yes&ids=1,x'), ['live: invalid_type', 'ids.1: invalid_type']);
    assert.deepEqual(await things('?page=1e3'), ['page: invalid_type']);
    assert.deepEqual(await things('?kind=c'), ['kind: invalid_value']);
  });

  it('a request with unknown or repeated names, or a path field in the query, is refused', async () => {
    assert.deepEqual(await things('?pages=1&x=2'), ['pages: unknown_field', 'x: unknown_field']);
    assert.deepEqual(await things('?page=1&page=2'), ['page: repeated']);
    assert.deepEqual(await things('?livestreamId=4'), ['livestreamId: unknown_field']);
    assert.deepEqual(await things('?__proto__=1'), ['__proto__: unknown_field']);
  });

  it('a request with a query on an operation with a body is refused', async () => {
    const response = await api.send('POST', '/svcapiv2/channels?name=x', { body: {} });
    assert.equal(response.status, 400);
    assert.deepEqual(
      (await problemOf(response)).errors?.map(({ field, code }) => [field, code]),
      [['name', 'unknown_field']],
    );
  });

  it('a static segment of a path is preferred to a parameter', async () => {
    const other = await api.send('GET', '/svcapiv2/streams/3/other');
    assert.deepEqual(await other.json(), { data: { livestreamId: 3, kind: 'other' } });
  });

  it('text of the path is decoded once, and broken encoding is refused', async () => {
    const send = (name: string): Promise<Response> => api.send('DELETE', `/svcapiv2/files/${name}?fileType=logos`);
    assert.deepEqual(await (await send('a%20b%2Fc%25.png')).json(), {
      data: { filename: 'a b/c%.png', fileType: 'logos' },
    });
    assert.deepEqual(await (await send('%C3%BC.png')).json(), { data: { filename: 'ü.png', fileType: 'logos' } });
    for (const broken of ['%zz', '%', '%c3']) {
      const response = await send(broken);
      assert.equal(response.status, 400, broken);
      assert.equal((await problemOf(response)).errors?.[0]?.field, 'filename');
    }
  });
});
