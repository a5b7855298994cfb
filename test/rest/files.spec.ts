import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod/v3';
import { prefersJson } from '../../rest/files.ts';
import { dataOf } from '../../toolkit/output/page.ts';
import { defineTool } from '../../toolkit/tool.ts';
import { TOKENS } from '../app/users.ts';
import { type RestTestApp, listen, problemOf, startRestApp } from './rest-app.ts';
import { fileTool } from './tools.ts';
import { until } from '../helpers/until.ts';

const CONTENT = '0123456789'.repeat(200_000);
const PATH = '/svcapiv2/assets/a.txt';
const AUTH = { Authorization: `Bearer ${TOKENS.operator}` };

describe('a file answer', () => {
  let api: RestTestApp;
  let server: Awaited<ReturnType<typeof listen>>;
  let dir: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'onair-files-'));
    api = await startRestApp({ tools: [await fileTool(dir, CONTENT)] });
    server = await listen(api.rest);
  });
  after(async () => {
    await server.close();
    await api.close();
    rmSync(dir, { recursive: true });
  });

  function get(headers: Record<string, string> = {}, method = 'GET', path = PATH): Promise<Response> {
    return fetch(`${server.url}${path}`, { method, headers: { ...AUTH, ...headers } });
  }

  it('a file answer is the content, as the type it is and never as a page', async () => {
    const response = await get();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain');
    assert.equal(response.headers.get('content-length'), String(CONTENT.length));
    assert.equal(response.headers.get('accept-ranges'), 'bytes');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.match(response.headers.get('content-security-policy') ?? '', /sandbox/u);
    assert.ok(response.headers.get('x-request-id'));
    assert.equal(await response.text(), CONTENT);
  });

  it('a file answer is not sent again to a caller who has it, by its date', async () => {
    const date = (await get({}, 'HEAD')).headers.get('last-modified') ?? '';
    assert.match(date, / GMT$/u);
    assert.equal((await get({ 'If-Modified-Since': date })).status, 304);
    assert.equal((await get({ 'If-Modified-Since': new Date(0).toUTCString() })).status, 200);
    assert.equal((await get({ 'If-Modified-Since': date, 'If-None-Match': '"other"' })).status, 200);
    assert.equal((await get({ Range: 'bytes=0-9', 'If-Range': date })).status, 206);
  });

  it('a file answer is the JSON for a caller who prefers it', async () => {
    const json = await get({ Accept: 'application/json' });
    assert.equal(json.headers.get('content-type'), 'application/json');
    assert.deepEqual(await json.json(), { data: { filename: 'a.txt' } });
    assert.equal(prefersJson('*/*', 'image/png'), false);
    assert.equal(prefersJson(null, 'image/png'), false);
    assert.equal(prefersJson('image/*, */*;q=0.8', 'image/png'), false);
    assert.equal(prefersJson('application/json, */*;q=0.5', 'image/png'), true);
    assert.equal(prefersJson('application/json;q=0.5, image/png', 'image/png'), false);
    assert.equal(prefersJson('application/json, text/plain, */*', 'image/png'), false);
  });

  it('a file answer comes in ranges', async () => {
    for (const [range, expected, where] of [
      ['bytes=0-4', '01234', '0-4'],
      ['bytes=5-5', '5', '5-5'],
      [`bytes=${CONTENT.length - 3}-`, '789', `${CONTENT.length - 3}-${CONTENT.length - 1}`],
      ['bytes=-2', '89', `${CONTENT.length - 2}-${CONTENT.length - 1}`],
      [`bytes=${CONTENT.length - 1}-${CONTENT.length + 99}`, '9', `${CONTENT.length - 1}-${CONTENT.length - 1}`],
    ] as const) {
      const response = await get({ Range: range });
      assert.equal(response.status, 206, range);
      assert.equal(response.headers.get('content-range'), `bytes ${where}/${CONTENT.length}`);
      assert.equal(response.headers.get('content-length'), String(expected.length));
      assert.equal(await response.text(), expected);
    }
  });

  it('a file answer refuses a range beyond the end, and ignores what is no single byte range', async () => {
    for (const range of [`bytes=${CONTENT.length}-`, 'bytes=-0']) {
      const response = await get({ Range: range });
      assert.equal(response.status, 416, range);
      assert.equal(response.headers.get('content-range'), `bytes */${CONTENT.length}`);
    }
    for (const range of ['bytes=0-1,3-4', 'lines=1-2', 'bytes=5-2', 'bytes=-', 'bytes=a-b']) {
      const response = await get({ Range: range });
      assert.equal(response.status, 200, range);
      await response.body?.cancel();
    }
  });

  it('a file answer continues a download only of the same content', async () => {
    const etag = (await get({}, 'HEAD')).headers.get('etag') ?? '';
    assert.equal((await get({ Range: 'bytes=1-1', 'If-Range': etag })).status, 206);
    const changed = await get({ Range: 'bytes=1-1', 'If-Range': '"other"' });
    assert.equal(changed.status, 200);
    await changed.body?.cancel();
  });

  it('a file answer has its headers without content for HEAD, as every read has', async () => {
    const head = await get({}, 'HEAD');
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), String(CONTENT.length));
    assert.equal(await head.text(), '');
    const list = await get({}, 'HEAD', '/svcapiv2/channels');
    assert.equal(list.status, 200);
    assert.equal(list.headers.get('content-type'), 'application/json');
    assert.equal((await get({}, 'HEAD', '/svcapiv2/channels/7')).status, 404);
  });

  it('a file answer says not found when the file is gone, without its path', async () => {
    const response = await get({}, 'GET', '/svcapiv2/assets/gone');
    assert.equal(response.status, 404);
    const problem = await problemOf(response);
    assert.equal(problem['code'], 'not_found');
    assert.ok(!JSON.stringify(problem).includes(dir));
  });

  it('a file answer is closed when the viewer goes away', async () => {
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    for (let round = 0; round < 20; round += 1) {
      await new Promise<void>((resolve, reject) => {
        const call = request(`${server.url}${PATH}`, { headers: AUTH, agent: false }, (response: IncomingMessage) => {
          response.once('data', () => {
            call.destroy();
            resolve();
          });
          response.on('error', () => undefined);
        });
        call.on('error', reject);
        call.end();
      });
    }
    await until('the files are closed', () => openFiles() <= before + 2, { everyMs: 20 });
    assert.ok(openFiles() <= before + 2, `${before} files open before, ${openFiles()} after`);
  });
});

