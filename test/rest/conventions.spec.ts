/** The conventions of the API, one by one, where no other file of this folder has them already. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { z } from 'zod/v3';
import { TOKENS } from '../app/users.ts';
import { operations } from '../../tools/index.ts';
import { type RestTestApp, listen, problemOf, startRestApp } from './rest-app.ts';

const CHANNELS = '/svcapiv2/channels';
const channel = (name: string, more: object = {}): object => ({
  name,
  type: 'Stream',
  settings: { url: 'https://example.org/a.m3u8' },
  ...more,
});

interface List {
  rows: Record<string, unknown>[];
  pagination: { page: number; pageSize: number; total: number; totalPages: number };
}

describe('lists', () => {
  let api: RestTestApp;
  before(async () => {
    api = await startRestApp();
    for (const name of ['Gamma', 'alpha', 'Beta', 'Alphabet']) {
      const { status } = await api.send('POST', CHANNELS, { body: channel(name) });
      assert.equal(status, 201);
    }
    const ndi = { name: 'NDI 100%', type: 'NDI', settings: { source_name: 'CAM (1)' } };
    assert.equal((await api.send('POST', CHANNELS, { body: ndi })).status, 201);
  });
  after(() => api.close());

  async function list(search = ''): Promise<List> {
    const response = await api.send('GET', `${CHANNELS}${search}`);
    assert.equal(response.status, 200, search);
    return (await response.json()) as List;
  }
  const names = async (search: string): Promise<unknown[]> => (await list(search)).rows.map(({ name }) => name);

  async function refusal(search: string): Promise<{ field: string; code: string; allowed?: string[] }[]> {
    const response = await api.send('GET', `${CHANNELS}${search}`);
    assert.equal(response.status, 400, search);
    const problem = await problemOf(response);
    assert.equal(problem['code'], 'invalid_input');
    return problem.errors ?? [];
  }

  it('lists answer rows and pagination, and nothing beside them', async () => {
    const body = await list();
    assert.deepEqual(Object.keys(body).sort(), ['pagination', 'rows']);
    assert.deepEqual(body.pagination, { page: 1, pageSize: 100, total: 5, totalPages: 1 });
  });

  it('lists are in the order of ids unless sorted, page by page', async () => {
    assert.deepEqual(await names(''), ['Gamma', 'alpha', 'Beta', 'Alphabet', 'NDI 100%']);
    assert.deepEqual(await names('?pageSize=2&page=2'), ['Beta', 'Alphabet']);
    assert.deepEqual((await list('?pageSize=2&page=3')).pagination, { page: 3, pageSize: 2, total: 5, totalPages: 3 });
  });

  it('lists sort by a field, backwards with a minus, ties by id', async () => {
    assert.deepEqual(await names('?sort=-id'), ['NDI 100%', 'Alphabet', 'Beta', 'alpha', 'Gamma']);
    assert.equal((await names('?sort=type'))[0], 'NDI 100%');
    assert.deepEqual((await names('?sort=type')).slice(1), ['Gamma', 'alpha', 'Beta', 'Alphabet']);
    const created = (await list('?sort=-created_at')).rows.map((row) => String(row['created_at']));
    assert.deepEqual(created, [...created].sort().reverse());
  });

  it('lists refuse an unknown sort field and name the known ones', async () => {
    for (const sort of ['settings', '-secret', '-', '--name', 'name,id']) {
      const [issue] = await refusal(`?sort=${sort}`);
      assert.equal(issue?.field, 'sort');
      assert.deepEqual(issue?.allowed, ['id', 'name', 'alias', 'type', 'deviceId', 'created_at', 'updated_at']);
    }
  });

  it('lists answer the fields that are named, id always, all by default and for *', async () => {
    assert.deepEqual((await list('?fields=name&pageSize=1')).rows, [{ id: 1, name: 'Gamma' }]);
    assert.deepEqual((await list('?fields=%20type%20,name,&pageSize=1')).rows, [
      { id: 1, name: 'Gamma', type: 'Stream' },
    ]);
    assert.deepEqual(await list('?fields=*'), await list());
  });

  it('lists refuse an unknown field name, and none at all, and name the known ones', async () => {
    for (const fields of ['name,secret', '', ',', 'settings.url']) {
      const [issue] = await refusal(`?fields=${fields}`);
      assert.equal(issue?.field, 'fields', fields);
      assert.ok(issue?.allowed?.includes('created_at'));
    }
  });

  it('lists search in the name, whatever its case, and take no wildcard', async () => {
    assert.deepEqual(await names('?search=ALPHA'), ['alpha', 'Alphabet']);
    assert.deepEqual(await names('?search=100%25'), ['NDI 100%']);
    assert.deepEqual(await names('?search=%25'), ['NDI 100%']);
    assert.deepEqual(await names('?search='), await names(''));
  });

  it('lists are empty past the last page and without a match', async () => {
    for (const search of ['?page=99', '?search=nothing', '?page=2&search=nothing'])
      assert.deepEqual((await list(search)).rows, [], search);
    assert.equal((await list('?search=nothing')).pagination.totalPages, 0);
  });

  it('lists bound the page: 1 to 500 rows, from page 1', async () => {
    for (const search of ['?pageSize=0', '?pageSize=501', '?page=0', '?page=-1', '?page=1.5'])
      assert.equal((await refusal(search)).length, 1, search);
    await list('?pageSize=500');
  });

  for (const tool of operations.filter(({ output }) => 'rows' in (output as unknown as z.AnyZodObject).shape)) {
    it(`${tool.name} takes what every list takes`, () => {
      for (const name of ['page', 'pageSize', 'sort', 'fields']) assert.ok(name in tool.input.shape, name);
      assert.ok('pagination' in (tool.output as unknown as z.AnyZodObject).shape);
      assert.ok((tool.shortFields ?? []).length > 0, 'a model gets short rows');
    });
  }

  for (const tool of operations) {
    it(`${tool.name} answers an envelope`, () => {
      const names_ = Object.keys((tool.output as unknown as z.AnyZodObject).shape).sort();
      assert.ok(['data', 'pagination,rows'].includes(names_.join(',')), names_.join(','));
    });
  }
});

describe('changes of one resource', () => {
  let api: RestTestApp;
  let path: string;
  before(async () => void (api = await startRestApp()));
  after(() => api.close());
  let count = 0;
  beforeEach(async () => {
    count += 1;
    const body = channel(`Channel ${count}`, { alias: 'A', description: 'first' });
    const created = (await (await api.send('POST', CHANNELS, { body })).json()) as { data: { id: number } };
    path = `${CHANNELS}/${created.data.id}`;
  });

  const read = async (): Promise<Record<string, unknown>> =>
    ((await (await api.send('GET', path)).json()) as { data: Record<string, unknown> }).data;

  it('a PUT changes only what it sends, nested fields likewise', async () => {
    const before_ = await read();
    await api.send('PUT', path, { body: { settings: { program: 3 } } });
    const { updated_at, ...after_ } = await read();
    assert.ok(updated_at);
    const { updated_at: _then, ...expected } = before_;
    assert.deepEqual(after_, { ...expected, settings: { url: 'https://example.org/a.m3u8', program: 3 } });
  });

  it('a PUT clears a nullable field with null, and refuses null for another', async () => {
    assert.equal((await api.send('PUT', path, { body: { alias: null } })).status, 200);
    assert.equal((await read())['alias'], null);
    const refused = await api.send('PUT', path, { body: { name: null } });
    assert.equal(refused.status, 400);
    assert.equal((await problemOf(refused)).errors?.[0]?.field, 'name');
  });

  it('a PUT refuses unknown fields with their dotted path, and changes nothing', async () => {
    const body = { alias: 'B', colour: 'red', settings: { url: 'https://example.org/b.m3u8', speed: 2 } };
    const refused = await api.send('PUT', path, { body });
    assert.equal(refused.status, 400);
    assert.deepEqual((await problemOf(refused)).errors?.map(({ field, code }) => `${field} ${code}`).sort(), [
      'colour unknown_field',
      'settings.speed unknown_field',
    ]);
    assert.equal((await read())['alias'], 'A');
  });

  it('each answer carries an ETag, which a stale If-Match of PUT and DELETE fails on', async () => {
    assert.equal((await api.send('GET', path)).headers.get('etag'), '"1"');
    const put = await api.send('PUT', path, { body: { alias: 'B' }, headers: { 'If-Match': '"1"' } });
    assert.equal(put.headers.get('etag'), '"2"');
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: { alias: 'C' } } : {};
      const stale = await api.send(method, path, { ...body, headers: { 'If-Match': '"1"' } });
      assert.equal(stale.status, 412, method);
      const problem = await problemOf(stale);
      assert.deepEqual([problem['code'], problem['etag']], ['version_mismatch', '"2"']);
    }
    assert.equal((await api.send('DELETE', path, { headers: { 'If-Match': '"2"' } })).status, 200);
  });

  it('If-Match is taken as a list of which one fits, and a weak tag holds for none', async () => {
    const put = (ifMatch: string, alias: string): Promise<Response> =>
      api.send('PUT', path, { body: { alias }, headers: { 'If-Match': ifMatch } });
    assert.deepEqual([(await put('"no", "1"', 'B')).status, (await put('"2", "7"', 'C')).status], [200, 200]);
    assert.deepEqual([(await put('*', 'D')).status, (await put('"no", "7"', 'E')).status], [200, 412]);
    const weak = await put('W/"4"', 'E');
    assert.deepEqual([weak.status, (await problemOf(weak))['etag']], [412, '"4"']);
  });

  it('a known ETag is answered in full: what a resource shows may change without its version', async () => {
    const response = await api.send('GET', path, { headers: { 'If-None-Match': '"1"' } });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });

  it('a HEAD is answered as the GET, without its body', async () => {
    const server = await listen(api.rest);
    try {
      const headers = { Authorization: `Bearer ${TOKENS.operator}` };
      const get = await fetch(`${server.url}${path}`, { headers });
      const head = await fetch(`${server.url}${path}`, { method: 'HEAD', headers });
      assert.deepEqual([head.status, await head.text()], [200, '']);
      for (const name of ['etag', 'content-type']) assert.equal(head.headers.get(name), get.headers.get(name), name);
      assert.equal((await fetch(`${server.url}${CHANNELS}/999`, { method: 'HEAD', headers })).status, 404);
    } finally {
      await server.close();
    }
  });
});
