/** Schedules of the real service on real broadcasts, and what becomes of them when it is killed. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { itLong } from '../helpers/counts.ts';
import { mediaPlaylist, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { letPass } from '../helpers/pass.ts';
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
  const offAir = (): Promise<unknown> =>
    until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
  async function stateOf(id: number): Promise<string[]> {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await service.rest('GET', `/schedules/occurrences?scheduleId=${id}&from=${from}`);
    return (body.rows as { state: string }[]).map(({ state }) => state);
  }
  /** The only event of the kind since `sinceMs` was stored at the planned instant or later, as it says itself. */
  async function assertOnce(t: TestContext, kind: string, instantMs: number, sinceMs: number): Promise<void> {
    const found = (await events(sinceMs)).filter((event) => event.kind === kind);
    assert.equal(found.length, 1, `${kind}: ${JSON.stringify(found)}`);
    t.diagnostic(`${kind} ${Date.parse(found[0]!.at) - instantMs} ms after its time`);
    assert.ok(found[0]!.at >= new Date(instantMs).toISOString(), `${kind}: ${found[0]!.at} is before its time`);
  }

  it('a Schedule puts a broadcast on air and takes it off, each once and not before its time', async (t) => {
    const begunMs = Date.now();
    const { id, startMs, endMs } = await plan(4000, 30_000);
    await onAir();
    const status = await service.rest('GET', `/livestreams/${show.livestreamId}/status`);
    assert.equal(status.body.data.scheduleId, id);
    assert.ok((await mediaPlaylist(await show.playlist())).segments.length >= 0, 'the playlist is served');
    assert.deepEqual(await stateOf(id), ['on_air']);
    await offAir();
    await assertOnce(t, 'start_requested', startMs, begunMs);
    await assertOnce(t, 'stop_requested', endMs, begunMs);
    assert.deepEqual(await stateOf(id), ['done']);
  });

  it('a Schedule starts once although the service is killed a moment before', async (t) => {
    const begunMs = Date.now();
    const { id, startMs } = await plan(6000, 40_000);
    await letPass(startMs - 1000 - Date.now());
    await service.kill('SIGKILL');
    await service.restart();
    await onAir();
    await assertOnce(t, 'start_requested', startMs, begunMs);
    await offAir();
    assert.equal((await events(begunMs)).filter(({ kind }) => kind === 'started').length, 1);
    assert.deepEqual(await stateOf(id), ['done']);
  });

  itLong('a Schedule goes on through a kill of the service on air, and ends', async (t) => {
    const begunMs = Date.now();
    const { id, startMs, endMs } = await plan(1000, 40_000);
    await onAir();
    await service.kill('SIGKILL');
    await service.restart();
    await onAir();
    assert.deepEqual(await stateOf(id), ['on_air']);
    await offAir();
    await assertOnce(t, 'start_requested', startMs, begunMs);
    await assertOnce(t, 'stop_requested', endMs, begunMs);
    assert.deepEqual(await stateOf(id), ['done']);
  });

  itLong('an occurrence during which the service was away is missed, and an event says so', async () => {
    const begunMs = Date.now();
    const { id, endMs } = await plan(10_000, 2000);
    await service.kill('SIGKILL');
    await letPass(endMs + 1000 - Date.now());
    await service.restart();
    assert.deepEqual(await stateOf(id), ['missed']);
    const messagesOf = (await events(begunMs)).map(({ kind }) => kind);
    assert.deepEqual(messagesOf, ['schedule_missed']);
  });
});
