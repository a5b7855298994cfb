/** Schedules of the real service on real broadcasts, and what becomes of them when it is killed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { itLong } from '../helpers/counts.ts';
import { mediaPlaylist, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

interface Told {
  at: string;
  kind: string;
  data: { scheduleId?: number };
}

describe('a Schedule of the real service', () => {
  let service: Service;
  let show: SmallBroadcast;

  before(async () => {
    service = await startService();
    show = await smallBroadcast(service);
  });
  after(() => service.dispose());

  let names = 0;
  async function plan(inMs: number, lengthMs: number): Promise<{ id: number; startMs: number; endMs: number }> {
    names += 1;
    const startMs = Date.now() + inMs;
    const endMs = startMs + lengthMs;
    const [start, end] = [new Date(startMs).toISOString(), new Date(endMs).toISOString()];
    const body = { name: `Plan ${names}`, livestreamId: show.livestreamId, start, end };
    return { id: await service.create('/schedules', body), startMs, endMs };
  }
  async function events(sinceMs: number): Promise<Told[]> {
    const { body } = await service.rest('GET', `/livestreams/${show.livestreamId}/events?pageSize=500`);
    return (body.rows as Told[]).filter(({ at }) => Date.parse(at) >= sinceMs);
  }
  const onAir = (): Promise<unknown> =>
    until('status 2', async () => (await statusOf(service, show.livestreamId)).status === 2);
  const offAir = (boundMs: number): Promise<unknown> =>
    until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0, { boundMs: boundMs });
  async function stateOf(id: number): Promise<string[]> {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await service.rest('GET', `/schedules/occurrences?scheduleId=${id}&from=${from}`);
    return (body.rows as { state: string }[]).map(({ state }) => state);
  }
  /** Milliseconds after `ms` at which the only event of the kind since `sinceMs` was stored. */
  async function lateness(kind: string, ms: number, sinceMs: number): Promise<number> {
    const found = (await events(sinceMs)).filter((event) => event.kind === kind);
    assert.equal(found.length, 1, `${kind}: ${JSON.stringify(found)}`);
    return Date.parse(found[0]!.at) - ms;
  }

  it('a Schedule puts a broadcast on air and takes it off, each within a second of its time', async () => {
    const begunMs = Date.now();
    const { id, startMs, endMs } = await plan(4000, 15_000);
    await onAir();
    const status = await service.rest('GET', `/livestreams/${show.livestreamId}/status`);
    assert.equal(status.body.data.scheduleId, id);
    assert.ok((await mediaPlaylist(await show.playlist())).segments.length >= 0, 'the playlist is served');
    assert.deepEqual(await stateOf(id), ['on_air']);
    await offAir(endMs - Date.now() + 10_000);
    const late = {
      start: await lateness('start_requested', startMs, begunMs),
      stop: await lateness('stop_requested', endMs, begunMs),
    };
    for (const ms of Object.values(late)) assert.ok(ms >= 0 && ms < 4000, JSON.stringify(late));
    assert.deepEqual(await stateOf(id), ['done']);
  });

  it('a Schedule starts once although the service is killed a second before', async () => {
    const begunMs = Date.now();
    const { id, startMs, endMs } = await plan(6000, 25_000);
    await sleep(startMs - 1000 - Date.now());
    await service.kill('SIGKILL');
    await service.restart();
    const readyMs = Date.now();
    await onAir();
    const late = await lateness('start_requested', Math.max(startMs, readyMs), begunMs);
    assert.ok(late < 4000, `${late} ms after it could have been`);
    await offAir(endMs - Date.now() + 10_000);
    assert.equal((await events(begunMs)).filter(({ kind }) => kind === 'started').length, 1);
    assert.deepEqual(await stateOf(id), ['done']);
  });

  itLong('a Schedule goes on through a kill of the service on air, and ends in time', async () => {
    const begunMs = Date.now();
    const { id, endMs } = await plan(1000, 20_000);
    await onAir();
    await service.kill('SIGKILL');
    await service.restart();
    await onAir();
    assert.deepEqual(await stateOf(id), ['on_air']);
    await offAir(endMs - Date.now() + 10_000);
    const late = await lateness('stop_requested', endMs, begunMs);
    assert.ok(late >= 0 && late < 4000, `${late} ms`);
    assert.equal(await lateness('start_requested', 0, begunMs).then(() => true), true);
    assert.deepEqual(await stateOf(id), ['done']);
  });

  itLong('an occurrence during which the service was away is missed, and an event says so', async () => {
    const begunMs = Date.now();
    const { id } = await plan(3000, 2000);
    await service.kill('SIGKILL');
    await sleep(6000);
    await service.restart();
    assert.deepEqual(await stateOf(id), ['missed']);
    const messagesOf = (await events(begunMs)).map(({ kind }) => kind);
    assert.deepEqual(messagesOf, ['schedule_missed']);
  });
});
