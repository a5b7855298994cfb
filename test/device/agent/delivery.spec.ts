/** HTTP delivery over a real port: fetch for what players do, a bare socket for what they do not. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openMediaServer, type MediaServer } from '../../../device/agent/media-server.ts';
import { liveDir } from '../../../device/run-dir.ts';

import { until } from '../../helpers/until.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { wordsOf } from '../../helpers/words.ts';

const dir = mkdtempSync(join(tmpdir(), 'onair-delivery-'));
const live = liveDir(dir, 12, 3);
const playlist = `#EXTM3U\n${'#EXTINF:6.000000,\nsegment.ts\n'.repeat(50)}`;
const segment = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
/** A rendition or track, one of several sounds, a text, and a folder that is none of them. */
const FOLDERS = ['11', 'sound-257', 'text-cc1', 'text-cc1-mp4', 'own'];
let server: MediaServer;

before(async () => {
  mkdirSync(live, { recursive: true });
  for (const name of ['index.m3u8', 'manifest.mpd']) writeFileSync(join(live, name), playlist);
  for (const name of ['segment.ts', 'a.m4s', 'init.mp4']) writeFileSync(join(live, name), segment);
  for (const folder of FOLDERS) {
    mkdirSync(join(live, folder));
    writeFileSync(join(live, folder, 'index.m3u8'), playlist);
  }
  writeFileSync(join(live, 'empty.ts'), '');
  writeFileSync(join(live, '.hidden.ts'), 'hidden');
  writeFileSync(join(live, 'segment.key'), 'secret');
  writeFileSync(join(live, 'index.m3u8.tmp'), 'half');
  writeFileSync(join(dir, 'secret.ts'), 'secret');
  writeFileSync(join(dir, 'live', 'up.ts'), 'secret');
  symlinkSync('/etc/passwd', join(live, 'link.ts'));
  mkdirSync(join(live, 'folder.ts'));
  execFileSync('mkfifo', [join(live, 'fifo.ts')]);
  server = await openMediaServer({ deviceDir: dir, host: '127.0.0.1', port: 0, formerPort: 0, log: silentLog });
});
after(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${server.url}/live/12/3/${path}`, init);

test('playlists of renditions, sounds and texts are served, and of no other folder', async () => {
  const statuses = await Promise.all(FOLDERS.map(async (folder) => (await ask(`${folder}/index.m3u8`)).status));
  assert.deepEqual(statuses, [200, 200, 200, 200, 404]);
});

/** The path goes out as it is: fetch would tidy it up. */
function askRaw(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () =>
      resolve({ status: Number(text.split(' ')[1]), body: text.slice(text.indexOf('\r\n\r\n') + 4) }),
    );
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}

function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(live);
    } catch {
      return false;
    }
  }).length;
}

describe('delivery', () => {
  test('each kind of delivered file has its type, its caching and CORS', async () => {
    const kinds: [string, string, RegExp][] = [
      ['index.m3u8', 'application/vnd.apple.mpegurl', /no-cache.*max-age=1/u],
      ['', 'application/vnd.apple.mpegurl', /no-cache/u],
      ['manifest.mpd', 'application/dash+xml', /no-cache/u],
      ['segment.ts', 'video/mp2t', /immutable/u],
      ['a.m4s', 'video/iso.segment', /immutable/u],
      ['init.mp4', 'video/mp4', /immutable/u],
    ];
    for (const [name, type, caching] of kinds) {
      const reply = await ask(name);
      const body = Buffer.from(await reply.arrayBuffer());
      assert.equal(reply.status, 200, name);
      assert.equal(reply.headers.get('content-type'), type);
      assert.match(reply.headers.get('cache-control') ?? '', caching);
      assert.equal(reply.headers.get('access-control-allow-origin'), '*');
      assert.deepEqual(body, type.startsWith('video') ? segment : Buffer.from(playlist));
    }
    const preflight = await ask('segment.ts', { method: 'OPTIONS' });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Range/u);
    assert.equal((await ask('segment.ts', { method: 'POST' })).status, 405);
  });

  test('a HEAD request is answered as a GET would be, and opens no file', async () => {
    for (const name of ['index.m3u8', 'segment.ts']) {
      const reply = await ask(name, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
      assert.equal(reply.status, 200);
      assert.equal(
        reply.headers.get('content-length'),
        String(name === 'segment.ts' ? segment.length : playlist.length),
      );
      assert.equal(await reply.text(), '');
    }
    assert.equal((await ask('missing.ts', { method: 'HEAD' })).status, 404);
    await until('closed files', () => openFiles() === 0);
  });

  test('a range of a segment is answered with exactly its bytes', async () => {
    const part = async (range: string, more: Record<string, string> = {}): Promise<[number, string | null, Buffer]> => {
      const reply = await ask('segment.ts', { headers: { range, ...more } });
      return [reply.status, reply.headers.get('content-range'), Buffer.from(await reply.arrayBuffer())];
    };
    assert.deepEqual(await part('bytes=100-199'), [206, 'bytes 100-199/300000', segment.subarray(100, 200)]);
    assert.deepEqual(await part('bytes=-5'), [206, 'bytes 299995-299999/300000', segment.subarray(-5)]);
    assert.deepEqual((await part('bytes=300000-')).slice(0, 2), [416, 'bytes */300000']);
    assert.deepEqual((await part('bytes=0-1,5-6'))[0], 200);
    const etag = (await ask('segment.ts', { method: 'HEAD' })).headers.get('etag') ?? '';
    assert.equal((await part('bytes=0-9', { 'if-range': etag }))[0], 206);
    assert.equal((await part('bytes=0-9', { 'if-range': '"other"' }))[0], 200);
    const empty = await ask('empty.ts');
    assert.deepEqual([empty.status, empty.headers.get('content-length'), await empty.text()], [200, '0', '']);
  });

  test('manifests are small on the wire and not sent twice', async () => {
    const [encoding, body] = await new Promise<[string | undefined, Buffer]>((resolve, reject) => {
      const request = get(`${server.url}/live/12/3/index.m3u8`, { headers: { 'accept-encoding': 'gzip' } }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('end', () => resolve([reply.headers['content-encoding'], Buffer.concat(chunks)]));
      });
      request.once('error', reject);
    });
    assert.equal(encoding, 'gzip');
    assert.equal(gunzipSync(body).toString(), playlist);
    assert.ok(body.length < playlist.length / 5);
    assert.equal(
      (await ask('index.m3u8', { headers: { 'accept-encoding': 'gzip;q=0, br' } })).headers.get('content-encoding'),
      null,
    );

    const first = await ask('index.m3u8');
    await first.text();
    const etag = first.headers.get('etag') ?? '';
    const again = await ask('index.m3u8', { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag]);
    utimesSync(join(live, 'index.m3u8'), new Date(), new Date(Date.now() + 5000));
    const changed = await ask('index.m3u8', { headers: { 'if-none-match': etag } });
    assert.equal(changed.status, 200);
    await changed.text();
    const of = async (name: string): Promise<number> => {
      const date = (await ask(name, { method: 'HEAD' })).headers.get('last-modified') ?? '';
      const reply = await ask(name, { headers: { 'if-modified-since': date } });
      await reply.text();
      return reply.status;
    };
    assert.equal(await of('segment.ts'), 304, 'the date that was given out with it');
    assert.equal(await of('index.m3u8'), 200, 'a playlist may have changed since within its second');
    const newer = { 'if-none-match': '"other"', 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() };
    assert.equal((await ask('segment.ts', { headers: newer })).status, 200, 'If-None-Match stands before');
    const since = { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() };
    assert.equal((await ask('segment.ts', { headers: since })).status, 304);
    assert.equal(
      (await ask('segment.ts', { headers: { 'if-modified-since': new Date(0).toUTCString() } })).status,
      200,
    );
  });

  test('nothing but plain media files of a Destination is served', async () => {
    const attempts = wordsOf(`
      /live/12/3/../../up.ts /live/12/3/..%2f..%2fup.ts /live/12/3/%2e%2e/%2e%2e/up.ts /live/12/3/..%5c..%5cup.ts
      /live/12/3/%252e%252e%252fup.ts /live/12/3//etc/passwd /live/12/../../secret.ts /live/../secret.ts
      /live/up.ts /live/12/%2e%2e/up.ts /live/%2e%2e/%2e%2e/secret.ts /live/12/3/.hidden.ts /live/12/3/segment.key
      /live/12/3/index.m3u8.tmp /live/12/3/segment.ts%00.m3u8 /live/12/3/segment.ts%00 /live/12/3/link.ts
      /live/12/3/folder.ts /live/12/3/folder.ts/x.ts /live/12/3/fifo.ts /live/012/3/segment.ts
      /live/1e1/3/segment.ts /live/-12/3/segment.ts /live/12/3/%ff.ts /live/12/3/%.ts /live/12/3/constructor
      /live/12/3/x.constructor /live/12 /live/12/3 /live/ / /agent.json /runs/ http://x/live/12/3/../up.ts
    `);
    for (const path of attempts) {
      const { status, body } = await askRaw(path);
      assert.ok(status === 404 || status === 400, `${path} answered ${status}`);
      assert.equal(/secret|hidden|half|root:/u.test(body), false, path);
    }
    await until('closed files', () => openFiles() === 0);
  });

  test('a viewer who leaves in the middle leaves no open file', async () => {
    writeFileSync(join(live, 'large.ts'), Buffer.alloc(32 << 20));
    const leaving = new AbortController();
    const reply = await ask('large.ts', { signal: leaving.signal });
    await reply.body?.getReader().read();
    assert.equal(openFiles(), 1);
    leaving.abort();
    await until('closed files', () => openFiles() === 0);
  });
});
