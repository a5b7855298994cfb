/** Media of a Device through the server, over real HTTP on both sides: to whom, from where, how much at a time, for how long. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { goOnAir, type OnAir } from '../../app/on-air.ts';
import { openRestApi } from '../../app/rest-api.ts';
import { startTestApp, type TestApp } from '../../app/test-app.ts';
import { TOKENS } from '../../app/users.ts';
import { until } from '../../helpers/until.ts';
import { weakHashOf } from '../../helpers/weak-hash.ts';
import { listen, problemOf } from '../rest-app.ts';
import { letPass } from '../../helpers/pass.ts';

const AUTHORIZED = { authorization: `Bearer ${TOKENS.operator}` };
const PASSWORD = 'correct horse battery';
const PLAYLIST = { 'content-type': 'application/vnd.apple.mpegurl' };
const SEGMENT = { 'content-type': 'video/mp2t' };

interface Server {
  app: TestApp;
  show: OnAir;
  url: string;
  /** Requests that have reached the Device. */
  reached: IncomingMessage[];
  /** The address of a file of the Destination that can be watched. */
  of(file: string): string;
  get(url: string, headers?: Record<string, string>, method?: string): Promise<Response>;
}

/** `device` answers in place of the Device's media server. */
async function open(t: TestContext, device: RequestListener): Promise<Server> {
  const reached: IncomingMessage[] = [];
  const media = createServer((incoming, outgoing) => {
    reached.push(incoming);
    if (incoming.url?.endsWith('/ready.ts')) outgoing.writeHead(503).end();
    else device(incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(media, 'listening');
  t.after(() => {
    media.close();
    media.closeAllConnections();
  });
  const app = await startTestApp();
  const { rest } = await openRestApi(app);
  const server = await listen(rest);
  t.after(async () => {
    await server.close();
    await app.close();
  });
  // The Device tells its address when it is back.
  app.device.mediaUrl = `http://127.0.0.1:${(media.address() as AddressInfo).port}`;
  app.device.goOffline();
  app.device.goOnline();
  const show = await goOnAir(app);
  const { livestreamId, web, runId } = show;
  app.device.tell(runId, { watch: [{ publishingId: web, path: `/live/${livestreamId}/${web}/index.m3u8` }] });
  const get: Server['get'] = (url, headers = AUTHORIZED, method = 'GET') =>
    fetch(url, { headers, method, redirect: 'manual' });
  const of = (file: string): string => `${server.url}/svcapiv2/feed/live/${livestreamId}/${web}/${file}`;
  await until('the media', async () => (await get(of('ready.ts'), AUTHORIZED, 'HEAD')).status === 503);
  reached.length = 0;
  return { app, show, url: server.url, reached, of, get };
}

/** A connection that its test reads by itself. */
async function openSlowly(t: TestContext, url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const outgoing = request(url, { headers }).end();
  outgoing.on('error', () => undefined);
  t.after(() => outgoing.destroy());
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return incoming.on('error', () => undefined).pause();
}

async function signIn(app: TestApp, url: string): Promise<{ cookie: string; 'X-CSRF-Token': string }> {
  await app.store.tx((tx) => {
    for (const row of tx.find('users', {}).rows) tx.put('users', { ...row, password_hash: weakHashOf(PASSWORD) });
  });
  const response = await fetch(`${url}/svcapiv2/security/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: PASSWORD }),
  });
  assert.equal(response.status, 200);
  const { data } = (await response.json()) as { data: { csrf_token: string } };
  return { cookie: response.headers.get('set-cookie')!.split(';')[0]!, 'X-CSRF-Token': data.csrf_token };
}

describe('media of a Device through the server', () => {
  it('a player with low latency waits at the Device for a part, and nothing else of its query goes there', async (t) => {
    const { reached, show, of, get } = await open(t, (_incoming, outgoing) =>
      outgoing.writeHead(200, { ...PLAYLIST, 'content-length': 8 }).end('#EXTM3U\n'),
    );
    const query = '_HLS_msn=7&_HLS_part=2&_HLS_skip=%2F..&token=1.x';
    assert.equal((await get(`${of('1/index.m3u8')}?${query}`)).status, 200);
    const folder = `/live/${show.livestreamId}/${show.web}/`;
    assert.deepEqual(
      reached.map(({ url }) => url),
      [`${folder}1/index.m3u8?_HLS_msn=7&_HLS_part=2`],
    );
  });

  it('media comes with the Device’s facts about it, and the Device learns nothing of the caller', async (t) => {
    const text = '#EXTM3U\n1/index.m3u8\n';
    const { reached, show, of, get } = await open(t, (_incoming, outgoing) =>
      outgoing.writeHead(200, { ...PLAYLIST, etag: 'W/"a"', 'set-cookie': 'a=b', 'x-own': 'c' }).end(text, 'utf8'),
    );
    const headers = { ...AUTHORIZED, cookie: 'other=1', 'if-none-match': '"b"', 'x-forwarded-for': '10.0.0.1' };
    const response = await get(`${of('1/index.m3u8')}?token=1.x`, headers);
    assert.equal(response.status, 502, 'a length is needed');
    const head = await get(of('index.m3u8'), headers, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('etag'), await head.text()], [200, 'W/"a"', '']);
    assert.equal(head.headers.get('content-type'), PLAYLIST['content-type']);
    assert.equal(head.headers.get('cache-control'), 'private, no-cache');
    assert.equal(head.headers.get('x-content-type-options'), 'nosniff');
    for (const name of ['set-cookie', 'x-own', 'access-control-allow-origin'])
      assert.equal(head.headers.get(name), null);
    const folder = `/live/${show.livestreamId}/${show.web}/`;
    assert.deepEqual(
      reached.map(({ method, url }) => `${method} ${url}`),
      [`GET ${folder}1/index.m3u8`, `HEAD ${folder}index.m3u8`],
    );
    for (const { headers: sent } of reached) {
      assert.equal(sent['if-none-match'], '"b"');
      for (const name of ['authorization', 'cookie', 'x-forwarded-for']) assert.equal(sent[name], undefined, name);
    }
  });

  it('media has byte ranges and conditions as at the Device', async (t) => {
    const { of, get } = await open(t, ({ headers }, outgoing) => {
      if (headers['if-none-match'] === '"a"') return void outgoing.writeHead(304, { etag: '"a"' }).end();
      if (headers.range === 'bytes=9-') return void outgoing.writeHead(416, { 'content-range': 'bytes */4' }).end();
      const range = { 'content-range': 'bytes 1-2/4', 'content-length': '2' };
      outgoing.writeHead(206, { ...SEGMENT, ...range }).end('bc');
    });
    const part = await get(of('s.ts'), { ...AUTHORIZED, range: 'bytes=1-2' });
    assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 1-2/4', 'bc']);
    const beyond = await get(of('s.ts'), { ...AUTHORIZED, range: 'bytes=9-' });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */4']);
    const same = await get(of('s.ts'), { ...AUTHORIZED, 'if-none-match': '"a"' });
    assert.deepEqual([same.status, same.headers.get('etag'), await same.text()], [304, '"a"', '']);
  });

  it('media is for callers who are signed in, of our own pages, and there alone where it is on air', async (t) => {
    const { url, show, reached, of, get } = await open(t, (_incoming, outgoing) => outgoing.writeHead(404).end());
    const refusal = async (response: Response): Promise<[number, unknown]> => [
      response.status,
      (await problemOf(response))['code'],
    ];
    assert.deepEqual(await refusal(await get(of('index.m3u8'), {})), [401, 'unauthenticated']);
    const foreign = { ...AUTHORIZED, origin: 'https://other.example' };
    assert.deepEqual(await refusal(await get(of('index.m3u8'), foreign)), [403, 'forbidden']);
    assert.deepEqual(await refusal(await get(of('index.m3u8'), AUTHORIZED, 'POST')), [405, 'method_not_allowed']);
    const { livestreamId, web, cdn } = show;
    for (const path of [
      `${livestreamId}/${web}/.playback.key`,
      `${livestreamId}/${web}/1/2/a.ts`,
      `${livestreamId}/${web}/..%2fa.ts`,
      `${livestreamId}/${web}/`,
      `0/${web}/index.m3u8`,
      `999999/${web}/index.m3u8`,
      `${livestreamId}/${cdn}/index.m3u8`,
    ])
      assert.deepEqual(await refusal(await get(`${url}/svcapiv2/feed/live/${path}`)), [404, 'not_found'], path);
    assert.equal(reached.length, 0);
    assert.deepEqual(await refusal(await get(of('gone.ts'))), [404, 'not_found']);
    assert.equal(reached.length, 1);
    for (const folder of ['sound-257', 'text-cc1']) await get(of(`${folder}/index.m3u8`));
    assert.equal(reached.length, 3);
  });

  it('media of a Device that is not heard of yet is to be asked for again, and that of a Live stream that is off is refused', async (t) => {
    const { app, show, of, get } = await open(t, (_incoming, outgoing) => outgoing.writeHead(404).end());
    const { runId } = await show.run();
    const setRun = (id: string): Promise<void> =>
      app.store.tx((tx) => tx.put('runs', { ...tx.get('runs', show.livestreamId)!, runId: id }));
    // The stored run is on air, and no Device has reported it to this server.
    await setRun('unheard');
    const unheard = await until('another answer', async () => {
      const answer = await get(of('index.m3u8'));
      return answer.status !== 404 && answer;
    });
    assert.deepEqual([unheard.status, unheard.headers.get('retry-after')], [503, '1']);
    assert.match(String((await problemOf(unheard))['detail']), /^Nothing is heard yet of Live stream \d+ "/u);
    await setRun(runId);
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('status 0', async () => (await show.run()).status === 0);
    const response = await get(of('index.m3u8'));
    assert.deepEqual([response.status, (await problemOf(response))['code']], [409, 'wrong_state']);
  });

  it('what is no media of this Device is not handed on, and no redirect is followed', async (t) => {
    let other = 0;
    const { reached, of, get } = await open(t, ({ url = '' }, outgoing) => {
      if (url.endsWith('/other.ts')) other += 1;
      if (url.endsWith('moved.ts')) outgoing.writeHead(302, { location: '/live/1/1/other.ts' }).end();
      else if (url.endsWith('page.ts')) outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
      else if (url.endsWith('key.ts')) outgoing.writeHead(403, SEGMENT).end();
      else if (url.endsWith('busy.ts')) outgoing.writeHead(503).end();
      else if (url.endsWith('huge.ts')) outgoing.writeHead(200, { ...SEGMENT, 'content-length': '9999999999' }).end();
      else outgoing.destroy();
    });
    const refused = async (file: string): Promise<[number, unknown]> => {
      const response = await get(of(file));
      return [response.status, (await problemOf(response))['code']];
    };
    for (const file of ['moved.ts', 'page.ts', 'key.ts', 'huge.ts', 'cut.ts'])
      assert.deepEqual(await refused(file), [502, 'upstream_failed'], file);
    assert.deepEqual(await refused('busy.ts'), [503, 'unavailable']);
    assert.deepEqual([other, reached.length], [0, 6]);
  });

  it('a caller who does not read stops the Device: nothing is kept for it', async (t) => {
    const total = 256 * 1024 * 1024;
    let sent = 0;
    const { of } = await open(t, (_incoming, outgoing) => {
      outgoing.writeHead(200, { ...SEGMENT, 'content-length': String(total) });
      const piece = Buffer.alloc(1024 * 1024);
      const write = (): void => {
        while (!outgoing.destroyed && sent < total) {
          sent += piece.length;
          if (!outgoing.write(piece)) return void outgoing.once('drain', write);
        }
      };
      write();
    });
    await openSlowly(t, of('s.ts'), AUTHORIZED);
    let before = -1;
    await until('a standstill', async () => {
      const isSame = sent === before;
      before = sent;
      if (!isSame) await letPass(1000);
      return isSame && sent > 0;
    });
    assert.ok(sent < total / 4, `${sent} bytes`);
  });

  it('media ends with its session, and with its caller', async (t) => {
    let left = 0;
    const { app, url, of } = await open(t, (_incoming, outgoing) => {
      outgoing.writeHead(200, { ...SEGMENT, 'content-length': '1000' }).write('begun');
      outgoing.once('close', () => (left += 1));
    });
    const session = await signIn(app, url);
    const watching = await openSlowly(t, of('s.ts'), { cookie: session.cookie, origin: url });
    let hasEnded = false;
    watching.once('close', () => (hasEnded = true)).resume();
    await letPass(1500);
    assert.equal(hasEnded, false);
    const signedOut = await fetch(`${url}/svcapiv2/security/logout`, { method: 'POST', headers: session });
    assert.equal(signedOut.status, 200);
    await until('the end of both connections', () => hasEnded && left === 1);
    const caller = await openSlowly(t, of('s.ts'), AUTHORIZED);
    caller.destroy();
    await until('the end at the Device', () => left === 2);
  });

  it('a Device that goes away in the middle cuts the answer short, which its caller can tell', async (t) => {
    const { of, get } = await open(t, (_incoming, outgoing) => {
      outgoing.writeHead(200, { ...SEGMENT, 'content-length': '1000' }).write('begun');
      setTimeout(() => outgoing.destroy(), 50);
    });
    const response = await get(of('s.ts'));
    assert.equal(response.status, 200);
    await assert.rejects(response.text());
  });
});
