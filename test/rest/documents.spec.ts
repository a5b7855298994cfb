import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { documentReply } from '../../rest/documents.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { readExposition } from '../helpers/exposition.ts';
import { until } from '../helpers/until.ts';
import { watchApp } from '../../rest/watch.ts';
import { type RestTestApp, problemOf, startRestApp } from './rest-app.ts';
import { echoTool } from './tools.ts';
import { z } from 'zod/v3';

const DEVICE = 'http://encoder-2.example:8091';

describe('the documents without a token', () => {
  let api: RestTestApp;
  before(async () => {
    api = await startRestApp({ tools: [echoTool('GET /echo', { n: z.number().optional() })] });
    api.rest.route(
      '/',
      watchApp({
        webDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
        isMedia: (origin) => origin === DEVICE,
      }),
    );
  });
  after(() => api.close());

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    api.send('GET', path, { token: null, headers });

  it('/watch plays what this server and its Devices deliver, and names no Device that was not asked for', async () => {
    for (const [src, expected, named = expected] of [
      ['', ''],
      ['/clips/list.m3u8', ''],
      // What this server answers there names media of any of its Devices, and of nobody else.
      ['/live/1/1/index.m3u8', 'http: https:', ''],
      ['/live/1/1/../../../clips/list.m3u8', ''],
      ['https://evil.example/live/1/1/index.m3u8#/live/1/1/', ''],
      [`${DEVICE}/live/1/1/index.m3u8?token=1`, DEVICE],
      ['http://encoder-2.example/live/1/1/index.m3u8', ''],
      ['https://evil.example/live/1/1/index.m3u8', ''],
      [`${DEVICE}@evil.example/live/1/1/index.m3u8`, ''],
      ['javascript:1', ''],
      [`"><script>`, ''],
    ] as const) {
      const response = await get(`/watch?src=${encodeURIComponent(src)}`);
      const policy = response.headers.get('content-security-policy') ?? '';
      const media = expected === '' ? "'self'" : `'self' ${expected}`;
      assert.ok(policy.includes(`; connect-src ${media}; media-src blob: ${media};`), `${src}: ${policy}`);
      assert.ok((await response.text()).includes(`<html data-media="${named}" lang="en">`), src);
    }
  });

  it('/healthz answers as long as the process does', async () => {
    api.health.ok = false;
    const response = await get('/healthz');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'ok' });
    api.health.ok = true;
  });

  it('/readyz says whether writes are accepted, and why not', async () => {
    assert.equal((await get('/readyz')).status, 200);
    api.health.ok = false;
    api.health.problem = 'disk full';
    const response = await get('/readyz');
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), {
      status: 'not_ready',
      store: { ok: false, problem: 'disk full' },
      timezone: 'Europe/Zurich',
    });
    api.health.ok = true;
    api.health.problem = null;
  });

  it('/metrics counts calls by operation and outcome', async () => {
    await api.send('GET', '/svcapiv2/echo?n=1');
    await api.send('GET', '/svcapiv2/echo?n=x');
    await api.send('GET', '/svcapiv2/nowhere');
    const response = await get('/metrics');
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/u);
    const text = await response.text();
    assert.match(text, /^onair_info\{version="1\.2\.3"\} 1$/mu);
    assert.match(text, /^onair_rest_calls_total\{operation="echoThing",outcome="ok"\} 1$/mu);
    assert.match(text, /^onair_rest_calls_total\{operation="echoThing",outcome="invalid_input"\} 1$/mu);
    assert.match(text, /^onair_rest_calls_total\{operation="unknown",outcome="unknown_operation"\} 1$/mu);
    assert.match(text, /^onair_rest_call_seconds_bucket\{operation="echoThing",le="\+Inf"\} 2$/mu);
    assert.match(text, /^onair_rest_call_seconds_count\{operation="echoThing"\} 2$/mu);
    assert.match(text, /^process_resident_memory_bytes \d+$/mu);
    readExposition(text);
  });

  it('openapi.json is served under the prefix and at the root', async () => {
    for (const path of ['/svcapiv2/openapi.json', '/openapi.json']) {
      const document = (await (await get(path)).json()) as { openapi: string; info: { version: string } };
      assert.equal(document.openapi, '3.1.0');
      assert.equal(document.info.version, '1.2.3');
    }
  });

  it('every answer carries a request id', async () => {
    for (const path of ['/watch', '/watch/hls.js', '/healthz', '/readyz', '/metrics', '/openapi.json', '/nowhere']) {
      assert.equal((await get(path, { 'X-Request-Id': 'mine' })).headers.get('x-request-id'), 'mine', path);
    }
  });

  it('the pages run our scripts and nothing else', async () => {
    for (const path of ['/watch']) {
      const response = await get(path);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/u);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/=]+'/u);
      assert.ok(!policy.includes('unsafe'));
      const html = await response.text();
      assert.ok(!/ on\w+=|<script>| style=/u.test(html));
      for (const [, script = ''] of html.matchAll(/<script src="([^"]+)"/gu)) {
        const loaded = await get(script);
        assert.equal(loaded.status, 200, script);
        assert.match(loaded.headers.get('content-type') ?? '', /^text\/javascript/u);
      }
    }
  });

  it('scripts are answered 304 to a browser that has them', async () => {
    const first = await get('/watch/hls.js');
    const again = await get('/watch/hls.js', { 'If-None-Match': first.headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
  });

  it('a document is one copy for all who ask, compressed for a caller who takes that, and 304 for one who has it', async () => {
    for (const path of ['/openapi.json', '/svcapiv2/openapi.json', '/watch', '/watch/watch.js', '/watch/hls.js']) {
      const plain = await get(path, { 'Accept-Encoding': 'br, gzip;q=0' });
      const packed = await get(path, { 'Accept-Encoding': 'deflate, gzip;q=0.5' });
      assert.equal(plain.headers.get('content-encoding'), null, path);
      assert.equal(packed.headers.get('content-encoding'), 'gzip', path);
      const text = await plain.text();
      const bytes = Buffer.from(await packed.arrayBuffer());
      assert.equal(gunzipSync(bytes).toString(), text, path);
      for (const { headers } of [plain, packed]) {
        assert.equal(headers.get('vary'), 'Accept-Encoding');
        assert.equal(headers.get('cache-control'), 'no-cache');
      }
      const [one, other] = [plain.headers.get('etag') ?? '', packed.headers.get('etag') ?? ''];
      assert.notEqual(one, other, path);
      const again = await get(path, { 'If-None-Match': `"another", W/${one}` });
      assert.equal(again.status, 304, path);
      assert.equal(await again.text(), '');
      const repacked = await get(path, { 'If-None-Match': other, 'Accept-Encoding': 'gzip' });
      assert.equal(repacked.status, 304, path);
      assert.equal((await get(path, { 'If-None-Match': other })).status, 200, path);
    }
  });

  it('documents and pages are read alone: another method is 405, and OPTIONS names those that work', async () => {
    for (const path of ['/watch', '/watch/hls.js', '/healthz', '/metrics', '/openapi.json', '/svcapiv2/openapi.json']) {
      const wrong = await api.rest.request(path, { method: 'POST' });
      assert.equal(wrong.status, 405, path);
      assert.equal(wrong.headers.get('allow'), 'GET, HEAD, OPTIONS', path);
      assert.equal((await problemOf(wrong))['code'], 'method_not_allowed', path);
      const options = await api.rest.request(path, { method: 'OPTIONS' });
      assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS'], path);
    }
  });

  it('the root answers problems for everything else', async () => {
    const response = await get('/watch/nothing');
    assert.equal(response.status, 404);
    assert.equal((await problemOf(response))['code'], 'unknown_operation');
  });
});

it('a document goes out in pieces: a client that does not read holds one of them, and one that reads gets all', async (t) => {
  const document = new Uint8Array(32 << 20).fill(120);
  const answer = documentReply(() => document, 'text/plain');
  const peers: Socket[] = [];
  const server = createServer(getRequestListener(answer)).on('connection', (socket) => void peers.push(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await until('the kernel takes no more', () => (peers[0]?.writableLength ?? 0) > 0);
  assert.ok(peers[0]!.bytesWritten < document.length, `${peers[0]!.bytesWritten} bytes`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  assert.match(head, /\r\nContent-Length: 33554432(?:\r\n|$)/iu);
  assert.equal(body.length, document.length);
});