describe('a picture made for its answer', () => {
  const picture = defineTool({
    name: 'getPicture',
    summary: 'Show a picture.',
    description: 'A picture of the present instant.',
    tag: 'Assets',
    aliases: [],
    rest: 'GET /picture',
    access: 'operator',
    effect: 'read',
    input: z.object({}).strict(),
    output: dataOf(z.object({ size_bytes: z.number() }).strict()),
    handle: async () => ({
      body: { data: { size_bytes: 4 } },
      file: { content: Buffer.from('JPEG'), contentType: 'image/jpeg' },
    }),
  });
  let api: RestTestApp;
  before(async () => void (api = await startRestApp({ tools: [picture] })));
  after(() => api.close());

  it('a picture made for its answer is sent as what it is, and kept by nobody', async () => {
    const response = await api.send('GET', '/svcapiv2/picture');
    const { headers } = response;
    assert.deepEqual(
      ['content-type', 'content-length', 'cache-control', 'etag', 'accept-ranges'].map((name) => headers.get(name)),
      ['image/jpeg', '4', 'no-store', null, null],
    );
    assert.ok(headers.get('x-request-id'));
    assert.equal(await response.text(), 'JPEG');
    const json = await api.send('GET', '/svcapiv2/picture', { headers: { accept: 'application/json' } });
    assert.deepEqual(await json.json(), { data: { size_bytes: 4 } });
  });
});
