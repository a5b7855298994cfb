/** The stream of pictures over real HTTP: what it takes, what it sends, how often, to whom. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { goOnAir } from '../app/on-air.ts';
import { openRestApi } from '../app/rest-api.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { settled } from '../helpers/pass.ts';
import { readPictures, type PictureReader, type ReadPicture } from '../helpers/picture-reader.ts';
import { until } from '../helpers/until.ts';
import { weakHashOf } from '../helpers/weak-hash.ts';
import { listen, problemOf } from './rest-app.ts';
import { wordsOf } from '../helpers/words.ts';

const AUTHORIZED = { authorization: `Bearer ${TOKENS.operator}` };
const PASSWORD = 'correct horse battery';

interface Server {
  app: TestApp;
  url: string;
  /** When pictures are due. */
  clock: FakeClock;
  /** Reads as the operator, until the test is over. */
  read(want: string, headers?: object): Promise<PictureReader>;
  /** The next picture that fits, while time goes on. */
  next(reader: PictureReader, isMeant?: (picture: ReadPicture) => boolean): Promise<ReadPicture>;
  get(query: string, headers?: Record<string, string>, method?: string): Promise<Response>;
}

async function open(t: TestContext): Promise<Server> {
  const app = await startTestApp();
  const clock = new FakeClock();
  const { rest } = await openRestApi(app, { pictureClock: clock });
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
    clock,
    async read(want, headers = AUTHORIZED) {
      const reader = await readPictures(server.url, want, headers);
      readers.push(reader);
      return reader;
    },
    next(reader, isMeant = () => true) {
      const from = reader.pictures.length;
      const probe = (): ReadPicture | undefined => {
        clock.advance(100);
        return reader.pictures.slice(from).find(isMeant);
      };
      return until('a picture', probe, { everyMs: 10 });
    },
    get: (query, headers = AUTHORIZED, method = 'GET') =>
      fetch(`${server.url}/svcapiv2/feed/pictures${query}`, { headers, method }),
  };
}

