/** The runner in waiting: whom it succeeds, and that nobody finds one that nobody waits for. */
import assert from 'node:assert/strict';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { describe, test } from 'node:test';
import { killExact, waitForEnd, type ProcessId } from '../../../device/process.ts';
import { runFiles } from '../../../device/run-dir.ts';
import { runSpec } from './fixtures/spec.ts';
import { World } from './fixtures/world.ts';
import { until } from '../../helpers/until.ts';

const commandLine = ({ pid }: ProcessId): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
const kill = ({ pid, startTicks }: ProcessId): void =>
  void assert.ok(killExact(pid, startTicks, 'SIGKILL'), `process ${pid} is there to be killed`);

/** Other processes of the world may end while they are looked at. */
function waiting(world: World): ProcessId | undefined {
  return world.processes().find((process) => {
    try {
      return commandLine(process).includes(` spare ${world.dir}`);
    } catch {
      return false;
    }
  });
}

const another = (world: World): Promise<ProcessId> => until('a runner in waiting', () => waiting(world), 64_000);

describe('a standby runner', { concurrency: 3 }, () => {
  test('a killed runner is succeeded by the standby runner, and then another one stands by', async (t) => {
    const world = new World(t);
    const spec = runSpec();
    const { link, runner } = await world.onAir(spec);
    const spare = await another(world);
    kill(runner);
    const killedAt = performance.now();
    const successor = await until('another runner', () => {
      const found = world.runner(spec.runId);
      return found?.pid !== runner.pid && found;
    });
    t.diagnostic(`successor at work ${Math.round(performance.now() - killedAt)} ms after the kill`);
    assert.equal(successor.pid, spare.pid);
    assert.match(commandLine(successor), new RegExp(`^onair runner ${spec.runId}`, 'u'));
    const log = realpathSync(runFiles(world.dir, spec.runId).log);
    assert.deepEqual(
      [1, 2].map((fd) => readlinkSync(`/proc/${successor.pid}/fd/${fd}`)),
      [log, log],
      'what it says is in the log of the run',
    );
    const next = await another(world);
    assert.notEqual(next.pid, successor.pid);
    await link.stop(spec.runId);
    assert.deepEqual(await waitForEnd([next, successor], 1000), [], 'off air nobody waits');
  });

  test('a standby runner that dies is replaced; until then a killed runner has a successor all the same', async (t) => {
    const world = new World(t);
    const spec = runSpec();
    const { runner } = await world.onAir(spec);
    const spare = await another(world);
    kill(spare);
    kill(runner);
    await until('another runner', () => {
      const found = world.runner(spec.runId);
      return found !== undefined && ![runner.pid, spare.pid].includes(found.pid);
    });
    const next = await until('another one that waits', () => waiting(world), 120_000);
    assert.notEqual(next.pid, spare.pid);
  });

  test('no standby runner outlives its agent', async (t) => {
    const world = new World(t);
    const spec = runSpec();
    await world.onAir(spec);
    const spare = await another(world);
    kill((await world.health())!);
    // One that is still loading its program sees the end of its input when it has.
    assert.deepEqual(await waitForEnd([spare], 15_000), [], 'killed agent');
    assert.ok(world.runner(spec.runId), 'the run is on air');

    const second = (await world.agent()).process;
    const next = await another(world);
    process.kill(second.pid, 'SIGTERM');
    assert.deepEqual(await waitForEnd([next, second], 5000), [], 'ended agent');
    assert.ok(world.runner(spec.runId), 'the run is on air still');
  });
});
