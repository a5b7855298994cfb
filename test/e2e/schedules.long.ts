/** Schedules of the real service on real broadcasts, and what becomes of them when it is killed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startService, type Service } from '../helpers/service.ts';
import { letPass } from '../helpers/pass.ts';
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
  /** It begins so soon, and ends an hour later unless it is to end sooner. */
  async function plan(inMs: number, lengthMs = 3_600_000): Promise<{ id: number; start: string }> {
    names += 1;
    const [start, end] = [inMs, inMs + lengthMs].map((ms) => new Date(Date.now() + ms).toISOString());
    const body = { name: `Plan ${names}`, livestreamId: show.livestreamId, start, end };
    return { id: await service.create('/schedules', body), start: start! };
  }
  async function events(): Promise<Told[]> {
    const { body } = await service.rest('GET', `/livestreams/${show.livestreamId}/events?pageSize=500&sort=id`);
    return body.rows as Told[];
  }
  /** Those since a moment of the log. */
  async function since(earlier: readonly Told[]): Promise<Told[]> {
    return (await events()).slice(earlier.length);
  }
  const onAir = (): Promise<unknown> =>
    until('status 2', async () => (await statusOf(service, show.livestreamId)).status === 2);
  /** Moves its end to the next moment, and waits for it. Answers the end. */
  async function end(id: number): Promise<string> {
    const moved = { end: new Date(Date.now() + 1000).toISOString() };
    assert.equal((await service.rest('PUT', `/schedules/${id}`, moved)).status, 200);
    await until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
    return moved.end;
  }
  async function stateOf(id: number): Promise<string[]> {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await service.rest('GET', `/schedules/occurrences?scheduleId=${id}&from=${from}`);
    return (body.rows as { state: string }[]).map(({ state }) => state);
  }
  /** The only event of the kind, which is not before its time. */
  function assertOnce(shown: readonly Told[], kind: string, time: string): void {
    const found = shown.filter((event) => event.kind === kind);
    assert.equal(found.length, 1, `${kind}: ${JSON.stringify(shown)}`);
    assert.ok(found[0]!.at >= time, `${found[0]!.at} is before ${time}`);
  }

  it('a Schedule starts once although the service is killed just before', async () => {
    const before = await events();
    const { id, start } = await plan(3000);
    await service.kill('SIGKILL');
    await service.restart();
    await onAir();
    await end(id);
    const shown = await since(before);
    assertOnce(shown, 'start_requested', start);
    assertOnce(shown, 'started', start);
    assert.deepEqual(await stateOf(id), ['done']);
  });

  it('a Schedule goes on through a kill of the service on air, and ends', async () => {
    const before = await events();
    const { id, start } = await plan(1000);
    await onAir();
    await service.kill('SIGKILL');
    await service.restart();
    await onAir();
    assert.deepEqual(await stateOf(id), ['on_air']);
    const over = await end(id);
    const shown = await since(before);
    assertOnce(shown, 'start_requested', start);
    assertOnce(shown, 'stop_requested', over);
    assert.deepEqual(await stateOf(id), ['done']);
  });

  it('an occurrence during which the service was away is missed, and an event says so', async () => {
    const before = await events();
    const { id } = await plan(10_000, 1000);
    await service.kill('SIGKILL');
    await letPass(12_000);
    await service.restart();
    assert.deepEqual(await stateOf(id), ['missed']);
    assert.deepEqual(
      (await since(before)).map(({ kind }) => kind),
      ['schedule_missed'],
    );
  });
});
