/** Live streams that copy their source share a runner; what happens to it, to one of them or to an encoder beside them stays where it is. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { areOnAir, copyStreams, runners, segmentsOf, start, type Copies } from '../helpers/copies.ts';
import { goOnAir, smallBroadcast, statusOf } from '../helpers/broadcast.ts';
import { agentPid, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const COUNT = 3;

describe('Live streams that copy', () => {
  let service: Service;
  let copies: Copies;
  let encoded: { livestreamId: number; playlist(): Promise<string> };

  before(async () => {
    service = await startService();
    copies = await copyStreams(service, COUNT);
    encoded = await smallBroadcast(service);
    await Promise.all([start(service, copies.livestreamIds), goOnAir(service, encoded.livestreamId)]);
    await until('on air', () => areOnAir(service, copies.livestreamIds));
  });
  after(() => service.dispose());

  const pids = (): number[] => copies.livestreamIds.flatMap((id) => runners(service).get(id)?.pid ?? []);
  const children = (): number[] =>
    copies.livestreamIds.flatMap(
      (id) =>
        runners(service)
          .get(id)
          ?.children.map(({ pid }) => pid) ?? [],
    );
  const together = (): number | undefined => {
    const all = pids();
    return all.length === COUNT && new Set(all).size === 1 ? all[0] : undefined;
  };
  const counts = (): Promise<number[]> =>
    Promise.all(copies.livestreamIds.map(async (_, at) => (await segmentsOf(copies.playlist(at))).count));
  const goOn = async (): Promise<void> => {
    const earlier = await counts();
    await until('segments of all', async () => (await counts()).every((count, at) => count > earlier[at]! + 1));
  };

  const stop = async (id: number): Promise<void> => {
    await service.rest('POST', `/livestreams/${id}/stop`);
    await until('off air', async () => (await statusOf(service, id)).status === 0);
  };

  it('share a process, and one that encodes has its own', () => {
    assert.ok(together() !== undefined, String(pids()));
    assert.notEqual(runners(service).get(encoded.livestreamId)!.pid, together());
  });

  it('stop alone: the others keep their process, their ffmpeg and their segments', async () => {
    const [first, ...others] = copies.livestreamIds;
    const runner = together();
    const before = runners(service);
    await stop(first!);
    for (const id of others) assert.deepEqual(runners(service).get(id), before.get(id));
    await start(service, [first!]);
    await until('on air again', () => areOnAir(service, copies.livestreamIds));
    assert.equal(together(), runner);
    for (const [at] of others.entries()) assert.equal((await segmentsOf(copies.playlist(at + 1))).discontinuities, 0);
  });

  it('outlive their agent and the control plane with the same processes', async () => {
    const before = { runner: together(), children: children() };
    const agent = agentPid(service);
    process.kill(agent, 'SIGKILL');
    await service.kill('SIGKILL');
    await service.restart();
    await until('another agent', () => agentPid(service) !== agent);
    await until('on air', () => areOnAir(service, copies.livestreamIds));
    await goOn();
    assert.deepEqual({ runner: together(), children: children() }, before);
    const [first] = copies.livestreamIds;
    await stop(first!);
    await start(service, [first!]);
    await until('on air again', () => areOnAir(service, copies.livestreamIds));
    assert.equal(together(), before.runner, 'the adopted process takes another run');
  });

  it('come back together when their process is killed, and the one that encodes misses nothing', async (t) => {
    const before = { runner: together()!, own: runners(service).get(encoded.livestreamId) };
    const killedAt = performance.now();
    process.kill(before.runner, 'SIGKILL');
    await until('another process', () => together() !== undefined && together() !== before.runner);
    t.diagnostic(`in another process after ${Math.round(performance.now() - killedAt)} ms`);
    await goOn();
    t.diagnostic(`segments of all after ${Math.round(performance.now() - killedAt)} ms`);
    assert.deepEqual(runners(service).get(encoded.livestreamId), before.own);
    assert.equal((await segmentsOf(await encoded.playlist())).discontinuities, 0);
  });

  it('get a process each when theirs dies again, so that the one that kills it takes no other with it', async () => {
    const runner = together()!;
    process.kill(runner, 'SIGKILL');
    await until('a process each', () => new Set(pids()).size === COUNT && !pids().includes(runner));
    await goOn();
    const [first] = pids();
    const others = pids().slice(1);
    process.kill(first!, 'SIGKILL');
    await until('another one for the first', () => pids().length === COUNT && pids()[0] !== first);
    assert.deepEqual(pids().slice(1), others);
  });
});
