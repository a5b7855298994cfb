/** Assets through the REST api of the product: what a browser, a cut-off sender and the CLI see. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeClip, PROGRAM } from '../helpers/service.ts';
import { PNG_BASE64 } from '../app/broadcast.ts';
import type { Row } from '../app/calls.ts';
import { type RestApi, openRestApi } from '../app/rest-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import { listen } from './rest-app.ts';
import { until } from '../helpers/until.ts';

const run = promisify(execFile);
const PNG = Buffer.from(PNG_BASE64, 'base64');
const MAX_BYTES = 2_000_000;

describe('Assets over REST', () => {
  let app: TestApp;
  let api: RestApi;
  let server: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    app = await startTestApp();
    api = await openRestApi(app, { limits: { uploadBytes: MAX_BYTES } });
    server = await listen(api.rest);
  });
  after(async () => {
    await server.close();
    await app.close();
  });

  const send = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: FormData,
  ): Promise<Response> =>
    fetch(`${server.url}/svcapiv2${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKENS.admin}`, ...headers },
      ...(body && { body }),
    });
  async function upload(filename: string, content: Buffer = PNG, fileType = 'logos'): Promise<Response> {
    const form = new FormData();
    form.append('fileType', fileType);
    form.append('file', new Blob([content]), filename);
    return send('POST', '/assets', {}, form);
  }
  const logo = '/assets/bug.png?fileType=logos';

  it('Assets are read whole, in ranges, and not again when nothing is new', async () => {
    const added = await upload('bug.png');
    assert.equal(added.status, 201);
    const { data } = (await added.json()) as { data: Row };
    const etag = `"${data.id}"`;
    assert.equal(added.headers.get('etag'), etag);
    const whole = await send('GET', logo);
    assert.deepEqual(
      [whole.status, whole.headers.get('etag'), whole.headers.get('content-type')],
      [200, etag, 'image/png'],
    );
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), PNG);
    const facts = await send('GET', logo, { accept: 'application/json' });
    assert.equal(facts.headers.get('etag'), etag);
    assert.deepEqual(await facts.json(), { data });

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await send('GET', logo, { 'if-none-match': known });
      assert.deepEqual([same.status, same.headers.get('etag'), await same.text()], [304, etag, ''], known);
    }
    assert.equal((await send('GET', logo, { 'if-none-match': etag, range: 'bytes=0-1' })).status, 304);
    const fresh = await send('GET', logo, { 'if-none-match': '"other"' });
    assert.equal(fresh.status, 200);
    await fresh.body?.cancel();
    const part = await send('GET', logo, { range: 'bytes=1-3', 'if-range': etag });
    assert.deepEqual(
      [part.status, await part.text(), part.headers.get('content-range')],
      [206, 'PNG', `bytes 1-3/${PNG.length}`],
    );
    const beyond = await send('GET', logo, { range: `bytes=${PNG.length}-` });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${PNG.length}`]);
  });

  it('Assets have an ETag that is good for If-Match, and that never comes again under the same name', async () => {
    const etag = (await send('HEAD', logo)).headers.get('etag') ?? '';
    assert.equal((await send('DELETE', logo, { 'if-match': '"9999"' })).status, 412);
    assert.equal((await send('DELETE', logo, { 'if-match': etag })).status, 200);
    assert.equal((await send('GET', logo)).status, 404);
    await upload('bug.png');
    const other = await send('GET', logo, { 'if-none-match': etag });
    assert.equal(other.status, 200);
    await other.body?.cancel();
    assert.equal((await send('DELETE', logo, { 'if-match': etag })).status, 412);
    const part = await send('GET', logo, { range: 'bytes=0-0', 'if-range': etag });
    assert.equal(part.status, 200);
    await part.body?.cancel();
  });

  it('Assets have plain names', async () => {
    const spool = (): string[] => readdirSync(api.uploadDir);
    const names = [
      '../evil.png',
      'a/b.png',
      'a\\b.png',
      '.hidden.png',
      '..',
      ' a.png',
      'a.png ',
      'a\u0007.png',
      'a\u202egnp.exe',
      'a\u2066.png',
      'a\u2028.png',
      'a\u200d.png',
    ];
    for (const name of names) {
      const body = JSON.stringify({ fileType: 'logos', filename: name, content_base64: PNG_BASE64 });
      const response = await fetch(`${server.url}/svcapiv2/assets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKENS.admin}`, 'content-type': 'application/json' },
        body,
      });
      const problem = (await response.json()) as { errors?: { field: string }[] };
      assert.deepEqual([response.status, problem.errors?.[0]?.field], [400, 'filename'], JSON.stringify(name));
      if (/^[^.]*\.\.?$|^\.\.$/u.test(name)) continue;
      const read = await send('GET', `/assets/${encodeURIComponent(name)}?fileType=logos`);
      assert.equal(read.status, 400, JSON.stringify(name));
    }
    for (const path of ['/assets/..%2f..%2fserve.log?fileType=logos', '/assets/%2e%2e%2fx?fileType=logos']) {
      assert.equal((await send('GET', path)).status, 400, path);
    }
    const long = await upload(`${'ä'.repeat(130)}.png`);
    assert.match(await long.text(), /264 bytes in UTF-8; at most 255/u);
    assert.equal(long.status, 400);
    assert.equal((await upload('Grüße 日本.png')).status, 201);
    assert.equal((await send('GET', `/assets/${encodeURIComponent('Grüße 日本.png')}?fileType=logos`)).status, 200);
    assert.deepEqual(spool(), []);
  });

  it('Assets leave nothing when the sender goes away in the middle, and the name stays free', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head =
      '--b\r\nContent-Disposition: form-data; name="fileType"\r\n\r\nlogos\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="cut.png"\r\n\r\n';
    socket.write(
      `POST /svcapiv2/assets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKENS.admin}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n`,
    );
    socket.write(head);
    socket.write(Buffer.concat([PNG, Buffer.alloc(100_000)]));
    await until('the file that is being received', () => readdirSync(api.uploadDir).length === 1);
    socket.destroy();
    await until('an empty folder', () => readdirSync(api.uploadDir).length === 0);
    const bucket = join(app.dir, 'logos');
    assert.ok(!readdirSync(bucket).includes('cut.png'));
    assert.deepEqual(readdirSync(join(bucket, '.incoming')), []);
    assert.equal((await send('GET', '/assets/cut.png?fileType=logos')).status, 404);
    assert.equal((await upload('cut.png')).status, 201);
  });

  it('Assets are bounded, and are what their bucket holds', async () => {
    const large = await upload('large.png', Buffer.concat([PNG, Buffer.alloc(MAX_BYTES)]));
    assert.equal(large.status, 413);
    assert.equal((await upload('page.png', Buffer.from('<svg onload="x"/>'))).status, 415);
    assert.equal((await upload('bug.mp4', PNG, 'files')).status, 415);
    assert.deepEqual(readdirSync(api.uploadDir), []);
  });

  describe('onair upload', () => {
    const onair = (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
      run(process.execPath, [PROGRAM, 'upload', ...words], {
        env: { ...process.env, ONAIR_URL: server.url, ONAIR_TOKEN: TOKENS.admin },
      });
    const fails = async (...words: string[]): Promise<string> => {
      const error = (await onair(...words).then(
        () => assert.fail('did not fail'),
        (thrown: unknown) => thrown,
      )) as { code: number; stderr: string };
      assert.ok(error.code > 0);
      return error.stderr;
    };
    let clip: string;
    before(() => {
      mkdirSync(join(app.dir, 'made'));
      clip = makeClip(join(app.dir, 'made', 'Film für alle.mov'), 2);
    });

    it('onair upload sends the very bytes under the name of the file, or another', async () => {
      const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
      const { data } = JSON.parse((await onair(clip, '--type', 'files')).stdout) as { data: Row };
      assert.deepEqual(
        [data['filename'], data['fileType'], data['content_type']],
        ['Film für alle.mov', 'files', 'video/quicktime'],
      );
      const read = await send('GET', `/assets/${encodeURIComponent('Film für alle.mov')}?fileType=files`);
      assert.equal(hash(Buffer.from(await read.arrayBuffer())), hash(readFileSync(clip)));
      assert.match((await onair(clip, '--type', 'clips', '--name', 'b.mp4')).stdout, /"filename": "b\.mp4"/u);
    });

    it('onair upload says what is wrong, here or at the server', async () => {
      assert.match(await fails(clip, '--type', 'films'), /must be one of logos, files, clips/u);
      assert.match(await fails(join(app.dir, 'gone.mp4'), '--type', 'files'), /cannot be read/u);
      assert.match(await fails(app.dir, '--type', 'files'), /is no file/u);
      await onair(clip, '--type', 'files', '--name', 'twice.mp4');
      assert.match(await fails(clip, '--type', 'files', '--name', 'twice.mp4'), /has an Asset .* already/u);
      const empty = join(app.dir, 'made', 'empty.mp4');
      writeFileSync(empty, '');
      assert.match(await fails(empty, '--type', 'files'), /empty/u);
      const large = join(app.dir, 'made', 'large.mp4');
      writeFileSync(large, Buffer.alloc(60_000_000));
      assert.match(await fails(large, '--type', 'files'), /larger than 2000000 bytes/u);
    });
  });
});
