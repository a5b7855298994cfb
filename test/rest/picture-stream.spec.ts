/** The stream of pictures over real HTTP: what it takes, what it sends, how often, to whom. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { RunReport } from '../../domain/run.ts';
import { goOnAir } from '../app/on-air.ts';
import { openRestApi } from '../app/rest-api.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import { readPictures, type PictureReader } from '../helpers/picture-reader.ts';
import { until } from '../helpers/until.ts';
import { weakHashOf } from '../helpers/weak-hash.ts';
import { listen, problemOf } from './rest-app.ts';
import { letPass } from '../helpers/pass.ts';

const AUTHORIZED = { authorization: `Bearer ${TOKENS.operator}` };
const PASSWORD = 'correct horse battery';

interface Server {
  app: TestApp;
  url: string;
  /** Reads as the operator, until the test is over. */
  read(want: string, headers?: object): Promise<PictureReader>;
  get(query: string, headers?: Record<string, string>, method?: string): Promise<Response>;
}

async function open(t: TestContext): Promise<Server> {
  const app = await startTestApp();
  const { rest } = await openRestApi(app);
  const server = await listen(rest);
  const readers: PictureReader[] = [];
  t.after(async () => {
    for (const reader of readers) await reader.close();
    await server.close();
    await app.close();
  });
  return {
    app,
    url: server.url,
    async read(want, headers = AUTHORIZED) {
      const reader = await readPictures(server.url, want, headers);
      readers.push(reader);
      return reader;
    },
    get: (query, headers = AUTHORIZED, method = 'GET') =>
      fetch(`${server.url}/svcapiv2/feed/pictures${query}`, { headers, method }),
  };
}

