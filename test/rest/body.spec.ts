import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TOKENS } from '../app/users.ts';
import { type RestTestApp, listen, problemOf, startRestApp } from './rest-app.ts';

const CHANNEL = { name: 'Feed', type: 'Stream', settings: { url: 'https://example.org/a.m3u8' } };
const PATH = '/svcapiv2/channels';

describe('a JSON body', () => {
  let api: RestTestApp;
  let server: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    api = await startRestApp({ limits: { bodyTimeoutMs: 2000 } });
    server = await listen(api.rest);
  });
  after(async () => {
    await server.close();
    await api.close();
  });

  async function refusal(
    body: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<[number, unknown, unknown]> {
    const response = await api.send('POST', PATH, {
      body: body as string,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    const problem = await problemOf(response);
    return [response.status, problem['code'], problem.errors?.[0]?.code];
  }

  it('a JSON body must be an object, in JSON, in UTF-8', async () => {
    for (const body of ['{', 'null', '[]', '"x"', '7', '{"a":1}x']) {
      assert.deepEqual((await refusal(body)).slice(0, 2), [400, 'invalid_input'], body);
    }
    assert.deepEqual(await refusal(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), [
      400,
      'invalid_input',
      'invalid_json',
    ]);
  });

  it('a JSON body must be declared as JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      '',
    ]) {
      assert.deepEqual((await refusal('{}', { 'Content-Type': type })).slice(0, 2), [415, 'unsupported_media'], type);
    }
    const typed = await api.send('POST', PATH, {
      body: JSON.stringify(CHANNEL),
      headers: { 'Content-Type': 'Application/JSON; charset=utf-8' },
    });
    assert.equal(typed.status, 201);
  });

  it('a JSON body must not be compressed', async () => {
    assert.deepEqual((await refusal(gzipSync('{}'), { 'Content-Encoding': 'gzip' })).slice(0, 2), [
      415,
      'unsupported_media',
    ]);
  });

  it('a JSON body may be nested 32 deep and no deeper, whatever strings hold', async () => {
    const nested = (depth: number): string => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    assert.deepEqual(await refusal(nested(33)), [400, 'invalid_input', 'too_deep']);
    assert.deepEqual(await refusal(nested(32)), [400, 'invalid_input', 'required']);
    assert.deepEqual(await refusal(`{"x":"${'[{\\"'.repeat(100)}"}`), [400, 'invalid_input', 'required']);
    assert.deepEqual(await refusal('['.repeat(500_000)), [400, 'invalid_input', 'too_deep']);
  });

  it('a JSON body with unknown fields is refused by their names, __proto__ too', async () => {
    const response = await api.send('POST', PATH, {
      body: '{"__proto__":{"name":"x"},"nmae":"y"}',
      headers: { 'Content-Type': 'application/json' },
    });
    const fields = (await problemOf(response)).errors
      ?.filter(({ code }) => code === 'unknown_field')
      .map(({ field }) => field);
    assert.deepEqual(fields, ['__proto__', 'nmae']);
  });

  it('a JSON body has at most 1 MB, declared or counted', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    assert.deepEqual((await refusal(big)).slice(0, 2), [413, 'too_large']);
    const response = await fetch(`${server.url}${PATH}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKENS.operator}`, 'Content-Type': 'application/json' },
      body: big,
    });
    assert.equal(response.status, 413);
    assert.equal(await chunked(Array.from({ length: 40 }, () => 'x'.repeat(32_768))), 413);
    const fits = { ...CHANNEL, name: 'Fits', description: 'd'.repeat(255) };
    assert.equal(await chunked([JSON.stringify(fits).slice(0, 50), JSON.stringify(fits).slice(50)]), 201);
  });

  function chunked(parts: string[]): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${TOKENS.operator}`,
        'Content-Type': 'application/json',
        'Transfer-Encoding': 'chunked',
      };
      const call = request(`${server.url}${PATH}`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      // The server may answer and hang up before everything is sent.
      call.on('error', reject);
      for (const part of parts) call.write(part);
      call.end();
    });
  }

  it('a JSON body is refused when it is too slow, while others are served', async () => {
    let isOver = false;
    const slow = raw(
      `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKENS.operator}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"na`,
    ).finally(() => (isOver = true));
    const quick = await fetch(`${server.url}${PATH}`, { headers: { Authorization: `Bearer ${TOKENS.operator}` } });
    assert.equal(quick.status, 200);
    assert.equal(isOver, false, 'the slow one is still waited for');
    const answer = await slow;
    assert.match(answer, /^HTTP\/1\.1 400 /u);
    assert.match(answer, /"code":"incomplete"/u);
  });

  it('a JSON body is not taken by GET and DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await raw(
        `${method} ${PATH}/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer ${TOKENS.operator}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      );
      assert.match(answer, /^HTTP\/1\.1 400 /u);
      assert.match(answer, /"code":"unexpected"/u);
    }
  });

  /** The bytes that the server sends until it closes. */
  function raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
      socket.setTimeout(20_000, () => socket.destroy(new Error(`the server does not close: ${answer}`)));
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
    });
  }
});
