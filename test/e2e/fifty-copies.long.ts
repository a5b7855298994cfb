/** A machine of two cores is full of Live streams that copy their source; each of our processes is killed in turn. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { areOnAir, copyStreams, runners, segmentsOf, start, type Copies } from '../helpers/copies.ts';
import { agentPid, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const COUNT = 50;
const MAX_OF_A_PROCESS = 10;

describe('fifty Live streams that copy', () => {
  let service: Service;
  let copies: Copies;

  before(async () => {
    service = await startService();
    copies = await copyStreams(service, COUNT);
    await start(service, copies.livestreamIds);
    await until('all on air', () => areOnAir(service, copies.livestreamIds), { boundMs: 180_000 });
  });
  after(() => service.dispose());

  /** The ids of all processes that carry streams: runners, and each one's ffmpegs. */
  const processes = (): string[] =>
    copies.livestreamIds.map((id) => {
      const state = runners(service).get(id);
      return JSON.stringify([state?.pid, ...(state?.children.map(({ pid }) => pid) ?? [])]);
    });
  const lists = (): Promise<{ count: number; discontinuities: number }[]> =>
    Promise.all(copies.livestreamIds.map((_, at) => segmentsOf(copies.playlist(at))));
  const goOn = async (): Promise<void> => {
    const earlier = await lists();
    await until('segments of all', async () =>
      (await lists()).every(({ count }, at) => count > earlier[at]!.count + 1),
    );
  };

  it('are admitted on two cores, ten at most to a process, and say that nobody watches their source', async () => {
    const { rows } = (await service.rest('GET', '/livestreams/status')).body;
    assert.ok(rows.every((row: { source_watched: boolean }) => row.source_watched === false));
    const ofProcess = new Map<number, number>();
    for (const { pid } of runners(service).values()) ofProcess.set(pid, (ofProcess.get(pid) ?? 0) + 1);
    assert.equal(
      [...ofProcess.values()].reduce((sum, count) => sum + count),
      COUNT,
    );
    assert.ok(Math.max(...ofProcess.values()) <= MAX_OF_A_PROCESS, String([...ofProcess.values()]));
  });

  it('keep every process and every segment when the control plane is killed, then the agent, then both', async () => {
    const carried = processes();
    const kills = {
      control: () => service.kill('SIGKILL'),
      agent: () => void process.kill(agentPid(service), 'SIGKILL'),
      both: async () => {
        process.kill(agentPid(service), 'SIGKILL');
        await service.kill('SIGKILL');
      },
    };
    for (const [name, kill] of Object.entries(kills)) {
      const agent = agentPid(service);
      await kill();
      if (name !== 'agent') await service.restart();
      if (name !== 'control') await until('another agent', () => agentPid(service) !== agent);
      await until('all on air', () => areOnAir(service, copies.livestreamIds));
      await goOn();
      assert.deepEqual(processes(), carried, name);
    }
    assert.deepEqual(
      (await lists()).filter(({ discontinuities }) => discontinuities > 0),
      [],
    );
  });

  it('lose the ten of a killed runner for seconds, and the forty others nothing', async (t) => {
    const { pid } = runners(service).get(copies.livestreamIds[0]!)!;
    const isIn = copies.livestreamIds.map((id) => runners(service).get(id)!.pid === pid);
    const carried = processes();
    const killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    const areBack = (): boolean =>
      copies.livestreamIds.every((id, at) => !isIn[at] || ![undefined, pid].includes(runners(service).get(id)?.pid));
    await until('the ten have another process', areBack);
    t.diagnostic(`in another process after ${Math.round(performance.now() - killedAt)} ms`);
    await goOn();
    t.diagnostic(`segments of all after ${Math.round(performance.now() - killedAt)} ms`);
    assert.deepEqual(
      processes().filter((_, at) => !isIn[at]),
      carried.filter((_, at) => !isIn[at]),
    );
    const others = (await lists()).filter((_, at) => !isIn[at]);
    assert.deepEqual(
      others.filter(({ discontinuities }) => discontinuities > 0),
      [],
    );
  });
});