describe('the stream of pictures', () => {
  it('each picture has its header: stream, instant, peaks, flags, width', async (t) => {
    const { app, read, next } = await open(t);
    const { livestreamId, runId } = await goOnAir(app);
    app.device.tell(runId, { peaks: [-6.3, -100], flags: 9 } as Partial<RunReport>);
    const reader = await read(`${livestreamId}:640:10`);
    assert.equal(reader.response.status, 200);
    const { headers } = reader.response;
    assert.equal(headers.get('content-type'), 'application/octet-stream');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    const { at: _at, jpeg, takenAt, ...facts } = await next(reader);
    assert.deepEqual(facts, { livestreamId, peaks: [-63, -32_768], flags: 9, width: 640, rest: 0 });
    assert.match(jpeg.toString(), /^jpeg 640 \d+$/u);
    assert.ok(takenAt > app.clock.now() && takenAt < app.clock.now() + 1000);
    app.device.tell(runId, { peaks: undefined, flags: 0 } as unknown as Partial<RunReport>);
    const without = await next(reader, ({ flags }) => flags === 0);
    assert.deepEqual(without.peaks, [-32_768, -32_768]);
  });

  it('all tiles come in one response, each at its own rate, which may be a fraction', async (t) => {
    const { app, read, clock } = await open(t);
    const { livestreamId } = await goOnAir(app);
    const reader = await read(`${livestreamId}:320:0.5,${livestreamId}:640:10`);
    const read640 = (): ReadPicture[] => reader.pictures.filter(({ width }) => width === 640);
    // Two seconds, to the picture: the first of the second tile comes 5 ms after that of the first.
    for (let turn = 1; turn <= 20; turn += 1) {
      clock.advance(turn === 1 ? 5 : 100);
      await until(`large picture ${turn}`, () => read640().length === turn, { everyMs: 1 });
    }
    assert.equal(reader.pictures.length, 21, 'one small picture in two seconds');
    clock.advance(100);
    await until('the next small picture', () => reader.pictures.length === 23);
    const instants = read640().map(({ takenAt }) => takenAt);
    assert.deepEqual(instants, [...new Set(instants)].toSorted(), 'none twice, none out of order');
  });

  it('no connection gets more than 60 a second', async (t) => {
    const { app, read, clock } = await open(t);
    const { livestreamId } = await goOnAir(app);
    // Streams that are off count as well: they may go on air at any moment.
    const others = Array.from({ length: 11 }, (_, n) => `${1000 + n}:320:10`);
    const reader = await read([`${livestreamId}:320:10`, ...others].join());
    // Half of the rate that was wanted.
    for (let turn = 1; turn <= 8; turn += 1) {
      clock.advance(turn === 1 ? 0 : 100);
      await settled();
      assert.equal(app.device.pictures, Math.max(1, turn - 1), 'none between');
      if (turn > 1) clock.advance(100);
      await until(`picture ${turn}`, () => reader.pictures.length === turn, { everyMs: 1 });
    }
  });

  it('what cannot be read is refused with its place in the query', async (t) => {
    const { get } = await open(t);
    const wrong = [
      '',
      ...wordsOf('?want= ?want=1 ?want=1:320 ?want=1:320:0 ?want=1:320:-1 ?want=1:320:10.1 ?want=1:320:11'),
      ...wordsOf('?want=1:321:1 ?want=0:320:1 ?want=-1:320:1 ?want=1.5:320:1 ?want=4294967296:320:1 ?want=x:320:1'),
      ...wordsOf('?want=1:320:1, ?want=1:320:1;2:320:1 ?want=1:320:1:1 ?want=1:320:1e1 ?want=1:320:NaN'),
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
    const { app, read, next, clock } = await open(t);
    const { livestreamId, runId } = await goOnAir(app);
    const reader = await read(`${livestreamId}:320:10,777:320:10`);
    await next(reader);
    await app.data('stopLivestream', { livestreamId });
    await until('the end of the run', () => app.device.calls.some(({ method }) => method === 'stop'));
    await until('status 0', async () => (await app.store.get('runs', livestreamId))?.row.status === 0);
    const made = app.device.pictures;
    for (let turn = 0; turn < 20; turn += 1) {
      clock.advance(100);
      await settled();
    }
    assert.equal(app.device.pictures, made);
    await app.data('startLivestream', { livestreamId });
    const started = await until('the next run', () => app.device.runIds.find((id) => id !== runId));
    app.device.running(started);
    await next(reader);
    assert.ok(reader.pictures.every((picture) => picture.livestreamId === livestreamId));
  });

  it('viewers of the same stream share its pictures', async (t) => {
    const { app, read, clock } = await open(t);
    const { livestreamId } = await goOnAir(app);
    const readers: PictureReader[] = [];
    const turn = async (): Promise<void> => {
      clock.advance(50);
      await settled();
    };
    // Each a quarter of a period after the one before.
    for (let viewer = 0; viewer < 4; viewer += 1) {
      readers.push(await read(`${livestreamId}:320:5`));
      await turn();
    }
    for (let turns = 0; turns < 40; turns += 1) await turn();
    await until('pictures for all', () => readers.every(({ pictures }) => pictures.length >= 10));
    const sent = readers.reduce((sum, { pictures }) => sum + pictures.length, 0);
    // Four viewers with different phases cause two pictures a period.
    assert.ok(app.device.pictures <= 0.5 * sent, `${app.device.pictures} were made for ${sent}`);
  });

  it('the end of a session ends its stream', async (t) => {
    const { app, url, read, next } = await open(t);
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
    await next(reader);
    const signedOut = await fetch(`${url}/svcapiv2/security/logout`, {
      method: 'POST',
      headers: { cookie, 'X-CSRF-Token': data.csrf_token },
    });
    assert.equal(signedOut.status, 200);
    await until('the end of the stream', () => reader.hasEnded());
  });

  it('a viewer who does not read gets no queue: what comes afterwards is new', async (t) => {
    const { app, url, clock } = await open(t);
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
    await until('a picture', () => {
      clock.advance(100);
      return made.pictures > 0;
    });
    // A queue would hold 80 MB; the buffers of a connection hold some pictures, and nothing is made for it when they are full.
    for (let turn = 0; turn < 400; turn += 1) {
      clock.advance(100);
      await settled();
    }
    assert.ok(made.pictures < 200, `${made.pictures} were made`);
  });
});
