/** Two hundred writers at once over HTTP, who retry whatever was not answered: nothing is done twice, nothing that was answered is lost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { itLong } from '../helpers/counts.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const COUNTERS = 5;
const INCREMENTS = 100;
const CREATES = 60;
const DELETES = 40;
/** The moment at which its sender gives a call up: now before it is done, now after. */
const DROP_AFTER_MS = 8;
const BOUND_MS = 60_000;

let service: Service;
before(async () => {
  service = await startService({ ONAIR_RATE_LIMIT: '0' });
});
after(() => service?.dispose());

interface Reply {
  status: number;
  etag: string | null;
  body: any;
}

async function send(method: string, path: string, body?: object, headers = {}, signal?: AbortSignal): Promise<Reply> {
  const response = await fetch(`${service.url}/svcapiv2${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: signal ?? AbortSignal.timeout(BOUND_MS),
  });
  return { status: response.status, etag: response.headers.get('etag'), body: await response.json() };
}

/** One call under one key, in a manner of its own: plain, twice at once, or dropped and sent again; repeated until it is answered. */
async function call(turn: number, method: string, path: string, body?: object, headers = {}): Promise<Reply> {
  const keyed = { ...headers, 'idempotency-key': randomUUID() };
  const again = async (signal?: AbortSignal): Promise<Reply | undefined> => {
    try {
      const reply = await send(method, path, body, keyed, signal);
      const busy = reply.status === 409 && reply.body.retry_after_seconds !== undefined;
      return busy ? undefined : reply;
    } catch {
      // Dropped, or the server is away: whether it was done, only a retry can tell.
      return undefined;
    }
  };
  if (turn % 3 === 2) await again(AbortSignal.timeout(1 + (turn % DROP_AFTER_MS)));
  const first = turn % 3 === 1 ? await Promise.all([again(), again()]) : [await again()];
  const answered = first.filter((reply) => reply !== undefined);
  const [reply = await until(`an answer to ${method} ${path}`, () => again(), { boundMs: BOUND_MS })] = answered;
  for (const { status, body: message } of answered) {
    assert.deepEqual(
      { status, data: message.data },
      { status: reply.status, data: reply.body.data },
      'both are told the same',
    );
  }
  return reply;
}

/** Adds one to the number in the description, as often as another was faster. */
async function increment(turn: number, id: number): Promise<void> {
  for (;;) {
    const present = await until('the counter', () => send('GET', `/encodings/${id}`).catch(() => undefined), {
      boundMs: BOUND_MS,
    });
    const description = String(Number(present.body.data.description) + 1);
    const reply = await call(turn, 'PUT', `/encodings/${id}`, { description }, { 'if-match': present.etag });
    if (reply.status === 200) return;
    assert.equal(reply.status, 412, JSON.stringify(reply.body));
  }
}

async function writeTogether(mark: string, halfway: () => Promise<void>): Promise<void> {
  const make = (name: string): Promise<number> => service.create('/encodings', { name, description: '0' });
  const counters = await Promise.all(Array.from({ length: COUNTERS }, (_, at) => make(`${mark} counter ${at}`)));
  const doomed = await Promise.all(Array.from({ length: DELETES }, (_, at) => make(`${mark} doomed ${at}`)));
  let done = 0;
  const created: { id: number; name: string }[] = [];
  const writers: (() => Promise<void>)[] = [
    ...Array.from({ length: INCREMENTS }, (_, at) => () => increment(at, counters[at % COUNTERS]!)),
    ...Array.from({ length: CREATES }, (_, at) => async () => {
      const name = `${mark} created ${at}`;
      const reply = await call(at, 'POST', '/encodings', { name });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      created.push({ id: reply.body.data.id as number, name });
    }),
    ...doomed.map((id, at) => async () => {
      const reply = await call(at, 'DELETE', `/encodings/${id}`);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    }),
  ];
  const all = writers.map((write) => write().then(() => (done += 1)));
  await until('half of the writers', () => done >= writers.length / 2, { boundMs: BOUND_MS });
  await halfway();
  await Promise.all(all);

  const { rows } = (await send('GET', `/encodings?pageSize=500&search=${encodeURIComponent(mark)}`)).body as {
    rows: { id: number; name: string; description: string }[];
  };
  const countOf = (kind: string): { id: number; name: string; description: string }[] =>
    rows.filter(({ name }) => name.startsWith(`${mark} ${kind}`));
  assert.deepEqual(
    countOf('counter').map(({ description }) => Number(description)),
    counters.map(() => INCREMENTS / COUNTERS),
    'every acknowledged increment counts once',
  );
  const byId = (a: { id: number }, b: { id: number }): number => a.id - b.id;
  assert.deepEqual(
    countOf('created').map(({ id, name }) => ({ id, name })),
    created.sort(byId),
    'what was acknowledged as created is there, under the id that was told',
  );
  assert.equal(created.length, CREATES);
  assert.deepEqual(countOf('doomed'), [], 'what was acknowledged as deleted is gone');
}

describe('parallel writers who retry', () => {
  itLong('parallel writers who retry do each thing once', () => writeTogether('calm', async () => undefined));

  it('parallel writers who retry do each thing once although the server is killed in their midst', () =>
    writeTogether('killed', async () => {
      await service.kill('SIGKILL');
      await service.restart();
    }));
});