describe('the stream of pictures', () => {
  it('each picture has its header: stream, instant, peaks, flags, width', async (t) => {
    const { app, read } = await open(t);
    const { livestreamId, runId } = await goOnAir(app);
    app.device.tell(runId, { peaks: [-6.3, -100], flags: 9 } as Partial<RunReport>);
    const reader = await read(`${livestreamId}:640:10`);
    assert.equal(reader.response.status, 200);
    const { headers } = reader.response;
    assert.equal(headers.get('content-type'), 'application/octet-stream');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    const { at: _at, jpeg, takenAt, ...facts } = await reader.next('a picture');
    assert.deepEqual(facts, { livestreamId, peaks: [-63, -32_768], flags: 9, width: 640, rest: 0 });
    assert.match(jpeg.toString(), /^jpeg 640 \d+$/u);
    assert.ok(takenAt > app.clock.now() && takenAt < app.clock.now() + 1000);
    app.device.tell(runId, { peaks: undefined, flags: 0 } as unknown as Partial<RunReport>);
    const without = await reader.next('a picture without sound', ({ flags }) => flags === 0);
    assert.deepEqual(without.peaks, [-32_768, -32_768]);
  });

  it('all tiles come in one response, each at its own rate, which may be a fraction', async (t) => {
    const { app, read } = await open(t);
    const { livestreamId } = await goOnAir(app);
    const reader = await read(`${livestreamId}:320:0.5,${livestreamId}:640:10`);
    await until('twenty large pictures', () => reader.pictures.filter(({ width }) => width === 640).length >= 20);
    const large = reader.pictures.filter(({ width }) => width === 640);
    const small = reader.pictures.filter(({ width }) => width === 320);
    const seconds = (large.at(-1)!.at - large[0]!.at) / 1000;
    assert.ok(large.length / seconds < 12, `${large.length} in ${seconds} s`);
    assert.ok(small.length >= 1 && small.length <= 2 + seconds / 2, `${small.length} in ${seconds} s`);
    const instants = large.map(({ takenAt }) => takenAt);
    assert.deepEqual(instants, [...new Set(instants)].toSorted(), 'none twice, none out of order');
  });

  it('no connection gets more than 60 a second', async (t) => {
    const { app, read } = await open(t);
    const { livestreamId } = await goOnAir(app);
    // Streams that are off count as well: they may go on air at any moment.
    const others = Array.from({ length: 11 }, (_, n) => `${1000 + n}:320:10`);
    const reader = await read([`${livestreamId}:320:10`, ...others].join());
    await until('pictures', () => reader.pictures.length >= 8);
    const seconds = (reader.pictures.at(-1)!.at - reader.pictures[0]!.at) / 1000;
    assert.ok((reader.pictures.length - 1) / seconds < 6, 'half of the rate that was wanted');
  });

  it('what cannot be read is refused with its place in the query', async (t) => {
    const { get } = await open(t);
    const wrong = [
      '',
      '?want=',
      '?want=1',
      '?want=1:320',
      '?want=1:320:0',
      '?want=1:320:-1',
      '?want=1:320:10.1',
      '?want=1:320:11',
      '?want=1:321:1',
      '?want=0:320:1',
      '?want=-1:320:1',
      '?want=1.5:320:1',
      '?want=4294967296:320:1',
      '?want=x:320:1',
      '?want=1:320:1,',
      '?want=1:320:1;2:320:1',
      '?want=1:320:1:1',
      '?want=1:320:1e1',
      '?want=1:320:NaN',
    ];
    for (const query of wrong) {
      const response = await get(query);
      assert.equal(response.status, 400, query);
      const { code, errors } = await problemOf(response);
      assert.equal(code, 'invalid_input', query);
      assert.equal(errors?.[0]?.field, 'want', query);
    }
    const unknown = await get('?want=1:320:1&fps=2');
    assert.equal(unknown.status, 400);
    assert.deepEqual((await problemOf(unknown)).errors?.[0]?.field, 'fps');
    assert.equal((await get('?want=1:320:1', AUTHORIZED, 'POST')).status, 405);
    const head = await get('?want=4294967295:320:0.6666666666666666', AUTHORIZED, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'application/octet-stream']);
  });

  it('nobody looks without a credential, or from the page of another site', async (t) => {
    const { get } = await open(t);
    const nobody = await get('?want=1:320:1', {});
    assert.equal(nobody.status, 401);
    assert.equal(nobody.headers.get('content-type'), 'application/problem+json');
    assert.equal((await get('?want=1:320:1', { authorization: 'Bearer nobody' })).status, 401);
    const foreign = await get('?want=1:320:1', { ...AUTHORIZED, origin: 'http://elsewhere.example' });
    assert.equal(foreign.status, 403);
  });

  it('a stream that is off, or does not exist, sends nothing, and begins when it goes on air', async (t) => {
    const { app, read } = await open(t);
    const { livestreamId, runId } = await goOnAir(app);
    const reader = await read(`${livestreamId}:320:10,777:320:10`);
    await reader.next('a picture');
    await app.data('stopLivestream', { livestreamId });
    await until('the end of the run', () => app.device.calls.some(({ method }) => method === 'stop'));
    await until('status 0', async () => (await app.store.get('runs', livestreamId))?.row.status === 0);
    await letPass(200);
    const count = reader.pictures.length;
    await letPass(500);
    assert.equal(reader.pictures.length, count);
    await app.data('startLivestream', { livestreamId });
    const started = await until('the next run', () => app.device.runIds.find((id) => id !== runId));
    app.device.running(started);
    await reader.next('a picture of the next run');
    assert.ok(reader.pictures.every((picture) => picture.livestreamId === livestreamId));
  });

  it('viewers of the same stream share its pictures', async (t) => {
    const { app, read } = await open(t);
    const { livestreamId } = await goOnAir(app);
    const want = `${livestreamId}:320:5`;
    const readers = [await read(want), await read(want), await read(want), await read(want)];
    await until('pictures for all', () => readers.every(({ pictures }) => pictures.length >= 10));
    const sent = readers.reduce((sum, { pictures }) => sum + pictures.length, 0);
    // Four viewers with different phases cause two pictures a period.
    assert.ok(app.device.pictures <= 0.7 * sent, `${app.device.pictures} were made for ${sent}`);
  });

  it('the end of a session ends its stream', async (t) => {
    const { app, url, read } = await open(t);
    const { livestreamId } = await goOnAir(app);
    await app.store.tx((tx) => {
      for (const row of tx.find('users', {}).rows) tx.put('users', { ...row, password_hash: weakHashOf(PASSWORD) });
    });
    const signedIn = await fetch(`${url}/svcapiv2/security/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'operator', password: PASSWORD }),
    });
    assert.equal(signedIn.status, 200);
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const { data } = (await signedIn.json()) as { data: { csrf_token: string } };
    const reader = await read(`${livestreamId}:320:10`, { cookie, origin: url });
    await reader.next('a picture');
    const signedOut = await fetch(`${url}/svcapiv2/security/logout`, {
      method: 'POST',
      headers: { cookie, 'X-CSRF-Token': data.csrf_token },
    });
    assert.equal(signedOut.status, 200);
    await until('the end of the stream', () => reader.hasEnded());
  });

  it('a viewer who does not read gets no queue: what comes afterwards is new', async (t) => {
    const { app, url } = await open(t);
    const { livestreamId } = await goOnAir(app);
    const made = app.device;
    const large = Buffer.alloc(200_000);
    const picture = made.picture.bind(made);
    made.picture = async (id, width) => ({ ...(await picture(id, width)), jpeg: large });
    const want = `${livestreamId}:320:10`;
    const stalled = request(`${url}/svcapiv2/feed/pictures?want=${want}`, { headers: AUTHORIZED });
    t.after(() => stalled.destroy());
    stalled.on('error', () => undefined);
    stalled.end();
    // Nobody listens to the response, so that the socket fills up.
    stalled.once('response', (response) => void response.pause());
    let before = -1;
    await until('no picture is made for it any more', async () => {
      const isSame = made.pictures === before;
      before = made.pictures;
      if (!isSame) await letPass(1500);
      return isSame && before > 0;
    });
    // What waits for it is in the buffers of its connection: nothing of it was made later than that.
    const { pictures } = made;
    await letPass(1500);
    assert.equal(made.pictures, pictures);
  });
});
