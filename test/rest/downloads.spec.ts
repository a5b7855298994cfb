/** Signed links as a stranger opens them: no token, byte ranges, and nothing but what was signed. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Recording } from '../../domain/shapes/media/recording.ts';
import { type RestApi, openRestApi } from '../app/rest-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import { listen, problemOf } from './rest-app.ts';
import { recordingRow } from '../helpers/recording-row.ts';

const MEDIA = randomBytes(3_000_001);

interface Shared {
  app: TestApp;
  api: RestApi;
  row: Readonly<Recording>;
  /** The URL of the server that answers it. */
  link(args?: object): Promise<string>;
  url: string;
}

async function share(t: TestContext, more: Partial<Recording> = {}): Promise<Shared> {
  const app = await startTestApp();
  const api = await openRestApi(app);
  const server = await listen(api.rest);
  t.after(async () => {
    await server.close();
    await app.close();
  });
  const names = { name: 'Soirée 2026-01-01 00:00:00', livestream_name: 'Soirée' };
  const held = { deviceId: app.deviceId, size_bytes: MEDIA.length };
  const row = await app.store.tx((tx) => tx.insert('recordings', recordingRow({ ...names, ...held, ...more })));
  const paths = Array.from({ length: Math.max(row.files, 1) }, (_, n) => join(app.dir, `${n + 1}.mp4`));
  paths.forEach((path, n) => writeFileSync(path, n === 0 ? MEDIA : `part ${n + 1}`));
  app.device.putRecording({ ...row }, { state: row.status, files: row.files, size_bytes: row.size_bytes }, paths);
  const link = async (args: object = {}): Promise<string> => {
    const reply = await api.send('POST', `/recordings/${row.id}/downloads`, { token: TOKENS.operator, body: args });
    assert.equal(reply.status, 201);
    const { data } = (await reply.json()) as { data: { url: string } };
    return data.url.replace('http://onair.example', server.url);
  };
  return { app, api, row, link, url: server.url };
}

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('a signed link', () => {
  it('a signed link sends the whole file without a token, under a safe name', async (t) => {
    const { link } = await share(t);
    const reply = await fetch(await link());
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'video/mp4');
    assert.equal(reply.headers.get('content-length'), String(MEDIA.length));
    assert.equal(reply.headers.get('accept-ranges'), 'bytes');
    assert.equal(
      reply.headers.get('content-disposition'),
      `attachment; filename="Soir_e 2026-01-01 00.00.00.mp4"; filename*=UTF-8''Soir%C3%A9e%202026-01-01%2000.00.00.mp4`,
    );
    assert.equal(sha(new Uint8Array(await reply.arrayBuffer())), sha(MEDIA));
  });

  it('a download by a signed link is resumed where it broke off, and HEAD answers its size', async (t) => {
    const { link } = await share(t);
    const url = await link();
    const head = await fetch(url, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), String(MEDIA.length));
    const etag = head.headers.get('etag')!;
    const stop = new AbortController();
    const reader = (await fetch(url, { signal: stop.signal })).body!.getReader();
    const first = (await reader.read()).value!;
    stop.abort();
    const rest = await fetch(url, { headers: { range: `bytes=${first.length}-`, 'if-range': etag } });
    assert.equal(rest.status, 206);
    assert.equal(rest.headers.get('content-range'), `bytes ${first.length}-${MEDIA.length - 1}/${MEDIA.length}`);
    assert.equal(sha(Buffer.concat([first, new Uint8Array(await rest.arrayBuffer())])), sha(MEDIA));
    const tail = await fetch(url, { headers: { range: 'bytes=-10' } });
    assert.deepEqual(Buffer.from(await tail.arrayBuffer()), MEDIA.subarray(-10));
    assert.equal((await fetch(url, { headers: { range: `bytes=${MEDIA.length}-` } })).status, 416);
    assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304);
    const other = await fetch(url, { headers: { range: 'bytes=5-', 'if-range': '"another"' } });
    assert.equal(other.status, 200, 'another edition is sent whole');
    await other.body?.cancel();
  });

  it('a signed link opens nothing else: tampered, expired or another path are 403 in the same words, another method 405', async (t) => {
    const { app, link, row, url: root } = await share(t);
    const url = new URL(await link({ expires_in: 60 }));
    const { expires, signature } = Object.fromEntries(url.searchParams) as Record<'expires' | 'signature', string>;
    const path = `${root}/svcapiv2/recordings/${row.id}/file`;
    const twisted = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
    const refused = [
      path,
      `${path}?expires=${expires}`,
      `${path}?signature=${signature}`,
      `${path}?expires=${expires}&signature=${twisted}`,
      `${path}?expires=${Number(expires) + 3600}&signature=${signature}`,
      `${path}/1?expires=${expires}&signature=${signature}`,
      `${root}/svcapiv2/recordings/${row.id + 1}/file?expires=${expires}&signature=${signature}`,
    ];
    const words = new Set<string>();
    for (const wrong of refused) {
      const reply = await fetch(wrong);
      assert.equal(reply.status, 403, wrong);
      words.add(((await reply.json()) as { detail: string }).detail);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await fetch(url, { method })).status, 405, method);
    assert.equal((await fetch(path, { headers: { authorization: `Bearer ${TOKENS.operator}` } })).status, 403);
    assert.equal(words.size, 1, 'what exactly was wrong is not told');
    assert.equal((await fetch(url)).status, 200);
    app.clock.advance(60_000);
    const late = await fetch(url);
    assert.equal(late.status, 403);
    assert.equal((await problemOf(late)).code, 'forbidden');
  });

  it('a signed link names a file of a Recording that stays in several', async (t) => {
    const { link } = await share(t, { files: 2, errorstatus: 'Its parts stay as they are.' });
    assert.equal(sha(new Uint8Array(await (await fetch(await link({ part: 1 }))).arrayBuffer())), sha(MEDIA));
    const second = await fetch(await link({ part: 2 }));
    assert.equal(await second.text(), 'part 2');
    assert.match(second.headers.get('content-disposition') ?? '', /part 2\.mp4/u);
  });

  it('a signed link ends with its Recording', async (t) => {
    const { api, link, row } = await share(t);
    const url = await link();
    assert.equal((await api.send('DELETE', `/recordings/${row.id}`, { token: TOKENS.operator })).status, 200);
    const gone = await fetch(url);
    assert.equal(gone.status, 404);
    assert.equal((await problemOf(gone)).code, 'not_found');
  });
});
